//! Exit codes and the line that goes with each.

use std::fmt;
use std::process::ExitCode;

use pliant_scene::mesh_files::MeshFileError;
use pliant_scene::{Error, ErrorKind};

/// Why the command ends early; shown as one line.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An experiment did not come out as expected.
    Checks(String),
    /// Bad input or bad usage.
    Input(String),
    /// A limit was hit while loading.
    Limit(String),
    /// The simulation became unstable.
    Unstable(String),
    /// The system failed to read or write.
    Io(String),
    /// Somebody pressed Ctrl-C.
    Interrupted(String),
    /// There is nothing to say: help was shown, or nobody listens any more.
    Silent,
}

impl Failure {
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Silent => 0,
            Self::Checks(_) => 1,
            Self::Input(_) => 2,
            Self::Limit(_) => 3,
            Self::Unstable(_) => 4,
            Self::Io(_) => 5,
            Self::Interrupted(_) => 130,
        })
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checks(text)
            | Self::Input(text)
            | Self::Limit(text)
            | Self::Unstable(text)
            | Self::Io(text)
            | Self::Interrupted(text) => formatter.write_str(text),
            Self::Silent => Ok(()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error.kind() {
            ErrorKind::Input => Self::Input(text),
            ErrorKind::Limit => Self::Limit(text),
            ErrorKind::Io => Self::Io(text),
        }
    }
}

impl From<MeshFileError> for Failure {
    fn from(error: MeshFileError) -> Self {
        Error::from(error).into()
    }
}
