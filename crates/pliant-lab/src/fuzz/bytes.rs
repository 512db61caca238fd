//! Numbers read from a byte string.

use glam::Vec3;

/// Reads numbers from the front of a byte string. Past its end every byte is zero, so that each string is a whole case and a shorter
/// one a simpler case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        match self.0 {
            [first, rest @ ..] => {
                self.0 = rest;
                *first
            }
            [] => 0,
        }
    }

    /// A number in `0..count`.
    pub(super) fn below(&mut self, count: u8) -> u8 {
        self.byte() % count
    }

    /// One of the given numbers.
    pub(super) fn choose(&mut self, from: &[f32]) -> f32 {
        from[usize::from(self.byte()) % from.len()]
    }

    /// A number in −1…1. Few values on purpose: what meets exactly is what breaks.
    pub(super) fn signed(&mut self) -> f32 {
        f32::from(self.byte() as i8) / 64.0 / 2.0
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}
