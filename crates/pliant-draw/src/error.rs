//! What can go wrong between a scene and a picture file.

use std::path::PathBuf;

/// Why a picture could not be drawn or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A picture of no pixels, or of more than fit into memory, was asked for.
    #[error("a picture of {width} x {height} pixels cannot be made (each side from 1 to 16384)")]
    PictureSize {
        /// Width asked for.
        width: usize,
        /// Height asked for.
        height: usize,
    },
    /// An animation's frame has another size than the animation.
    #[error(
        "a frame of {width} x {height} pixels does not fit an animation of {expected_width} x {expected_height}"
    )]
    FrameSize {
        /// Width of the frame.
        width: usize,
        /// Height of the frame.
        height: usize,
        /// Width of the animation.
        expected_width: usize,
        /// Height of the animation.
        expected_height: usize,
    },
    /// A texture's pixels do not match its size.
    #[error("a texture of {width} x {height} pixels needs {expected} values, not {found}")]
    TextureSize {
        /// Width of the texture.
        width: usize,
        /// Height of the texture.
        height: usize,
        /// How many pixels were given.
        found: usize,
        /// How many are needed.
        expected: usize,
    },
    /// A file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The PNG encoder failed.
    #[error("cannot encode a PNG: {0}")]
    Png(#[from] png::EncodingError),
    /// The GIF encoder failed.
    #[error("cannot encode a GIF: {0}")]
    Gif(#[from] gif::EncodingError),
}
