//! A session as a scene file with all that it refers to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use glam::Vec3;

use super::Session;
use crate::error::Error;
use crate::file::{Camera, SceneFile, Shape};

impl Session {
    /// Writes the scene with all that was done to it, and the files that it refers to into the same folder; `camera` is where it is seen
    /// from (eye and target), if not from where the scene says.
    ///
    /// `pliant run` replays it: the same steps, the same states.
    pub fn save(&self, path: &Path, camera: Option<[Vec3; 2]>) -> Result<(), Error> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder).map_err(|source| Error::io(folder, source))?;
        let mut scene = self.scene();
        if let Some([eye, target]) = camera.map(|camera| camera.map(|p| Some(p.to_array()))) {
            scene.camera = Some(Camera { eye, target });
        }
        let mut taken = BTreeMap::new();
        for name in files_mut(&mut scene) {
            let file = taken.entry(name.clone()).or_insert_with(|| short(name));
            let target = folder.join(&*file);
            let text = self.loaded.files.iter().find(|(own, _)| own == name);
            match (text, &self.loaded.folder) {
                (Some((_, text)), _) => write(&target, text.as_bytes())?,
                (None, from) => copy(
                    &from.as_deref().unwrap_or(Path::new(".")).join(&*name),
                    &target,
                )?,
            }
            name.clone_from(file);
        }
        write(path, scene.to_toml()?.as_bytes())
    }
}

/// The names of all files that a scene refers to.
fn files_mut(scene: &mut SceneFile) -> Vec<&mut String> {
    let mut names = Vec::new();
    for body in &mut scene.body {
        names.extend(body.mesh.as_mut());
        names.extend(body.model.as_mut());
        // A checker is a pattern, not a file.
        names.extend(body.texture.as_mut().filter(|name| *name != "checker"));
    }
    for collider in &mut scene.collider {
        names.extend(collider.hands.as_mut());
        if let Some(Shape::Mesh(mesh)) = &mut collider.shape {
            names.push(&mut mesh.file);
        }
    }
    names
}

/// The name under which a file lies beside the scene: its own, without the folders.
fn short(name: &str) -> String {
    let file = Path::new(name).file_name();
    file.map_or_else(
        || "file".to_owned(),
        |file| file.to_string_lossy().into_owned(),
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), Error> {
    let same = |path: &Path| path.canonicalize().ok();
    if same(from).is_some() && same(from) == same(to) {
        return Ok(());
    }
    let bytes = fs::read(from).map_err(|source| Error::io(from, source))?;
    write(to, &bytes)
}

/// Writes a file that is whole or not there.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let mut part = PathBuf::from(path).into_os_string();
    part.push(".part");
    fs::write(&part, bytes)
        .and_then(|()| fs::rename(&part, path))
        .map_err(|source| Error::io(path, source))
}
