//! What people see of a body: a mesh that follows the particles.

use crate::geometry::Mesh;
use crate::surface::export;
use crate::surface::tracked::Tracked;
use glam::Vec3;
use std::borrow::Cow;

/// Particles that carry one vertex.
pub const SKIN_INFLUENCES: usize = 4;

/// How a vertex hangs on its particles: y = Σ wₐ (Qₐ zₐ + xₐ).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Skin {
    /// Indices of the particles.
    pub point: [u32; SKIN_INFLUENCES],
    /// Weights; ≥ 0, sum 1.
    pub weight: [f32; SKIN_INFLUENCES],
    /// Offsets in the particles' frames (m).
    pub local: [Vec3; SKIN_INFLUENCES],
}

impl Skin {
    /// The weighted mean of a quantity that every point has.
    #[inline]
    pub(crate) fn mean(&self, of_points: &[f32]) -> f32 {
        let part = |a: usize| self.weight[a] * of_points[self.point[a] as usize];
        (0..SKIN_INFLUENCES).map(part).sum()
    }
}

/// How the places that a vertex has with each of its particles become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// Their mean: y = Σ wₐ (Qₐ zₐ + xₐ). Loses volume where particles are twisted against each other by much.
    #[default]
    Linear,
    /// The mean of the rigid motions, as dual quaternions: keeps its volume in a twist, but bulges in a bend.
    Dual,
}

/// A surface of fixed topology, skinned to points.
///
/// `mesh.positions` are the current vertices; `skin` has one entry a vertex (vertices that no triangle uses included).
#[derive(Clone, Debug, Default)]
pub struct Skinned {
    /// Current vertices, triangles and attributes.
    pub mesh: Mesh,
    /// Vertices at rest (m): a texture coordinate that every body has.
    pub rest: Vec<Vec3>,
    /// Skin data per vertex.
    pub skin: Vec<Skin>,
    /// The fifth to eighth particle of each vertex; weights add up to 1 with those of `skin`. Empty if four carry each.
    pub more: Vec<Skin>,
    /// How they are carried.
    pub blend: Blend,
}

/// The surface of a body.
///
/// Whoever wants to show it or write it asks for [`Surface::mesh`]; numbers about it are to be had without making one.
#[derive(Clone, Debug, Default)]
pub enum Surface {
    /// Nothing is seen of the body.
    #[default]
    None,
    /// A mesh of fixed topology, open or closed.
    Skinned(Box<Skinned>),
    /// A closed mesh that is kept in shape, merges and splits.
    Tracked(Box<Tracked>),
}

impl Surface {
    /// The surface as it is now, with all its attributes. That of a tracked surface is made on the spot: vertices and
    /// triangles without gaps, what was inside as a part of its own.
    pub fn mesh(&self) -> Cow<'_, Mesh> {
        match self {
            Self::None => Cow::Owned(Mesh::default()),
            Self::Skinned(skinned) => Cow::Borrowed(&skinned.mesh),
            Self::Tracked(tracked) => Cow::Owned(export::mesh(tracked.mesh())),
        }
    }

    /// Where the vertices of [`Surface::mesh`] are in the body at rest (m).
    pub fn rest(&self) -> Cow<'_, [Vec3]> {
        match self {
            Self::None => Cow::Owned(Vec::new()),
            Self::Skinned(skinned) => Cow::Borrowed(&skinned.rest),
            Self::Tracked(tracked) => Cow::Owned(export::rest(tracked.mesh())),
        }
    }

    /// A quantity that every point of the world has, at the vertices of [`Surface::mesh`].
    pub fn at_vertices(&self, of_points: &[f32]) -> Vec<f32> {
        self.skins().map(|skin| skin.mean(of_points)).collect()
    }

    /// How the vertices of [`Surface::mesh`] hang on their particles.
    pub fn skins(&self) -> Box<dyn Iterator<Item = &Skin> + '_> {
        match self {
            Self::None => Box::new(std::iter::empty()),
            Self::Skinned(skinned) => Box::new(skinned.skin.iter()),
            Self::Tracked(tracked) => Box::new(tracked.skins()),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.positions.len(),
            Self::Tracked(tracked) => tracked.mesh().vertex_count(),
        }
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.triangles.len(),
            Self::Tracked(tracked) => tracked.mesh().triangle_count(),
        }
    }

    /// Number of pieces: of a tracked surface the solids, whose cavities do not count; else the parts that share no vertex.
    pub fn piece_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.piece_count(),
            Self::Tracked(tracked) => tracked.components().len(),
        }
    }

    /// Signed volume (m³); meaningful for closed surfaces.
    pub fn volume(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Skinned(skinned) => skinned.mesh.volume(),
            Self::Tracked(tracked) => tracked.mesh().volume(),
        }
    }

    /// Area (m²).
    pub fn area(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Skinned(skinned) => skinned.mesh.area(),
            Self::Tracked(tracked) => tracked.mesh().area(),
        }
    }

    /// The smallest box around the surface (m), or `None` if there is nothing to see.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Self::None => None,
            Self::Skinned(skinned) => skinned.mesh.bounds(),
            Self::Tracked(tracked) => tracked.mesh().bounds(),
        }
    }

    /// Skin data of all vertices that there are.
    pub(crate) fn skins_mut(&mut self) -> Box<dyn Iterator<Item = &mut Skin> + '_> {
        match self {
            Self::None => Box::new(std::iter::empty()),
            Self::Skinned(skinned) => Box::new(skinned.skin.iter_mut().chain(&mut skinned.more)),
            Self::Tracked(tracked) => Box::new(tracked.skins_mut()),
        }
    }
}
