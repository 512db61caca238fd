//! Names of the files that the viewer writes.

use std::fs;
use std::path::{Path, PathBuf};

/// The first name in a folder that is not taken: `SCENE-01.ENDING`, `SCENE-02.ENDING` and so on. Makes the folder.
pub(super) fn free_name(folder: &Path, scene: &str, ending: &str) -> std::io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    // A scene's name may come from a file's; what is not plain in it stays out.
    let plain: String = scene
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let names = (1..).map(|number| folder.join(format!("{plain}-{number:02}.{ending}")));
    Ok(names
        .into_iter()
        .find(|path| !path.exists())
        .unwrap_or_else(|| folder.join(format!("{plain}.{ending}"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nothing is overwritten.
    #[test]
    fn names_are_free() {
        let folder = std::env::temp_dir().join(format!("pliant-names-{}", std::process::id()));
        let first = free_name(&folder, "a b/c", "png").unwrap();
        assert_eq!(first, folder.join("a-b-c-01.png"));
        fs::write(&first, "").unwrap();
        let second = free_name(&folder, "a b/c", "png").unwrap();
        assert_eq!(second, folder.join("a-b-c-02.png"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
