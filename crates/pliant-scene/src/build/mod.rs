//! From a checked scene to a world that can be stepped, and to what pictures need to know about it.
//!
//! Whatever the engine cannot do yet is refused here, with the place in the scene file and with what there is instead.

mod action;
mod body;
mod boxes;
mod cast;
mod collider;
mod facets;
mod form;
mod joint;
mod material;
mod merge;
mod oriented;
mod pattern;
mod polygons;
mod shape;
mod support;
mod visual;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::Vec3;
use pliant::state::BodyId;
use pliant::visual::PolygonMesh;
use pliant::{OrientedDesc, Settings, World};

use crate::error::Error;
use crate::file::{Body, Dynamics, Method, Place, SceneFile};
use crate::load::{Limits, Loaded, read_text};
use crate::mesh_files::{MeshFileError, read_mesh_within, read_polygons_within};
use crate::models::PolygonModel;
use crate::picture::{BodyLook, Looks};

use cast::Cast;
use visual::Stage;

/// Frames of a scene that does not say how many.
const DEFAULT_FRAMES: u32 = 240;
/// Frames a second of a scene that does not say how many.
const DEFAULT_FPS: f32 = 60.0;

/// What a scene is built with.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// A mesh file that takes the place of the first body's form, fitted to its size.
    pub mesh: Option<PathBuf>,
    /// How much the scene may hold.
    pub limits: Limits,
}

/// A scene that is ready to run.
#[derive(Debug)]
pub struct Built {
    /// Name of the scene.
    pub name: String,
    /// Title for people.
    pub title: Option<String>,
    /// The world, at time 0.
    pub world: World,
    /// Output frames a second.
    pub fps: f32,
    /// How many frames the scene wants.
    pub frames: u32,
    /// How all that looks.
    pub looks: Looks,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// What the names of the scene stand for.
    pub(crate) cast: Cast,
}

/// The settings of a scene that does not give any: bodies that move by springs alone need one substep and sweep by themselves, oriented
/// ones half of the usual iterations.
fn usual_settings(scene: &SceneFile) -> Settings {
    let plain = Settings::default();
    let springs = |body: &Body| body.dynamics == Some(Dynamics::Springs);
    if scene.body.iter().all(springs) {
        Settings {
            substeps: 1,
            iterations: 1,
            ..plain
        }
    } else if scene
        .body
        .iter()
        .all(|b| b.method == Some(Method::Oriented))
    {
        Settings {
            iterations: 2,
            ..plain
        }
    } else {
        plain
    }
}

/// Builds the world of a scene.
pub fn build(loaded: &Loaded, options: &BuildOptions) -> Result<Built, Error> {
    let site = Site::new(loaded, &options.limits);
    let warnings = Vec::new();
    support::check(&site)?;

    let scene = &loaded.scene;
    let simulation = &scene.simulation;
    let camera = scene.camera.clone().unwrap_or_default();
    let plain = usual_settings(scene);
    let mut built = Built {
        name: loaded.name.clone(),
        title: scene.title.clone(),
        world: World::new(Settings {
            substeps: simulation.substeps.unwrap_or(plain.substeps),
            iterations: simulation.iterations.unwrap_or(plain.iterations),
            gravity: simulation.gravity.map_or(plain.gravity, Vec3::from_array),
            seed: simulation.seed.unwrap_or(plain.seed),
            ..plain
        }),
        fps: simulation.fps.unwrap_or(DEFAULT_FPS),
        frames: simulation.frames.unwrap_or(DEFAULT_FRAMES),
        looks: Looks {
            eye: camera.eye.map(Vec3::from_array),
            target: camera.target.map(Vec3::from_array),
            ..Looks::default()
        },
        warnings,
        cast: Cast::default(),
    };
    if !(1.0 / built.fps).is_finite() {
        let message = format!("`fps` is {}, expected more", built.fps);
        return Err(site.error("simulation.fps", &message));
    }
    for index in 0..scene.collider.len() {
        for (collider, obstacle) in collider::build(&site, index)? {
            built.world.add_collider(collider);
            built.looks.obstacles.push(obstacle);
        }
    }
    add_bodies(&site, options.mesh.as_deref(), &mut built)?;
    built.warnings.extend(soft_bodies(&built));
    // As a scene file would say it.
    let end = f64::from(built.frames as f32 / built.fps);
    for index in 0..scene.action.len() {
        let path = format!("action.{index}");
        let action = &scene.action[index];
        let actions = action::build(&site, &path, action, (&built.world, &built.cast), end)?;
        for action in actions {
            built.world.add_action(action);
        }
    }
    Ok(built)
}

/// Adds all bodies, and what holds them together; `mesh` is a file that takes the place of the first one's form.
fn add_bodies(site: &Site<'_>, mesh: Option<&Path>, built: &mut Built) -> Result<(), Error> {
    let groups = merge::groups(&site.loaded.scene);
    let mut copy = 0;
    let mut loose = Vec::new();
    let mut looks: Vec<(BodyId, BodyLook)> = Vec::new();
    for (at, members) in groups.iter().enumerate() {
        let again = at > 0 && groups[at - 1] == *members;
        copy = if again { copy + 1 } else { 0 };
        let mut stage = Stage {
            world: &mut built.world,
            cast: &mut built.cast,
            looks: &mut looks,
        };
        let place = (&members[..], copy);
        loose.extend(body::add(
            site,
            place,
            mesh,
            &mut stage,
            &mut built.warnings,
        )?);
    }
    for (id, look) in looks {
        built.looks.set(id, look);
    }
    visual::check_lines(site, &built.cast)?;
    let (world, cast) = (&mut built.world, &mut built.cast);
    joint::add_all(site, &loose, world, cast)?;
    joint::attach_all(site, world, cast, &mut built.warnings)
}

/// Bodies whose springs are too soft to carry them: they would sink into themselves.
fn soft_bodies(built: &Built) -> Vec<String> {
    /// Compression by its own weight that a body may have.
    const MOST: f32 = 0.5;
    let settings = built.world.settings();
    let h = 1.0 / (built.fps * settings.substeps as f32);
    let warning = |body: &pliant::Body| {
        let pliant::matching::Dynamics::Springs(springs) = body.dynamics else {
            return None;
        };
        let along = settings.gravity.normalize_or_zero();
        let heights = || {
            let own = built.world.points().x[body.points.clone()].iter();
            own.map(|x| x.dot(along))
        };
        let height = heights().fold(f32::MIN, f32::max) - heights().fold(f32::MAX, f32::min);
        let reach = body.cluster_radius * body.particle_radius;
        let strain = springs.strain_of_weight(reach, height, settings.gravity.length(), h);
        let needed = (settings.substeps as f32 * (strain / MOST).sqrt()).ceil();
        // Springs that do not pull at all are not made stiffer by anything.
        (strain > MOST && strain.is_finite()).then(|| {
            format!(
                "{}: its springs are too soft to carry it (its weight compresses it by about {strain:.1}); raise `substeps` to {needed} or more, or `cluster_radius`",
                body.name
            )
        })
    };
    built.world.bodies().iter().filter_map(warning).collect()
}

/// An action as the engine knows it, which may be several there, for a world that was built of a scene.
pub(crate) fn convert_action(
    loaded: &Loaded,
    limits: &Limits,
    (world, cast): (&World, &Cast),
    action: &crate::file::Action,
) -> Result<Vec<pliant::dynamics::Action>, Error> {
    let site = Site::new(loaded, limits);
    action::build(&site, "action", action, (world, cast), f64::INFINITY)
}

/// The scene that is being built and its limits: what every part of the building needs.
struct Site<'a> {
    loaded: &'a Loaded,
    limits: &'a Limits,
    /// Models that were made already, by the numbers of their bodies.
    models: RefCell<BTreeMap<usize, OrientedDesc>>,
    /// The same of visual bodies, whatever their polygons come from.
    polygons: RefCell<BTreeMap<usize, PolygonModel>>,
}

impl<'a> Site<'a> {
    fn new(loaded: &'a Loaded, limits: &'a Limits) -> Self {
        Self {
            loaded,
            limits,
            models: RefCell::default(),
            polygons: RefCell::default(),
        }
    }

    /// An error about the value at a dotted path.
    fn error(&self, path: &str, message: &str) -> Error {
        self.loaded.document.error_at(path, message).into()
    }

    /// A limit that the value at a dotted path exceeds.
    fn limit(&self, path: &str, message: &str) -> Error {
        let place = self.loaded.document.locate(path);
        Error::Limit(format!("{place}: {message}"))
    }

    /// Where a file that the scene names is, after it was made sure that the scene may name it.
    ///
    /// What a scene file says stays in the folder of the scene, links included; what was typed on the command line may
    /// lie anywhere and starts where the user is.
    fn file(&self, path: &str, name: &str) -> Result<PathBuf, Error> {
        if matches!(self.loaded.document.locate(path), Place::Override { .. }) {
            return Ok(PathBuf::from(name));
        }
        let Some(folder) = &self.loaded.folder else {
            return Err(self.error(path, "a built-in scene has no files"));
        };
        let file = folder.join(name);
        let shown = file.display();
        let real = |path: &Path| path.canonicalize();
        match (real(folder), real(&file)) {
            (Ok(folder), Ok(real)) if real.starts_with(&folder) => Ok(file),
            (Ok(_), Ok(_)) => Err(self.error(
                path,
                &format!("{shown} is a link that leaves the folder of the scene, expected a file in it or below"),
            )),
            (Err(source), _) | (_, Err(source)) => match source.kind() {
                std::io::ErrorKind::NotFound => {
                    Err(self.error(path, &format!("{shown}: no such file")))
                }
                _ => Err(Error::io(&file, source)),
            },
        }
    }

    /// The text of a file that the scene names, and the name that messages show.
    fn text(&self, path: &str, name: &str) -> Result<(String, String), Error> {
        let typed = matches!(self.loaded.document.locate(path), Place::Override { .. });
        if let Some((_, text)) = self.loaded.files.iter().find(|f| f.0 == name && !typed) {
            return Ok(((*text).to_owned(), name.to_owned()));
        }
        let file = self.file(path, name)?;
        let text = read_text(&file, self.limits.bytes)?;
        Ok((text, file.display().to_string()))
    }

    /// Reads a mesh that the scene names; what is wrong with the naming is said at its place, what is wrong with the
    /// file at the file's own.
    fn mesh(&self, path: &str, name: &str) -> Result<pliant::geometry::Mesh, Error> {
        let file = self.file(path, name)?;
        let mesh = read_mesh_within(&file, &self.limits.of_mesh());
        mesh.map_err(|error| self.mesh_error(path, error))
    }

    /// The same as polygons.
    fn polygon_mesh(&self, path: &str, name: &str) -> Result<PolygonMesh, Error> {
        let file = self.file(path, name)?;
        let mesh = read_polygons_within(&file, &self.limits.of_mesh());
        mesh.map_err(|error| self.mesh_error(path, error))
    }

    fn mesh_error(&self, path: &str, error: MeshFileError) -> Error {
        match error {
            MeshFileError::NotFound { .. }
            | MeshFileError::IsDirectory { .. }
            | MeshFileError::UnsupportedExtension { .. } => self.error(path, &error.to_string()),
            _ => error.into(),
        }
    }
}
