//! A bar and a rope of few particles, and what the engine makes of them when their ends are moved.

use super::measure::{Measured, measure};
use super::positions::{Cell, carry};
use crate::reproduce::LabError;
use glam::{Quat, Vec2, Vec3, Vec3Swizzles};
use pliant::geometry::Mesh;
use pliant::oriented::{OrientedDesc, Particle};
use pliant::state::Blend;
use pliant::{Settings, World};
use std::f32::consts::{FRAC_PI_2, TAU};

/// Distance of particles along a body (m).
const SPACING: f32 = 0.1;
/// Distance of the four particles of a layer of the bar (m).
const ACROSS: f32 = 0.12;
/// Frames in which the ends are moved, and in which they are held thereafter.
const FRAMES: [usize; 2] = [60, 240];
/// Share of the way to their goals that particles go in an iteration: groups come one after the other, and when each goes all the way, the last
/// have more of a say than the first.
const STIFFNESS: f32 = 0.1;
/// Vertices around a body.
const AROUND: u32 = 96;
/// Distance of vertices along a body (m).
const FINE: f32 = 0.006;
/// Radius of the edges of the caps, over the half width.
const ROUND: f32 = 0.25;

/// Where the particles of a body are, and how they have turned since rest.
pub(super) struct Pose {
    pub(super) x: Vec<Vec3>,
    pub(super) turn: Vec<Quat>,
}

/// A body along x: layers of particles in a mesh.
pub(super) struct Model {
    particles: Vec<Particle>,
    edges: Vec<[u32; 2]>,
    cells: Vec<Cell>,
    mesh: Mesh,
    /// Vertices that are in line along the sides of the mesh.
    lines: Vec<Vec<usize>>,
    /// Particles in a layer.
    layer: usize,
    /// From the first layer to the last (m).
    length: f32,
    /// Half of the width of the mesh (m).
    half: f32,
}

impl Model {
    /// Five layers of four particles in a bar with rounded edges.
    pub(super) fn bar() -> Self {
        let corners = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]];
        let corners = corners.map(|[y, z]| Vec2::new(y, z) * ACROSS);
        // Six tetrahedra around a diagonal fill a cell; seen from the next one their sides are cut alike.
        let paths = [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]];
        let cell = |at: usize| paths.map(|[a, b]| Cell::Tetrahedron([at, at + a, at + b, at + 7]));
        let cells = (0..4).flat_map(|layer| cell(4 * layer)).collect();
        Self::new(&corners, 5, 0.5 * ACROSS, 6.0, cells)
    }

    /// Six particles in a row in a round rope.
    pub(super) fn rope() -> Self {
        let cells = (0..5).map(|i| Cell::Piece([i, i + 1])).collect();
        Self::new(&[Vec2::ZERO], 6, 0.06, 2.0, cells)
    }

    /// Layers of particles at the places of `section`, in a mesh whose section is a superellipse of the given power.
    fn new(section: &[Vec2], layers: usize, half: f32, power: f32, cells: Vec<Cell>) -> Self {
        let (layer, length) = (section.len(), SPACING * (layers - 1) as f32);
        let at = |i: usize| {
            let Vec2 { x: y, y: z } = section[i % layer];
            Vec3::new(SPACING * (i / layer) as f32 - 0.5 * length, y, z)
        };
        let (mesh, lines) = tube(length, half, power);
        let radius = if layer > 1 { 0.4 * SPACING } else { half };
        let count = layers * layer;
        let particles = (0..count).map(|i| Particle::ball(at(i), radius, 0.1));
        let pairs = (0..count).flat_map(|i| (0..i).map(move |j| [j, i]));
        let near = |&[a, b]: &[usize; 2]| b / layer - a / layer <= 1;
        Self {
            particles: particles.collect(),
            edges: pairs
                .filter(near)
                .map(|pair| pair.map(|i| i as u32))
                .collect(),
            cells,
            mesh,
            lines,
            length,
            layer,
            half,
        }
    }

    /// Its mesh at rest.
    pub(super) fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Semi-axes of its particles (m).
    pub(super) fn radii(&self) -> Vec3 {
        self.particles[0].radii
    }

    /// A good side of the checker on it (m).
    pub(super) fn checker(&self) -> f32 {
        0.4 * self.half
    }

    /// Moves the first and the last layer until they are bent and twisted against each other by so much (degrees), and holds them there.
    pub(super) fn run(
        &self,
        bend: f32,
        twist: f32,
        blend: Blend,
    ) -> Result<(Pose, Mesh), LabError> {
        let mut world = World::new(Settings {
            gravity: Vec3::ZERO,
            iterations: 10,
            ..Settings::default()
        });
        let mut desc = OrientedDesc::new("body", self.particles.clone(), self.edges.clone());
        desc.mesh = self.mesh.clone();
        desc.blend = blend;
        desc.material.stiffness = STIFFNESS;
        world.add_oriented(desc)?;
        for frame in 1..=FRAMES.iter().sum() {
            let share = (frame as f32 / FRAMES[0] as f32).min(1.0);
            self.place_ends(
                &mut world,
                share * bend.to_radians(),
                share * twist.to_radians(),
            );
            world.step(1.0 / 60.0);
        }
        let pose = Pose {
            x: world.points().x.clone(),
            turn: world.points().rotation.clone(),
        };
        Ok((pose, world.surfaces()[0].mesh().into_owned()))
    }

    /// Puts the two layers at the ends on an arc that is bent and twisted by so much (rad), and holds them.
    fn place_ends(&self, world: &mut World, bend: f32, twist: f32) {
        let count = self.particles.len();
        for i in (0..self.layer).chain(count - self.layer..count) {
            let rest = self.particles[i].x;
            let share = rest.x / self.length;
            let angle = -share * bend;
            let turn = Quat::from_rotation_z(angle) * Quat::from_rotation_x(share * twist);
            let middle = if bend == 0.0 {
                Vec3::X * rest.x
            } else {
                Vec3::new(-angle.sin(), angle.cos() - 1.0, 0.0) * (self.length / bend)
            };
            let x = middle + turn * rest.with_x(0.0);
            let points = world.points_mut();
            points.inv_mass[i] = 0.0;
            points.x[i] = x;
            points.pred[i].set_position(x);
            points.rotation[i] = turn;
            world.oriented_mut().held[i] = true;
        }
    }

    /// The mesh as it is carried by the places of particles alone.
    pub(super) fn by_positions(&self, pose: &Pose) -> Mesh {
        let rest: Vec<Vec3> = self.particles.iter().map(|p| p.x).collect();
        Mesh {
            positions: carry(&self.cells, &rest, &pose.x, &self.mesh.positions),
            ..self.mesh.clone()
        }
    }

    /// Measures a carried mesh; a triangle is folded over if it faces away from where the nearest particle has turned it.
    pub(super) fn measure(&self, pose: &Pose, mesh: &Mesh) -> Measured {
        let nearest = |t: usize| {
            let [a, b, c] = self.mesh.triangles[t].map(|v| self.mesh.positions[v as usize]);
            let middle = (a + b + c) / 3.0;
            let far = |i: &usize| self.particles[*i].x.distance_squared(middle);
            (0..self.particles.len()).min_by(|a, b| far(a).total_cmp(&far(b)))
        };
        measure(&self.mesh, mesh, &self.lines, |t, normal| {
            nearest(t).map_or(normal, |i| pose.turn[i] * normal)
        })
    }

    /// How far the last ring of the sides of a carried mesh has turned about x against the first (degrees).
    pub(super) fn twist(&self, mesh: &Mesh) -> f32 {
        let turned = |v: usize| {
            let [before, now] = [&self.mesh, mesh].map(|mesh| mesh.positions[v].yz());
            before.angle_to(now).to_degrees()
        };
        let ends = |line: &Vec<usize>| match line[..] {
            // Rings go from the far end to the near one.
            [first, .., last] => turned(first) - turned(last),
            _ => 0.0,
        };
        self.lines.iter().map(ends).sum::<f32>() / self.lines.len() as f32
    }
}

/// A closed tube along x whose section is a superellipse |y|ᵖ + |z|ᵖ = 1, in half widths; it goes half a spacing beyond `length`, with rounded
/// caps. Tells also which vertices are in line along its sides.
fn tube(length: f32, half: f32, power: f32) -> (Mesh, Vec<Vec<usize>>) {
    let end = 0.5 * length;
    let round = ROUND * half;
    // Place along x and share of the width of every ring, from the middle of one cap to that of the other.
    let mut rings: Vec<[f32; 2]> = Vec::new();
    let flat = ((half - round) / FINE) as usize;
    rings.extend((0..flat).map(|k| [end, (1.0 - ROUND) * k as f32 / flat as f32]));
    let steps = (FRAC_PI_2 * round / FINE) as usize + 1;
    rings.extend((0..steps).map(|k| {
        let (sin, cos) = (FRAC_PI_2 * k as f32 / steps as f32).sin_cos();
        [end - round * (1.0 - cos), 1.0 - ROUND * (1.0 - sin)]
    }));
    let side = (2.0 * (end - round) / FINE) as usize;
    let caps = rings.clone();
    rings.extend((0..=side).map(|k| [(end - round) * (1.0 - 2.0 * k as f32 / side as f32), 1.0]));
    rings.extend(caps.iter().rev().map(|[x, share]| [-x, *share]));
    let at = |[x, share]: [f32; 2], k: u32| {
        let (z, y) = (TAU * k as f32 / AROUND as f32).sin_cos();
        let norm = (y.abs().powf(power) + z.abs().powf(power)).powf(power.recip());
        Vec3::new(x, y * share * half / norm, z * share * half / norm)
    };
    let (mut mesh, around) = (Mesh::default(), AROUND as usize);
    let corner = |ring: usize, k: u32| ring as u32 * AROUND + k % AROUND;
    for (ring, &r) in rings.iter().enumerate() {
        mesh.positions.extend((0..AROUND).map(|k| at(r, k)));
        if ring == 0 {
            continue;
        }
        for k in 0..AROUND {
            let [a, b] = [corner(ring - 1, k), corner(ring - 1, k + 1)];
            let [c, d] = [corner(ring, k), corner(ring, k + 1)];
            // The middle of a cap is a ring of no size.
            if ring > 1 {
                mesh.triangles.push([a, c, b]);
            }
            if ring + 1 < rings.len() {
                mesh.triangles.push([b, c, d]);
            }
        }
    }
    let line = |k: usize| (caps.len()..=caps.len() + side).map(move |ring| ring * around + k);
    let lines = (0..around).map(|k| line(k).collect()).collect();
    (mesh, lines)
}
