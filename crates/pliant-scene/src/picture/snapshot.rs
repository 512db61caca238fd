//! What is seen of a world at one moment.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use pliant::World;
use pliant::dynamics::Pose;
use pliant::geometry::Mesh;
use pliant::surface::export::inner_part;

/// Most points of a surface that a picture is framed by.
const OUTLINE_POINTS: usize = 2000;

/// What is seen of a world at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(super) surfaces: Vec<Seen>,
    /// Centre and radius of each projectile.
    pub(super) balls: Vec<(Vec3, f32)>,
    /// Simulated time (s).
    pub(super) time: f64,
    /// Where the colliders are.
    pub(super) poses: Vec<Pose>,
}

/// A surface: what moves in every frame, and what rarely changes.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) positions: Vec<Vec3>,
    pub(super) fabric: Arc<Fabric>,
}

/// The part of a surface that most frames share.
#[derive(Debug, PartialEq)]
pub(super) struct Fabric {
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) corner_uvs: Vec<[Vec2; 3]>,
    pub(super) colors: Vec<[u8; 4]>,
    /// Triangles that were inside of the body, one entry a triangle; empty if there are none.
    pub(super) inner: Vec<bool>,
    pub(super) rest: Vec<Vec3>,
}

impl Snapshot {
    /// What is seen of a world now. `before` is an earlier snapshot, with which memory is shared where possible.
    pub fn of(world: &World, before: Option<&Self>) -> Self {
        let surfaces = world.surfaces().iter().enumerate().map(|(index, surface)| {
            let (mesh, rest) = (surface.mesh(), surface.rest());
            let inner = inner_of(&mesh);
            let old = before.and_then(|b| b.surfaces.get(index));
            let same = old.filter(|old| {
                let f = &old.fabric;
                f.triangles == mesh.triangles
                    && f.rest == *rest
                    && f.inner == inner
                    && f.corner_uvs == mesh.corner_uvs
                    && f.colors == mesh.colors
            });
            let fabric = same.map_or_else(
                || {
                    Arc::new(Fabric {
                        triangles: mesh.triangles.clone(),
                        corner_uvs: mesh.corner_uvs.clone(),
                        colors: mesh.colors.clone(),
                        inner,
                        rest: rest.into_owned(),
                    })
                },
                |old| Arc::clone(&old.fabric),
            );
            Seen {
                positions: mesh.into_owned().positions,
                fabric,
            }
        });
        let rigids = world.rigids();
        Self {
            surfaces: surfaces.collect(),
            balls: rigids
                .x
                .iter()
                .copied()
                .zip(rigids.radius.iter().copied())
                .collect(),
            time: world.time(),
            poses: world
                .colliders()
                .iter()
                .map(|c| c.motion.pose(world.time()))
                .collect(),
        }
    }

    /// Points that outline the surfaces: enough of their vertices to frame a picture by.
    pub(super) fn outline(&self) -> impl Iterator<Item = Vec3> {
        self.surfaces.iter().flat_map(|seen| {
            let corners = &seen.fabric.triangles;
            let stride = corners.len() / OUTLINE_POINTS + 1;
            let picked = corners.iter().step_by(stride);
            let points = picked.map(|&[v, ..]| seen.positions[v as usize]);
            points.filter(|p| p.is_finite())
        })
    }

    /// Bytes that it takes, without what it shares.
    pub(super) fn size(&self) -> usize {
        let of = |seen: &Seen| {
            let own = Arc::strong_count(&seen.fabric) == 1;
            size_of_val(&*seen.positions) + if own { seen.fabric.size() } else { 0 }
        };
        self.surfaces.iter().map(of).sum()
    }
}

impl Fabric {
    fn size(&self) -> usize {
        size_of_val(&*self.triangles)
            + size_of_val(&*self.corner_uvs)
            + size_of_val(&*self.colors)
            + size_of_val(&*self.inner)
            + size_of_val(&*self.rest)
    }
}

/// Which triangles were inside of the body; empty if none was.
fn inner_of(mesh: &Mesh) -> Vec<bool> {
    match inner_part(mesh) {
        Some(inner) => mesh.parts.iter().map(|&part| part == inner).collect(),
        None => Vec::new(),
    }
}
