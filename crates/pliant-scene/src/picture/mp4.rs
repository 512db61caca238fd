//! Films as MP4 files, by the program `ffmpeg`.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use pliant_draw::Image;

use crate::error::Error;

/// The program that makes them.
const PROGRAM: &str = "ffmpeg";

/// Refuses if the program is not there: whoever cannot write finds out before the work, not after it.
pub(crate) fn check() -> Result<(), Error> {
    let found = Command::new(PROGRAM)
        .arg("-version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match found {
        Ok(status) if status.success() => Ok(()),
        _ => Err(missing()),
    }
}

/// Writes pictures of one size as a film.
pub(super) fn write(path: &Path, images: &[Image], fps: f64) -> Result<(), Error> {
    let Some(first) = images.first() else {
        return Err(Error::Input(format!(
            "{}: the film is empty",
            path.display()
        )));
    };
    let failed = |source: io::Error| Error::io(path, source);
    let mut program = Command::new(PROGRAM)
        .args([
            "-y",
            "-loglevel",
            "error",
            "-f",
            "rawvideo",
            "-pix_fmt",
            "rgb24",
        ])
        .args(["-s", &format!("{}x{}", first.width, first.height)])
        .args(["-r", &format!("{fps}"), "-i", "-"])
        .args([
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
            "-f",
            "mp4",
        ])
        // A name that begins with a dash is a file too.
        .arg(Path::new(".").join(path))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|_| missing())?;
    if let Some(mut pixels) = program.stdin.take() {
        for image in images {
            // A program that has given up says why when it ends.
            if pixels.write_all(image.pixels.as_flattened()).is_err() {
                break;
            }
        }
    }
    let ended = program.wait_with_output().map_err(failed)?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    let line = said.lines().last().unwrap_or("it does not say why").trim();
    Err(failed(io::Error::other(format!("{PROGRAM}: {line}"))))
}

fn missing() -> Error {
    Error::Input(format!(
        "an .mp4 needs the program {PROGRAM}, which is not there; install it or choose .gif"
    ))
}
