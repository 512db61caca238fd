//! Making a body: a mesh becomes particles, groups and a surface.

use crate::clustering::{self, Clustering};
use crate::geometry::Mesh;
use crate::geometry::mesh::MeshError;
use crate::geometry::poisson::{estimate_count, sample_interior};
use crate::geometry::repair::{RepairError, RepairReport, repair};
use crate::geometry::winding::WindingField;
use crate::matching::{Averaging, Dynamics, Fit};
use crate::material::Material;
use crate::random::name_key;
use crate::resample::{self, Resampling};
use crate::state::{NO_PIECE, Surface};
use crate::surface::closed_mesh::ClosedMeshError;
use crate::surface::{Tracked, TrackerSettings, skin};
use glam::Vec3;

/// Triangles of a surface that is just fine enough, times the square of the longest edge over the area: equilateral triangles
/// of that edge have 2.3, halves of larger ones more.
const TRIANGLE_SHARE: f64 = 3.0;

/// What a body is made from. `BodyDesc::new` gives the defaults; change the fields you care about.
#[derive(Clone, Debug)]
pub struct BodyDesc {
    /// Its name; random numbers are keyed by it.
    pub name: String,
    /// The visible surface in world coordinates. It may be open, non-manifold or self-intersecting: inside is where its
    /// winding number is above one half.
    pub mesh: Mesh,
    /// What becomes of that surface.
    pub surface: SurfaceKind,
    /// Particle radius r: the least distance of two particles (m).
    pub particle_radius: f32,
    /// Radius of a group in units of r.
    pub cluster_radius: f32,
    /// Spacing of group centres in units of r.
    pub cluster_spacing: f32,
    /// Every particle is in at least this many groups.
    pub min_memberships: u32,
    /// How its particles are put into groups.
    pub clustering: Clustering,
    /// How goals become motion.
    pub dynamics: Dynamics,
    /// What it is made of.
    pub material: Material,
    /// Initial velocity (m/s).
    pub velocity: Vec3,
    /// Which rotation places the goals.
    pub fit: Fit,
    /// How the corrections of several groups are combined.
    pub averaging: Averaging,
    /// Whether far parts of the body collide with each other.
    pub self_contact: bool,
    /// How particles and groups are replaced where it flows, if its surface is tracked.
    pub resampling: Resampling,
    /// How long parts of a tracked surface overlap before they become one (s); those that only bounce come apart again.
    pub merge_delay: f32,
    /// Most particles the body may get.
    pub max_particles: usize,
    /// Most triangles that a tracked surface may get; at the limit it stays coarser.
    pub max_triangles: usize,
}

/// What is seen of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SurfaceKind {
    /// Nothing.
    None,
    /// The mesh as it is, carried along: any mesh will do, and triangles stretch as the body does.
    #[default]
    Skinned,
    /// The mesh made closed, then kept in shape; it merges and splits.
    Tracked {
        /// Longest edge (m).
        edge_length: f32,
        /// Whether every piece keeps its volume.
        keep_volume: bool,
    },
}

impl BodyDesc {
    /// A body of the default material.
    pub fn new(name: impl Into<String>, mesh: Mesh, particle_radius: f32) -> Self {
        Self {
            name: name.into(),
            mesh,
            surface: SurfaceKind::default(),
            particle_radius,
            cluster_radius: 4.0,
            cluster_spacing: 3.0,
            min_memberships: 3,
            clustering: Clustering::default(),
            dynamics: Dynamics::default(),
            material: Material::default(),
            velocity: Vec3::ZERO,
            fit: Fit::default(),
            averaging: Averaging::default(),
            self_contact: true,
            resampling: Resampling::default(),
            merge_delay: 0.2,
            max_particles: 2_000_000,
            max_triangles: 2_000_000,
        }
    }
}

/// Why a body could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The mesh is not usable.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh has no inside that a tracked surface could bound.
    #[error(transparent)]
    Repair(#[from] RepairError),
    /// A mesh that was not made solid first.
    #[error("the surface cannot be tracked: {0}")]
    Open(#[from] ClosedMeshError),
    /// The tracked surface would have more triangles than allowed.
    #[error(
        "the surface would have about {estimate:.0} triangles, more than the limit of {limit}; choose an edge_length above {edge_length:.4}"
    )]
    TooManyTriangles {
        /// Expected number.
        estimate: f64,
        /// The limit.
        limit: usize,
        /// An edge length that fits.
        edge_length: f64,
    },
    /// Every piece of the tracked surface is a crumb.
    #[error(
        "nothing is left of the surface: its pieces are smaller than a particle of radius {0}; choose a smaller particle_radius"
    )]
    OnlyCrumbs(f32),
    /// A parameter has no meaning.
    #[error("{0}")]
    Parameter(String),
    /// The body would have more particles than allowed.
    #[error(
        "the body would have about {estimate:.0} particles, more than the limit of {limit}; choose a particle_radius above {radius:.4}"
    )]
    TooManyParticles {
        /// Expected number.
        estimate: f64,
        /// The limit.
        limit: usize,
        /// A radius that fits.
        radius: f64,
    },
    /// The body is too small or too thin for its particle radius.
    #[error(
        "only {count} particles of radius {radius} fit into the body, at least 4 are needed; choose a smaller particle_radius or close the mesh"
    )]
    TooFewParticles {
        /// How many fit.
        count: usize,
        /// The particle radius.
        radius: f32,
    },
}

/// Particles and groups of a body, before they enter the world. Indices are local.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampling {
    /// Particle positions in space-filling order.
    pub points: Vec<Vec3>,
    /// Members of each group, ascending.
    pub groups: Vec<Vec<u32>>,
    /// Raw weights of the members; empty if all weigh the same.
    pub weights: Vec<Vec<f32>>,
    /// Radius of the groups (m), if it is another one than was asked for.
    pub cluster_radius: Option<f32>,
    /// Volume of the body (m³).
    pub volume: f64,
}

impl Sampling {
    /// Adds the particles and groups of another body.
    pub(crate) fn append(&mut self, other: Self) {
        let first = self.points.len() as u32;
        self.points.extend(other.points);
        let moved = |members: Vec<u32>| members.iter().map(|i| first + i).collect();
        // Weights of one body only would be mistaken for those of the first groups.
        if !(self.weights.is_empty() && other.weights.is_empty()) {
            let equal = |groups: &[Vec<u32>]| groups.iter().map(|g| vec![1.0; g.len()]).collect();
            if self.weights.is_empty() {
                self.weights = equal(&self.groups);
            }
            if other.weights.is_empty() {
                let more: Vec<Vec<f32>> = equal(&other.groups);
                self.weights.extend(more);
            } else {
                self.weights.extend(other.weights);
            }
        }
        self.groups.extend(other.groups.into_iter().map(moved));
        self.volume += other.volume;
    }
}

/// Makes the mesh of a body whose surface is tracked the boundary of a solid, and tells what that took.
pub fn make_solid(desc: &mut BodyDesc) -> Result<RepairReport, BuildError> {
    if !matches!(desc.surface, SurfaceKind::Tracked { .. }) {
        return Ok(RepairReport::default());
    }
    let (mesh, report) = repair(&desc.mesh)?;
    desc.mesh = mesh;
    Ok(report)
}

/// The surface of a body over its particles, and the piece of each particle; `first` is the index of the first one.
pub(crate) fn make_surface(
    desc: &BodyDesc,
    points: &[Vec3],
    first: usize,
) -> Result<(Surface, Vec<u32>), BuildError> {
    let r = desc.particle_radius;
    let no_pieces = || vec![NO_PIECE; points.len()];
    match desc.surface {
        SurfaceKind::None => Ok((Surface::None, no_pieces())),
        SurfaceKind::Skinned => {
            let skinned = skin::bind(desc.mesh.clone(), points, first, r);
            Ok((Surface::Skinned(Box::new(skinned)), no_pieces()))
        }
        SurfaceKind::Tracked {
            edge_length,
            keep_volume,
        } => {
            if !(edge_length > 0.0 && edge_length.is_finite()) {
                let complaint = "edge_length must be above 0";
                return Err(BuildError::Parameter(complaint.to_owned()));
            }
            let estimate = TRIANGLE_SHARE * desc.mesh.area() / f64::from(edge_length).powi(2);
            if !estimate.is_finite() || estimate > desc.max_triangles as f64 {
                return Err(BuildError::TooManyTriangles {
                    estimate,
                    limit: desc.max_triangles,
                    edge_length: f64::from(edge_length)
                        * (estimate / desc.max_triangles as f64).sqrt(),
                });
            }
            if !(desc.merge_delay >= 0.0 && desc.merge_delay.is_finite()) {
                let complaint = "merge_delay must not be negative";
                return Err(BuildError::Parameter(complaint.to_owned()));
            }
            let settings = TrackerSettings {
                particle_radius: r,
                keep_volume,
                max_triangles: desc.max_triangles,
                ..TrackerSettings::new(edge_length)
            };
            let mut tracked = Tracked::new(&desc.mesh, settings)?;
            if tracked.mesh().triangle_count() == 0 {
                return Err(BuildError::OnlyCrumbs(r));
            }
            let pieces = resample::label(&tracked, points, r);
            tracked.bind(points, &pieces, first, r);
            Ok((Surface::Tracked(Box::new(tracked)), pieces))
        }
    }
}

/// Checks the description, fills the mesh with particles and covers them with groups.
pub fn sample(desc: &BodyDesc, seed: u64) -> Result<Sampling, BuildError> {
    desc.mesh.validate()?;
    let r = desc.particle_radius;
    let positive = |x: f32| x > 0.0 && x.is_finite();
    let parameter = |text: &str| Err(BuildError::Parameter(text.to_owned()));
    if !positive(r) {
        return parameter("particle_radius must be above 0");
    }
    if !(positive(desc.cluster_radius)
        && positive(desc.cluster_spacing)
        && desc.cluster_spacing <= desc.cluster_radius)
    {
        return parameter("cluster_radius must be above 0 and at least the spacing of clusters");
    }
    if !desc.velocity.is_finite() {
        return parameter("velocity must be finite");
    }
    if let Some(complaint) = desc.material.complaint() {
        return parameter(complaint);
    }
    if let Some(complaint) = desc.clustering.complaint() {
        return parameter(complaint);
    }
    if let Dynamics::Springs(springs) = &desc.dynamics
        && let Some(complaint) = springs.complaint()
    {
        return parameter(complaint);
    }
    let Some((lo, hi)) = desc.mesh.bounds() else {
        return Err(MeshError::Empty.into());
    };
    // The volume of an open mesh is a guess, and the box bounds the work of sampling: both are judged, the box generously.
    let volume = desc.mesh.volume().abs();
    let in_box = estimate_count(lo, hi, r);
    let estimate = (0.66 * volume / f64::from(r).powi(3)).max(in_box / 30.0);
    if !estimate.is_finite() || estimate > desc.max_particles as f64 {
        let radius = f64::from(r) * (estimate / desc.max_particles as f64).cbrt();
        return Err(BuildError::TooManyParticles {
            estimate,
            limit: desc.max_particles,
            radius,
        });
    }
    let field = WindingField::new(&desc.mesh);
    let key = seed ^ name_key(&desc.name);
    let points = sample_interior(lo, hi, r, key, |p| field.contains(p));
    if points.len() < 4 {
        return Err(BuildError::TooFewParticles {
            count: points.len(),
            radius: r,
        });
    }
    let clusters = clustering::cluster(desc, seed, &points, lo);
    Ok(Sampling {
        points,
        groups: clusters.members,
        weights: clusters.weights,
        cluster_radius: clusters.radius,
        volume,
    })
}
