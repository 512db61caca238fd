//! A folder for a test and the command to run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that goes away with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new, empty folder; `name` is unique among the tests of this file.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a text file.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// Runs the command in the folder.
    pub(crate) fn pliant(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pliant"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What was written to stdout.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was written to stderr.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A small ball above the floor that takes five frames.
pub(crate) const BALL: &str = r#"
title = "a small ball"
[simulation]
frames = 5
[[body]]
name = "ball"
shape = { sphere = { radius = 0.5 } }
position = [0, 0.6, 0]
particle_radius = 0.1
edge_length = 0.15
[[collider]]
shape = { plane = { normal = [0, 1, 0] } }
"#;
