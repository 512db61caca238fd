//! How much a carried skin has grown, and whether it is folded over or flattened.

use super::pose::Pose;
use glam::{Mat2, Vec2, Vec3};
use pliant::geometry::Mesh;
use pliant::oriented::OrientedDesc;

/// Below this share of its volume a place counts as flattened, and a place of a beam that keeps twice as much counts as sound.
const FLAT: f32 = 0.25;
/// Triangles smaller than this share of the mean are not looked at: their shape is round-off.
const SPECK: f32 = 1e-3;

/// What was measured of a carried mesh.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measured {
    /// Largest growth of a triangle in any direction, and that of a beam.
    pub(super) growth: f32,
    pub(super) beam: f32,
    /// Share of the skin that is folded over, and that is flattened, where a beam's is not.
    pub(super) folded: f32,
    pub(super) flattened: f32,
    /// Mean of the volume beside the skin between the ends, over that at rest.
    pub(super) volume: f32,
}

/// A place below each triangle of a mesh, which is carried like its vertices: the two make a tetrahedron that tells what becomes of the
/// volume there. A fold of the skin turns it inside out, and a twist that is not carried along flattens it.
pub(super) struct Probes {
    rest: Vec<Vec3>,
    /// Vertices of the mesh; the probes come after them.
    first: usize,
}

impl Probes {
    /// Hangs a place below each triangle of a body's mesh on its particles.
    pub(super) fn new(desc: &mut OrientedDesc) -> Self {
        let first = desc.mesh.positions.len();
        let mut rest = Vec::new();
        for triangle in &desc.mesh.triangles {
            let [a, b, c] = triangle.map(|v| desc.mesh.positions[v as usize]);
            let normal = (b - a).cross(c - a);
            let depth = 0.5 * normal.length().sqrt();
            rest.push((a + b + c) / 3.0 - depth * normal.normalize_or_zero());
            desc.home.push(desc.home[triangle[0] as usize]);
        }
        desc.mesh.positions.extend(&rest);
        for attributes in [&mut desc.mesh.colors] {
            if !attributes.is_empty() {
                attributes.resize(first + rest.len(), [255; 4]);
            }
        }
        Self { rest, first }
    }
}

/// Measures a mesh that was carried to `now`, its probes behind its vertices.
pub(super) fn measure(mesh: &Mesh, now: &[Vec3], probes: &Probes, pose: &Pose) -> Measured {
    let mut measured = Measured {
        beam: pose.growth(),
        ..Measured::default()
    };
    let least = SPECK * mesh.area() as f32 / mesh.triangles.len() as f32;
    let (mut skin, mut between, mut kept) = (0.0, 0.0, 0.0);
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let before = triangle.map(|v| mesh.positions[v as usize]);
        let after = triangle.map(|v| now[v as usize]);
        let area = 0.5
            * (before[1] - before[0])
                .cross(before[2] - before[0])
                .length();
        if area < least {
            continue;
        }
        // Written so that what is no number shows.
        let growth = growth(before, after);
        if growth.is_nan() || growth > measured.growth {
            measured.growth = growth;
        }
        let volume = volume(after, now[probes.first + t]) / volume(before, probes.rest[t]);
        // What is no number counts as folded.
        let volume = if volume.is_nan() { f32::MIN } else { volume };
        skin += area;
        let sound = pose.volume(probes.rest[t]) >= 2.0 * FLAT;
        measured.folded += if sound && volume <= 0.0 { area } else { 0.0 };
        measured.flattened += if sound && volume <= FLAT { area } else { 0.0 };
        if pose.is_between(probes.rest[t]) {
            between += area;
            kept += area * volume;
        }
    }
    measured.folded /= skin;
    measured.flattened /= skin;
    measured.volume = kept / between;
    measured
}

/// Six times the volume of a triangle with a place below it.
fn volume([a, b, c]: [Vec3; 3], below: Vec3) -> f32 {
    (b - a).cross(c - a).dot(a - below)
}

/// Largest growth of a triangle in any direction of its plane.
fn growth(before: [Vec3; 3], after: [Vec3; 3]) -> f32 {
    let flat = |[a, b, c]: [Vec3; 3]| {
        let (u, v) = (b - a, c - a);
        let x = u.normalize_or_zero();
        let y = v.reject_from(u);
        Mat2::from_cols(Vec2::new(u.length(), 0.0), Vec2::new(v.dot(x), y.length()))
    };
    let f = flat(after) * flat(before).inverse();
    // Largest singular value of a 2 × 2 matrix.
    let sum = f.x_axis.length_squared() + f.y_axis.length_squared();
    let root = (sum * sum - 4.0 * f.determinant().powi(2)).max(0.0).sqrt();
    (0.5 * (sum + root)).sqrt()
}
