//! Writing to the terminal, which may go away at any time.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

/// Writes a line to stdout. A reader that has gone away (`pliant scenes | head -1`) is no error of ours: the command goes on
/// without it.
pub(crate) fn line(text: impl Display) -> Result<(), Failure> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Io(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr, if anybody listens.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes the line of an error; nothing if there is nothing to say.
pub(crate) fn error(text: &str) {
    if !text.is_empty() {
        note(format_args!("error: {}", one_line(text)));
    }
}

/// A text with everything escaped that would start another line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}
