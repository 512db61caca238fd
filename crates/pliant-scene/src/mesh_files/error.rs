//! What can go wrong with a mesh file.

use std::io;
use std::path::{Path, PathBuf};

/// Why a mesh file could not be read or written; one line, with file, line and column as far as they exist.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// There is no such file.
    #[error("{}: no such file", .path.display())]
    NotFound {
        /// The file.
        path: PathBuf,
    },
    /// The path names a folder.
    #[error("{}: is a directory, a mesh file was expected", .path.display())]
    IsDirectory {
        /// The folder.
        path: PathBuf,
    },
    /// The system failed to read or write the file.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Neither the name nor the content tells a format that is known.
    #[error("{}: unknown kind of mesh file, .obj, .ply, .stl, .gltf or .glb was expected", .path.display())]
    UnsupportedExtension {
        /// The file.
        path: PathBuf,
    },
    /// The content is not a sound mesh.
    #[error("{}{}: {what}", .path.display(), place(*.line, *.column))]
    Content {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1; 0 if there is none, as in binary files.
        line: usize,
        /// Column in bytes, counted from 1; 0 if there is none.
        column: usize,
        /// What is wrong, and what was expected.
        what: String,
    },
    /// The mesh is larger than the limits allow.
    #[error("{}{}: {what}", .path.display(), place(*.line, *.column))]
    Limit {
        /// The file.
        path: PathBuf,
        /// Line, as in `Content`.
        line: usize,
        /// Column, as in `Content`.
        column: usize,
        /// Which limit.
        what: String,
    },
}

impl MeshFileError {
    /// Sorts what the system said.
    pub(super) fn from_io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::IsADirectory => Self::IsDirectory { path },
            _ => Self::Io { path, source },
        }
    }
}

/// `:LINE:COL`, as much of it as there is.
fn place(line: usize, column: usize) -> String {
    match (line, column) {
        (0, _) => String::new(),
        (_, 0) => format!(":{line}"),
        _ => format!(":{line}:{column}"),
    }
}

/// A place in a text file, counted from 1; zeros for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// What a parser found, before the file's name is added.
#[derive(Debug)]
pub(super) struct Problem {
    place: Place,
    what: String,
    is_limit: bool,
}

impl Problem {
    /// A problem of the file as a whole.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self::placed(Place::default(), what)
    }

    /// A problem at a place.
    pub(super) fn placed(place: Place, what: impl Into<String>) -> Self {
        Self {
            place,
            what: what.into(),
            is_limit: false,
        }
    }

    /// A limit that was exceeded.
    pub(super) fn limit(what: impl Into<String>) -> Self {
        Self {
            is_limit: true,
            ..Self::new(what)
        }
    }

    /// Moves a problem without a place to a place.
    pub(super) fn or_placed(self, place: Place) -> Self {
        if self.place == Place::default() {
            Self { place, ..self }
        } else {
            self
        }
    }

    /// The error of a file.
    pub(super) fn at(self, path: &Path) -> MeshFileError {
        let path = path.to_owned();
        let Place { line, column } = self.place;
        // Names out of the file may hold anything; an error stays one line.
        let what = self.what.replace(char::is_control, " ");
        if self.is_limit {
            MeshFileError::Limit {
                path,
                line,
                column,
                what,
            }
        } else {
            MeshFileError::Content {
                path,
                line,
                column,
                what,
            }
        }
    }
}
