//! What people see of a body: a mesh that follows the particles.

use crate::geometry::Mesh;
use glam::Vec3;

/// Particles that carry one vertex.
pub const SKIN_INFLUENCES: usize = 4;

/// How a vertex hangs on its particles: y = Σ wₐ (Qₐ zₐ + xₐ).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skin {
    /// Indices of the particles.
    pub point: [u32; SKIN_INFLUENCES],
    /// Weights; ≥ 0, sum 1.
    pub weight: [f32; SKIN_INFLUENCES],
    /// Offsets in the particles' frames (m).
    pub local: [Vec3; SKIN_INFLUENCES],
}

/// A surface of fixed topology, skinned to points.
///
/// `mesh.positions` are the current vertices; `skin` has one entry a vertex (vertices that no triangle uses included).
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Current vertices, triangles and attributes.
    pub mesh: Mesh,
    /// Vertices at rest (m): a texture coordinate that every body has.
    pub rest: Vec<Vec3>,
    /// Skin data per vertex.
    pub skin: Vec<Skin>,
}
