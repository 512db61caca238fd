//! What can be wrong with a scene file, and where.

use std::fmt;

/// The longest quotation of the user's text in a message (characters).
///
/// A message stays one readable line even when the offending string is a megabyte long.
const QUOTE_LENGTH: usize = 60;

/// Why a scene, an override or a hands file was refused.
///
/// Every variant prints as one line, the place first: `FILE:LINE:COL: what is wrong, and what was expected`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The text is not TOML, or a line of a hands file has the wrong form.
    #[error("{place}: {message}")]
    Syntax {
        /// Where it is.
        place: Place,
        /// What is wrong, and what was expected.
        message: String,
    },
    /// A field is unknown, missing or of the wrong type.
    #[error("{place}: {message}")]
    Field {
        /// Where it is.
        place: Place,
        /// What is wrong, and what was expected.
        message: String,
    },
    /// The fields have the right types, but what they say makes no sense.
    #[error("{place}: {message}")]
    Invalid {
        /// Where it is.
        place: Place,
        /// What is wrong, and what was expected.
        message: String,
    },
    /// A `--set` option does not name a place in the scene.
    #[error("{place}: {message}")]
    Override {
        /// The option.
        place: Place,
        /// What is wrong, and what was expected.
        message: String,
    },
    /// The scene holds something that TOML cannot express.
    #[error("the scene cannot be written as TOML: {message}")]
    Unwritable {
        /// What the writer said.
        message: String,
    },
}

/// Where a wrong value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A position in a text file.
    File {
        /// The name of the file as the caller gave it.
        origin: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// An override of the command line, as it was typed.
    Override {
        /// `path=value`.
        text: String,
    },
}

impl Place {
    /// The place `offset` bytes into `text`, in the file that the caller calls `origin`.
    pub(super) fn in_text(origin: &str, text: &str, offset: usize) -> Self {
        // An offset inside a character, or past the end, is pulled back to the character before it.
        let before = (0..=offset.min(text.len()))
            .rev()
            .find_map(|end| text.get(..end))
            .unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self::File {
            origin: one_line(origin),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File {
                origin,
                line,
                column,
            } => write!(formatter, "{origin}:{line}:{column}"),
            Self::Override { text } => write!(formatter, "--set {text}"),
        }
    }
}

/// `text` with everything escaped that could start a new line or move the cursor.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        // The separators U+2028 and U+2029 are not control characters, but break lines in many terminals.
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

/// `text` shortened to a length that suits a message.
pub(super) fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let mut short: String = characters.by_ref().take(QUOTE_LENGTH).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// The list "`a`, `b` or `c`".
pub(super) fn alternatives<S: AsRef<str>>(names: &[S]) -> String {
    let mut list = String::new();
    for (index, name) in names.iter().enumerate() {
        list.push_str(match index {
            0 => "",
            _ if index + 1 == names.len() => " or ",
            _ => ", ",
        });
        list.push('`');
        list.push_str(name.as_ref());
        list.push('`');
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines and columns count from one, columns in characters, and offsets past the end are harmless.
    #[test]
    fn place_counts_characters() {
        let text = "a\näö = 1\n";
        let place = |offset| Place::in_text("f", text, offset).to_string();
        assert_eq!(place(0), "f:1:1");
        assert_eq!(place(2), "f:2:1");
        assert_eq!(place(3), "f:2:1", "inside the ä");
        assert_eq!(place(6), "f:2:3");
        assert_eq!(place(999), "f:3:1");
    }

    /// Nothing that a name may contain breaks the line.
    #[test]
    fn one_line_escapes_breaks() {
        assert_eq!(one_line("a\nb\r\u{2028}ö"), "a\\nb\\r\\u{2028}ö");
    }

    /// Lists read like a sentence.
    #[test]
    fn alternatives_read_like_a_sentence() {
        assert_eq!(alternatives(&["a"]), "`a`");
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
