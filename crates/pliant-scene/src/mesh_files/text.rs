//! Words and numbers of text files, with their places.

use super::error::{Place, Problem};

/// A word and where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) place: Place,
}

/// Goes through a text word by word.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        // A byte order mark is no content.
        let at = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        Self {
            bytes,
            at,
            line: 1,
            line_start: at,
        }
    }

    /// Where the scanner is.
    pub(super) fn place(&self) -> Place {
        Place {
            line: self.line,
            column: self.at - self.line_start + 1,
        }
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next word, on this line or a later one.
    pub(super) fn next_token(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some(token) = self.next_in_line() {
                return Some(token);
            }
            if !self.next_line() {
                return None;
            }
        }
    }

    /// The next word of this line.
    pub(super) fn next_in_line(&mut self) -> Option<Token<'a>> {
        let blank = |b: u8| b.is_ascii_whitespace() && b != b'\n';
        while self.bytes.get(self.at).is_some_and(|&b| blank(b)) {
            self.at += 1;
        }
        let place = self.place();
        let start = self.at;
        while self
            .bytes
            .get(self.at)
            .is_some_and(|b| !b.is_ascii_whitespace())
        {
            self.at += 1;
        }
        let bytes = &self.bytes[start..self.at];
        (!bytes.is_empty()).then_some(Token { bytes, place })
    }

    /// What is left of this line, without blanks at its ends.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim_ascii()
    }

    /// Goes to the next line; false at the end.
    pub(super) fn next_line(&mut self) -> bool {
        self.rest_of_line();
        if self.at >= self.bytes.len() {
            return false;
        }
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
        true
    }
}

impl Token<'_> {
    /// The word for messages: readable, and not too long.
    pub(super) fn shown(&self) -> String {
        shown(self.bytes)
    }

    /// A problem at this word.
    pub(super) fn problem(&self, what: impl Into<String>) -> Problem {
        Problem::placed(self.place, what)
    }

    /// The word as a finite number.
    pub(super) fn number(&self) -> Result<f32, Problem> {
        let value = std::str::from_utf8(self.bytes)
            .ok()
            .and_then(|word| word.parse::<f32>().ok());
        match value {
            Some(value) if value.is_finite() => Ok(value),
            _ => Err(self.problem(format!(
                "'{}' where a finite number was expected",
                self.shown()
            ))),
        }
    }

    /// The word as a whole number.
    pub(super) fn integer(&self) -> Result<i64, Problem> {
        std::str::from_utf8(self.bytes)
            .ok()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| {
                self.problem(format!(
                    "'{}' where a whole number was expected",
                    self.shown()
                ))
            })
    }
}

/// Bytes of a file for messages: readable, and not too long.
pub(super) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(bytes);
    if text.chars().count() <= LONGEST {
        return text.into_owned();
    }
    text.chars().take(LONGEST).chain("…".chars()).collect()
}
