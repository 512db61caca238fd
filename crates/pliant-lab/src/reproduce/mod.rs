//! The papers' experiments: each prints what was measured against what is expected.

mod check;
mod elastoplastic;
mod oriented;
mod pictures;
mod plot;
mod reclustering;
mod scenes;
mod surface;
mod visual;

pub use check::{Check, Solver};
use plot::Series;

use pliant::geometry::Mesh;
use std::path::{Path, PathBuf};

/// How experiments are run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where the report, the pictures and the plots go.
    pub out: PathBuf,
    /// Takes the place of the figure.
    pub mesh: Option<Mesh>,
    /// Runs the full lengths.
    pub long: bool,
}

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// No group or experiment has this name.
    #[error("there is no experiment '{name}'; known are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A body could not be made.
    #[error("{0}")]
    Build(#[from] pliant::BuildError),
    /// A body of visual geometry could not be made.
    #[error("{0}")]
    Visual(#[from] pliant::visual::VisualError),
    /// A scene could not be built.
    #[error("{0}")]
    Scene(#[from] pliant_scene::Error),
    /// A mesh could not be written.
    #[error("{0}")]
    Mesh(#[from] pliant_scene::mesh_files::MeshFileError),
    /// A surface cannot be tracked.
    #[error("{0}")]
    Surface(#[from] pliant::surface::closed_mesh::ClosedMeshError),
    /// A file could not be written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A plot could not be made.
    #[error("{path}: {message}")]
    Plot {
        /// The file.
        path: String,
        /// What went wrong.
        message: String,
    },
    /// A picture could not be made.
    #[error("{0}")]
    Draw(#[from] pliant_draw::DrawError),
}

impl LabError {
    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.display().to_string(),
            source,
        }
    }
}

/// One experiment: its qualified id, what it shows, and how to run it.
pub struct Experiment {
    /// Qualified id, as `elastoplastic/E1`.
    pub id: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    run: fn(&mut Bench) -> Result<(), LabError>,
}

/// The experiment that takes most of the time of its group.
const HEAVIEST: &str = "elastoplastic/E6";

impl Experiment {
    /// Whether it takes so long that it is best begun before the others.
    pub fn is_heavy(&self) -> bool {
        self.id == HEAVIEST
    }
}

/// All experiments, in the order in which they are listed.
pub fn experiments() -> impl Iterator<Item = &'static Experiment> {
    elastoplastic::EXPERIMENTS
        .iter()
        .chain(reclustering::EXPERIMENTS)
        .chain(oriented::EXPERIMENTS)
        .chain(visual::EXPERIMENTS)
        .chain(surface::EXPERIMENTS)
}

/// What an experiment works with: options and the list of checks.
pub struct Bench<'a> {
    options: &'a Options,
    id: &'static str,
    checks: Vec<Check>,
    sink: &'a mut dyn FnMut(&Check),
}

impl Bench<'_> {
    /// Records a check and hands it on at once.
    fn check(
        &mut self,
        solver: Solver,
        what: impl Into<String>,
        measured: impl Into<String>,
        expected: impl Into<String>,
        pass: bool,
    ) {
        let check = Check {
            id: self.id.into(),
            solver,
            what: what.into(),
            measured: measured.into(),
            expected: expected.into(),
            pass,
        };
        (self.sink)(&check);
        self.checks.push(check);
    }

    /// Records that a number must not exceed a bound.
    fn at_most(&mut self, solver: Solver, what: &str, value: f64, bound: f64) {
        // Written so that a NaN fails.
        self.check(
            solver,
            what,
            format!("{value:.3e}"),
            format!("at most {bound:.1e}"),
            value <= bound,
        );
    }

    /// Writes a plot of lines into the output folder.
    fn plot(
        &self,
        name: &str,
        title: &str,
        axes: [&str; 2],
        series: &[Series],
    ) -> Result<(), LabError> {
        let path = self.path(name);
        plot::write_lines(&path, title, axes, series).map_err(|message| LabError::Plot {
            path: path.display().to_string(),
            message,
        })
    }

    /// A path in the output folder.
    fn path(&self, name: &str) -> PathBuf {
        self.options.out.join(name)
    }
}

/// Runs one experiment and hands every check to `sink` as it is made.
pub fn run(
    experiment: &Experiment,
    options: &Options,
    sink: &mut dyn FnMut(&Check),
) -> Result<Vec<Check>, LabError> {
    std::fs::create_dir_all(&options.out).map_err(|e| LabError::io(&options.out, e))?;
    let mut bench = Bench {
        options,
        id: experiment.id,
        checks: Vec::new(),
        sink,
    };
    (experiment.run)(&mut bench)?;
    Ok(bench.checks)
}

/// Where the results of a folder are.
fn results(out: &Path) -> PathBuf {
    out.join("results.json")
}

/// Writes `results.json` into a folder.
pub fn write_results(out: &Path, checks: &[Check]) -> Result<(), LabError> {
    let text = serde_json::to_string_pretty(checks).unwrap_or_default();
    std::fs::write(results(out), text).map_err(|e| LabError::io(&results(out), e))
}

/// Moves what an experiment has left in a folder of its own to `out`, and hands back its results.
pub fn take_over(from: &Path, out: &Path) -> Result<Vec<Check>, LabError> {
    let path = results(from);
    let text = std::fs::read(&path).map_err(|e| LabError::io(&path, e))?;
    let checks = serde_json::from_slice(&text).map_err(|e| LabError::io(&path, e.into()))?;
    std::fs::remove_file(&path).map_err(|e| LabError::io(&path, e))?;
    let entries = std::fs::read_dir(from).map_err(|e| LabError::io(from, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| LabError::io(from, e))?;
        let target = out.join(entry.file_name());
        // A folder does not take the place of one that holds something.
        if target.is_dir() {
            std::fs::remove_dir_all(&target).map_err(|e| LabError::io(&target, e))?;
        }
        std::fs::rename(entry.path(), &target).map_err(|e| LabError::io(&target, e))?;
    }
    std::fs::remove_dir(from).map_err(|e| LabError::io(from, e))?;
    Ok(checks)
}

/// The experiments that the selectors name (groups or ids; all if there are none), in the order in which they are listed. An id may be
/// given without its group.
pub fn choose(selectors: &[String]) -> Result<Vec<&'static Experiment>, LabError> {
    let group = |id: &'static str| id.split('/').next().unwrap_or(id);
    let named = |id: &'static str, name: &str| {
        id.eq_ignore_ascii_case(name)
            || group(id).eq_ignore_ascii_case(name)
            || id
                .split('/')
                .nth(1)
                .is_some_and(|short| short.eq_ignore_ascii_case(name))
    };
    for name in selectors {
        if !experiments().any(|e| named(e.id, name)) {
            let known: Vec<&str> = experiments().map(|e| e.id).collect();
            return Err(LabError::Unknown {
                name: name.clone(),
                known: known.join(", "),
            });
        }
    }
    Ok(experiments()
        .filter(|e| selectors.is_empty() || selectors.iter().any(|name| named(e.id, name)))
        .collect())
}
