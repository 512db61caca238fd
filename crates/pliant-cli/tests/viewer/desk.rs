//! A display of its own with the viewer on it, moved by real mouse and key events.
//!
//! Needs the Debian packages that `.ci/run` installs for it: a display, a driver, and hands and eyes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// A display, a viewer on it, and a folder for what it writes.
pub(crate) struct Desk {
    display: Child,
    name: String,
    viewer: Child,
    /// Where everything goes.
    pub(crate) folder: PathBuf,
}

impl Desk {
    /// Opens a scene on a new display.
    pub(crate) fn open(test: &str, scene: &str, options: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("pliant-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("scene.toml"), scene).expect("a scene");
        let mut display = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x720x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb, of the Debian package xvfb");
        let mut number = String::new();
        let said = display.stdout.take().expect("a pipe");
        BufReader::new(said)
            .read_line(&mut number)
            .expect("a number");
        let name = format!(":{}", number.trim());
        let errors = fs::File::create(folder.join("stderr")).expect("a file");
        let viewer = Command::new(env!("CARGO_BIN_EXE_pliant"))
            .current_dir(&folder)
            .args(["view", "scene.toml", "--out", ".", "--stats", "stats.jsonl"])
            .args(options)
            .env("DISPLAY", &name)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_RUNTIME_DIR", &folder)
            .stderr(errors)
            .spawn()
            .expect("the viewer");
        let desk = Self {
            display,
            name,
            viewer,
            folder,
        };
        desk.until("a window", || desk.window().is_some());
        desk.until("a first step", || desk.last().is_some());
        // Nobody manages this display, so nobody gives the window the keys.
        desk.tell(&["windowfocus", &desk.window().expect("a window")]);
        desk
    }

    fn window(&self) -> Option<String> {
        let found = Command::new("xdotool")
            .args(["search", "--onlyvisible", "--name", "Pliant"])
            .env("DISPLAY", &self.name)
            .output()
            .expect("xdotool, of the Debian package of that name");
        let text = String::from_utf8_lossy(&found.stdout);
        text.lines().last().map(str::to_owned)
    }

    /// Waits for something, but not for ever.
    pub(crate) fn until(&self, what: &str, mut come: impl FnMut() -> bool) {
        let start = Instant::now();
        while !come() {
            if start.elapsed() > PATIENCE {
                self.picture(Path::new("late.png"));
                panic!("{what} did not come; see {}", self.folder.display());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sends events.
    pub(crate) fn tell(&self, words: &[&str]) {
        let status = Command::new("xdotool")
            .args(words)
            .env("DISPLAY", &self.name)
            .status()
            .expect("xdotool");
        assert!(status.success(), "xdotool {words:?}");
    }

    /// Presses a key. Keys take a detour by the input method: the mouse would overtake them.
    pub(crate) fn key(&self, key: &str) {
        self.tell(&["key", key]);
        std::thread::sleep(Duration::from_secs(1));
    }

    /// Presses a button at one place and lets it go at another.
    pub(crate) fn drag(&self, button: &str, from: [i32; 2], to: [i32; 2]) {
        const STEPS: i32 = 12;
        let go = |i: i32| {
            let at = |axis: usize| from[axis] + (to[axis] - from[axis]) * i / STEPS;
            self.tell(&["mousemove", &at(0).to_string(), &at(1).to_string()]);
            std::thread::sleep(Duration::from_millis(60));
        };
        go(0);
        self.tell(&["mousedown", button]);
        (1..=STEPS).for_each(go);
        self.tell(&["mouseup", button]);
    }

    /// Takes a picture of the whole display; gives its pixels.
    pub(crate) fn picture(&self, name: &Path) -> Vec<u8> {
        let taken = Command::new("import")
            .args(["-window", "root"])
            .arg(self.folder.join(name))
            .env("DISPLAY", &self.name)
            .status();
        assert!(
            taken.is_ok_and(|s| s.success()),
            "import, of the Debian package imagemagick"
        );
        let pixels = Command::new("convert")
            .arg(self.folder.join(name))
            .args(["-depth", "8", "rgb:-"])
            .output()
            .expect("convert");
        pixels.stdout
    }

    /// The statistics so far.
    pub(crate) fn statistics(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.join("stats.jsonl")).unwrap_or_default();
        // The last line may be in the making.
        let lines = text
            .lines()
            .map_while(|line| serde_json::from_str(line).ok());
        lines.collect()
    }

    /// The last line of them.
    pub(crate) fn last(&self) -> Option<Value> {
        self.statistics().pop()
    }

    /// Saves the scene; gives its text and its name.
    pub(crate) fn save(&self) -> (String, PathBuf) {
        let name = |number: u32| self.folder.join(format!("scene-{number:02}.toml"));
        let mut free = (1..).map(name).skip_while(|path| path.exists());
        let path = free.next().expect("a name");
        self.tell(&["key", "ctrl+s"]);
        self.until("a saved scene", || path.exists());
        (fs::read_to_string(&path).expect("a scene"), path)
    }

    /// Memory of the viewer (bytes).
    pub(crate) fn memory(&self) -> u64 {
        let text =
            fs::read_to_string(format!("/proc/{}/statm", self.viewer.id())).unwrap_or_default();
        let pages = text
            .split(' ')
            .nth(1)
            .and_then(|pages| pages.parse::<u64>().ok());
        pages.unwrap_or(0) * 4096
    }

    /// Whether the viewer is still there.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.viewer.try_wait().expect("a process").is_none()
    }

    /// Closes the window; the viewer must end well and have nothing to complain about.
    pub(crate) fn close(mut self) -> PathBuf {
        self.tell(&["key", "ctrl+q"]);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.viewer.try_wait().expect("a process") {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the viewer does not end");
            std::thread::sleep(Duration::from_millis(50));
        };
        let said = fs::read_to_string(self.folder.join("stderr")).unwrap_or_default();
        // Random keys may have left it filming.
        let complaints = said.replace("drawing the film, which takes a while\n", "");
        assert!(
            status.success() && complaints.is_empty(),
            "{status}: {complaints}"
        );
        self.folder.clone()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        for process in [&mut self.viewer, &mut self.display] {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
