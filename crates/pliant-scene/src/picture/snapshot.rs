//! What is seen of a world at one moment.

use std::sync::Arc;

use glam::{Vec2, Vec3};
use pliant::World;
use pliant::dynamics::{ActionId, Pose};
use pliant::geometry::Mesh;
use pliant::state::{BodyId, Surface};
use pliant::surface::export::inner_part;

use super::clusters::{Coloring, Mote, motes, vertex_colors};
use super::looks::Obstacle;

/// Most points of a surface that a picture is framed by.
const OUTLINE_POINTS: usize = 2000;

/// What is seen of a world at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(super) surfaces: Vec<Seen>,
    /// Centre and radius of each projectile.
    pub(super) balls: Vec<(Vec3, f32)>,
    /// Particles of bodies that are shown without a surface.
    pub(super) motes: Vec<Mote>,
    /// Simulated time (s).
    pub(super) time: f64,
    /// Where the colliders are.
    pub(super) poses: Vec<Pose>,
    /// Obstacles that are there for a while, and where.
    pub(super) tools: Vec<(ActionId, Obstacle, Pose)>,
}

/// A surface: what moves in every frame, and what rarely changes.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The body that it looks like.
    pub(super) origin: BodyId,
    pub(super) positions: Vec<Vec3>,
    /// Colours of the vertices in place of those that it has, or empty.
    pub(super) colors: Vec<[u8; 4]>,
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
    /// Whether it bounds a solid.
    pub(super) closed: bool,
}

impl Snapshot {
    /// What is seen of a world now. `before` is an earlier snapshot, with which memory is shared where possible.
    pub fn of(world: &World, before: Option<&Self>) -> Self {
        let all = world.bodies().iter().zip(world.surfaces()).enumerate();
        let surfaces = all.map(|(index, (body, surface))| {
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
                        closed: matches!(surface, Surface::Tracked(_)),
                    })
                },
                |old| Arc::clone(&old.fabric),
            );
            Seen {
                origin: body.origin,
                positions: mesh.into_owned().positions,
                colors: Vec::new(),
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
            motes: Vec::new(),
            time: world.time(),
            poses: world
                .colliders()
                .iter()
                .map(|c| c.motion.pose(world.time()))
                .collect(),
            tools: tools(world, before),
        }
    }

    /// The same in other colours; `world` is the one that it was taken of.
    #[must_use]
    pub fn colored(mut self, world: &World, coloring: Coloring) -> Self {
        if coloring == Coloring::Clusters {
            let all = world.bodies().iter().zip(world.surfaces());
            for (seen, (body, surface)) in self.surfaces.iter_mut().zip(all) {
                if seen.positions.is_empty() {
                    self.motes.extend(motes(world, body));
                } else {
                    seen.colors = vertex_colors(world, body, surface, &seen.positions);
                }
            }
        }
        self
    }

    /// Where a ray first meets a surface, for hands that reach into the picture.
    pub fn hit(&self, from: Vec3, direction: Vec3) -> Option<Hit> {
        let mut nearest: Option<Hit> = None;
        for (body, seen) in self.surfaces.iter().enumerate() {
            for &t in &seen.fabric.triangles {
                let corners = t.map(|v| seen.positions[v as usize]);
                if let Some(distance) = crossing(from, direction, corners)
                    && nearest.is_none_or(|hit| distance < hit.distance)
                {
                    let [a, b, c] = corners;
                    nearest = Some(Hit {
                        body,
                        distance,
                        point: from + direction * distance,
                        normal: (b - a).cross(c - a).normalize_or(-direction),
                    });
                }
            }
        }
        nearest
    }

    /// The smallest box around the surfaces (m).
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let boxes = self.outline().map(|p| (p, p));
        boxes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Points that outline what is seen of the bodies: enough of their vertices and particles to frame a picture by.
    pub(super) fn outline(&self) -> impl Iterator<Item = Vec3> {
        let of_surfaces = self.surfaces.iter().flat_map(|seen| {
            let corners = &seen.fabric.triangles;
            let stride = corners.len() / OUTLINE_POINTS + 1;
            let picked = corners.iter().step_by(stride);
            picked.map(|&[v, ..]| seen.positions[v as usize])
        });
        let stride = self.motes.len() / OUTLINE_POINTS + 1;
        let of_motes = self.motes.iter().step_by(stride).map(|mote| mote.center);
        of_surfaces.chain(of_motes).filter(|p| p.is_finite())
    }

    /// Bytes that it takes, without what it shares.
    pub(super) fn size(&self) -> usize {
        let of = |seen: &Seen| {
            let own = Arc::strong_count(&seen.fabric) == 1;
            size_of_val(&*seen.positions)
                + size_of_val(&*seen.colors)
                + if own { seen.fabric.size() } else { 0 }
        };
        size_of_val(&*self.motes) + self.surfaces.iter().map(of).sum::<usize>()
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

/// The tools of a world; the form of one that was there `before` is not made again.
fn tools(world: &World, before: Option<&Snapshot>) -> Vec<(ActionId, Obstacle, Pose)> {
    let now = world.tools().iter().map(|tool| {
        let mut known = before.iter().flat_map(|before| &before.tools);
        let same = known.find(|(action, ..)| *action == tool.action);
        let form = same.map_or_else(|| Obstacle::of(&tool.collider), |(_, form, _)| form.clone());
        let pose = tool.collider.motion.pose(world.time());
        (tool.action, form, pose)
    });
    now.collect()
}

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body.
    pub body: usize,
    /// How far along the ray, in lengths of its direction.
    pub distance: f32,
    /// Where (m).
    pub point: Vec3,
    /// Outward unit normal there.
    pub normal: Vec3,
}

/// How far along a ray a triangle is, in lengths of its direction, if the ray meets it from either side.
fn crossing(from: Vec3, direction: Vec3, [a, b, c]: [Vec3; 3]) -> Option<f32> {
    let (u, v) = (b - a, c - a);
    let p = direction.cross(v);
    let determinant = u.dot(p);
    if determinant.abs() < f32::MIN_POSITIVE {
        return None;
    }
    let s = from - a;
    let q = s.cross(u);
    let (x, y) = (s.dot(p) / determinant, direction.dot(q) / determinant);
    let distance = v.dot(q) / determinant;
    let inside = x >= 0.0 && y >= 0.0 && x + y <= 1.0 && distance > 0.0;
    inside.then_some(distance)
}

/// Which triangles were inside of the body; empty if none was.
fn inner_of(mesh: &Mesh) -> Vec<bool> {
    match inner_part(mesh) {
        Some(inner) => mesh.parts.iter().map(|&part| part == inner).collect(),
        None => Vec::new(),
    }
}
