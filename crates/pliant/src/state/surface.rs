//! What people see of a body: a mesh that follows the particles.

use crate::geometry::Mesh;
use crate::surface::export;
use crate::surface::tracked::Tracked;
use crate::visual::Welded;
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
    /// Who carries the vertex.
    pub fn carriers(&self) -> Carriers {
        Carriers {
            point: self.point,
            weight: self.weight,
        }
    }

    /// The weighted mean of a quantity that every point has.
    #[inline]
    pub(crate) fn mean(&self, of_points: &[f32]) -> f32 {
        self.carriers().mean(of_points)
    }
}

/// Which particles carry a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Carriers {
    /// Indices of the particles.
    pub point: [u32; SKIN_INFLUENCES],
    /// Weights; ≥ 0, sum 1.
    pub weight: [f32; SKIN_INFLUENCES],
}

impl Carriers {
    /// The weighted mean of a quantity that every point has.
    fn mean(&self, of_points: &[f32]) -> f32 {
        let part = |a: usize| self.weight[a] * of_points[self.point[a] as usize];
        (0..SKIN_INFLUENCES).map(part).sum()
    }
}

/// How the motions of the particles of a vertex become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// The mean of the places to which they take it. Loses volume where particles are twisted against each other by much.
    #[default]
    Linear,
    /// The mean of the rigid motions, as dual quaternions: keeps its volume in a twist, but bulges in a bend.
    Dual,
}

/// How the vertices of a skin follow their particles.
#[derive(Clone, Debug, PartialEq)]
pub enum Hanging {
    /// Each has offsets in the frames of its particles (m): y = Σ wₐ (Qₐ zₐ + xₐ). These change where the skin stays on a collider.
    Offsets(Vec<[Vec3; SKIN_INFLUENCES]>),
    /// Each goes with the motions of its particles since rest: those of oriented particles are known.
    Motions(Blend),
}

impl Default for Hanging {
    fn default() -> Self {
        Self::Offsets(Vec::new())
    }
}

/// A surface of fixed topology, skinned to points.
///
/// `mesh.positions` are the current vertices; `carriers` has one entry a vertex (vertices that no triangle uses included).
#[derive(Clone, Debug, Default)]
pub struct Skinned {
    /// Current vertices, triangles and attributes.
    pub mesh: Mesh,
    /// Vertices at rest (m): a texture coordinate that every body has.
    pub rest: Vec<Vec3>,
    /// Who carries each vertex.
    pub carriers: Vec<Carriers>,
    /// The fifth to eighth particle of each vertex; weights add up to 1 with those of `carriers`. Empty if four carry each.
    pub more: Vec<Carriers>,
    /// How.
    pub hanging: Hanging,
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
    /// The mesh of a body of convex primitives: it changes only where these are cut or part.
    Welded(Box<Welded>),
}

impl Surface {
    /// The surface as it is now, with all its attributes. That of a tracked surface is made on the spot: vertices and
    /// triangles without gaps, what was inside as a part of its own.
    pub fn mesh(&self) -> Cow<'_, Mesh> {
        match self {
            Self::None => Cow::Owned(Mesh::default()),
            Self::Skinned(skinned) => Cow::Borrowed(&skinned.mesh),
            Self::Tracked(tracked) => Cow::Owned(export::mesh(tracked.mesh())),
            Self::Welded(welded) => Cow::Borrowed(welded.mesh()),
        }
    }

    /// Where the vertices of [`Surface::mesh`] are in the body at rest (m).
    pub fn rest(&self) -> Cow<'_, [Vec3]> {
        match self {
            Self::None => Cow::Owned(Vec::new()),
            Self::Skinned(skinned) => Cow::Borrowed(&skinned.rest),
            Self::Tracked(tracked) => Cow::Owned(export::rest(tracked.mesh())),
            Self::Welded(welded) => Cow::Borrowed(welded.rest()),
        }
    }

    /// A quantity that every point of the world has, at the vertices of [`Surface::mesh`].
    pub fn at_vertices(&self, of_points: &[f32]) -> Vec<f32> {
        self.carriers().map(|c| c.mean(of_points)).collect()
    }

    /// Who carries the vertices of [`Surface::mesh`].
    pub fn carriers(&self) -> Box<dyn Iterator<Item = Carriers> + '_> {
        match self {
            Self::None | Self::Welded(_) => Box::new(std::iter::empty()),
            Self::Skinned(skinned) => Box::new(skinned.carriers.iter().copied()),
            Self::Tracked(tracked) => Box::new(tracked.skins().map(Skin::carriers)),
        }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.positions.len(),
            Self::Tracked(tracked) => tracked.mesh().vertex_count(),
            Self::Welded(welded) => welded.mesh().positions.len(),
        }
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.triangles.len(),
            Self::Tracked(tracked) => tracked.mesh().triangle_count(),
            Self::Welded(welded) => welded.mesh().triangles.len(),
        }
    }

    /// Number of pieces: of a tracked surface the solids, whose cavities do not count; else the parts that share no vertex.
    pub fn piece_count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Skinned(skinned) => skinned.mesh.piece_count(),
            Self::Tracked(tracked) => tracked.components().len(),
            Self::Welded(welded) => welded.mesh().piece_count(),
        }
    }

    /// Signed volume (m³); meaningful for closed surfaces.
    pub fn volume(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Skinned(skinned) => skinned.mesh.volume(),
            Self::Tracked(tracked) => tracked.mesh().volume(),
            Self::Welded(welded) => welded.mesh().volume(),
        }
    }

    /// Area (m²).
    pub fn area(&self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Skinned(skinned) => skinned.mesh.area(),
            Self::Tracked(tracked) => tracked.mesh().area(),
            Self::Welded(welded) => welded.mesh().area(),
        }
    }

    /// The smallest box around the surface (m), or `None` if there is nothing to see.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        match self {
            Self::None => None,
            Self::Skinned(skinned) => skinned.mesh.bounds(),
            Self::Tracked(tracked) => tracked.mesh().bounds(),
            Self::Welded(welded) => welded.mesh().bounds(),
        }
    }

    /// The particles of all vertices that there are.
    pub(crate) fn carrying_points_mut(
        &mut self,
    ) -> Box<dyn Iterator<Item = &mut [u32; SKIN_INFLUENCES]> + '_> {
        match self {
            Self::None | Self::Welded(_) => Box::new(std::iter::empty()),
            Self::Skinned(skinned) => {
                let all = skinned.carriers.iter_mut().chain(&mut skinned.more);
                Box::new(all.map(|c| &mut c.point))
            }
            Self::Tracked(tracked) => Box::new(tracked.skins_mut().map(|s| &mut s.point)),
        }
    }
}
