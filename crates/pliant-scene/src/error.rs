//! What can go wrong between a scene's name and its last frame.

use std::io;
use std::path::{Path, PathBuf};

use pliant_draw::DrawError;

use crate::file::SceneError;
use crate::mesh_files::MeshFileError;

/// Why a scene could not be loaded, built or run; every variant prints as one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scene file is wrong, or asks for what does not exist.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh file could not be read or written.
    #[error(transparent)]
    MeshFile(#[from] MeshFileError),
    /// Any other input that makes no sense.
    #[error("{0}")]
    Input(String),
    /// Something is larger than the limits allow.
    #[error("{0}")]
    Limit(String),
    /// The system failed to read or write a file.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A picture could not be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

/// Whose fault an [`Error`] is; a program's exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The input is wrong.
    Input,
    /// The input is larger than the limits allow.
    Limit,
    /// The system failed to read or write.
    Io,
}

impl Error {
    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::MeshFile(MeshFileError::Limit { .. }) | Self::Limit(_) => ErrorKind::Limit,
            Self::MeshFile(MeshFileError::Io { .. }) | Self::Io { .. } | Self::Draw(_) => {
                ErrorKind::Io
            }
            Self::Scene(_) | Self::Input(_) | Self::MeshFile(_) => ErrorKind::Input,
        }
    }

    /// What the system said about a file.
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}
