//! What models are made with: particles, groups, and meshes of simple parts.

use std::collections::BTreeMap;

use glam::{IVec3, Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::Mesh;
use pliant::oriented::{GroupDesc, Particle};

/// A model in the making.
pub(super) struct Workshop {
    desc: OrientedDesc,
    /// How fine what is seen is, from 0 to 1.
    detail: f32,
}

/// How a group is made.
#[derive(Clone, Copy, Default)]
pub(super) struct Bond<'a> {
    /// Members whose own rotation does not count.
    pub(super) joints: &'a [u32],
    /// The member that takes the rotation.
    pub(super) lead: Option<u32>,
    /// From 0 to 1.
    pub(super) stiffness: f32,
}

impl Workshop {
    pub(super) fn new(detail: f32) -> Self {
        Self {
            desc: OrientedDesc::new("", Vec::new(), Vec::new()),
            detail,
        }
    }

    /// How many of `most` parts something round has, `least` at least.
    pub(super) fn parts(&self, most: u32, least: u32) -> u32 {
        ((most as f32 * self.detail).round() as u32).clamp(least, most)
    }

    /// How long edges are that are `shortest` at the finest (m).
    pub(super) fn edge(&self, shortest: f32) -> f32 {
        shortest / self.detail
    }

    pub(super) fn particle(&mut self, particle: Particle) -> u32 {
        self.desc.particles.push(particle);
        self.desc.particles.len() as u32 - 1
    }

    pub(super) fn connect(&mut self, a: u32, b: u32) {
        self.desc.edges.push([a, b]);
    }

    /// Particles that keep their shape and never flow.
    pub(super) fn group(&mut self, particles: &[u32], bond: Bond<'_>) {
        self.desc.groups.push(GroupDesc {
            particles: particles.to_vec(),
            stiffness: bond.stiffness,
            joints: bond.joints.to_vec(),
            lead: bond.lead,
            flows: false,
        });
    }

    /// Particles that move as one; `joints` are those that they share with others.
    pub(super) fn rigid(&mut self, particles: &[u32], joints: &[u32]) {
        let bond = Bond {
            joints,
            lead: particles.first().copied(),
            stiffness: 1.0,
        };
        self.group(&[particles, joints].concat(), bond);
    }

    /// Shows a mesh in one colour; `home` tells which particle a place belongs to.
    pub(super) fn show(&mut self, mesh: &Mesh, color: [u8; 4], home: impl Fn(Vec3) -> u32) {
        self.show_colored(mesh, |_| color, home);
    }

    /// Shows a mesh in colours that depend on the place.
    pub(super) fn show_colored(
        &mut self,
        mesh: &Mesh,
        color: impl Fn(Vec3) -> [u8; 4],
        home: impl Fn(Vec3) -> u32,
    ) {
        let places = mesh.positions.iter();
        self.desc.home.extend(places.clone().map(|&p| home(p)));
        let colored = Mesh {
            colors: places.map(|&p| color(p)).collect(),
            ..mesh.clone()
        };
        self.desc.mesh.append(&colored);
    }

    /// The nearest of some particles to a place.
    pub(super) fn nearest_of(&self, particles: Vec<u32>) -> impl Fn(Vec3) -> u32 + use<> {
        let near: Vec<(u32, Vec3)> = particles
            .into_iter()
            .map(|i| (i, self.desc.particles[i as usize].x))
            .collect();
        move |p| {
            let far = |n: &&(u32, Vec3)| n.1.distance_squared(p);
            let nearest = near.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
            nearest.map_or(0, |n| n.0)
        }
    }

    /// Adds the particles and edges of another body; returns the first of them.
    pub(super) fn take(&mut self, particles: Vec<Particle>, edges: &[[u32; 2]]) -> u32 {
        let first = self.desc.particles.len() as u32;
        self.desc.particles.extend(particles);
        let edges = edges.iter().map(|edge| edge.map(|i| i + first));
        self.desc.edges.extend(edges);
        first
    }

    pub(super) fn place_of(&self, i: u32) -> Vec3 {
        self.desc.particles[i as usize].x
    }

    pub(super) fn finish(self) -> OrientedDesc {
        self.desc
    }
}

/// A particle without a rotation, for a joint inside of a part.
pub(super) fn joint(x: Vec3, radius: f32, mass: f32) -> Particle {
    Particle {
        turns: false,
        collides: false,
        ..Particle::ball(x, radius, mass)
    }
}

/// An ellipsoid with axes.
pub(super) fn egg(x: Vec3, axes: Quat, radii: Vec3, mass: f32) -> Particle {
    Particle {
        axes,
        radii,
        ..Particle::ball(x, 1.0, mass)
    }
}

/// The rotation that takes x to a direction.
pub(super) fn along(direction: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::X, direction.normalize_or(Vec3::X))
}

/// Turns and moves a mesh.
pub(super) fn moved(mut mesh: Mesh, turn: Quat, by: Vec3) -> Mesh {
    for p in &mut mesh.positions {
        *p = turn * *p + by;
    }
    mesh
}

/// A smooth way through some places, with `per` steps from one to the next.
pub(super) fn smooth(path: &[(Vec3, f32)], per: usize) -> Vec<(Vec3, f32)> {
    let last = path.len() - 1;
    let mut fine = Vec::with_capacity(last * per + 1);
    for i in 0..last {
        let before = path[i.saturating_sub(1)].0;
        let ((a, ra), (b, rb)) = (path[i], path[i + 1]);
        let after = path[(i + 2).min(last)].0;
        let (ta, tb) = (0.5 * (b - before), 0.5 * (after - a));
        for s in 0..per {
            let t = s as f32 / per as f32;
            let (t2, t3) = (t * t, t * t * t);
            let p = a * (2.0 * t3 - 3.0 * t2 + 1.0)
                + ta * (t3 - 2.0 * t2 + t)
                + b * (3.0 * t2 - 2.0 * t3)
                + tb * (t3 - t2);
            fine.push((p, ra + (rb - ra) * t));
        }
    }
    fine.push(path[last]);
    fine
}

/// A tube around a way of places and radii, with `around` sides and pointed ends.
pub(super) fn tube(path: &[(Vec3, f32)], around: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let last = path.len() - 1;
    let heading = |i: usize| {
        let (a, b) = (path[i.saturating_sub(1)].0, path[(i + 1).min(last)].0);
        (b - a).normalize_or(Vec3::Y)
    };
    // Carried along without twist.
    let mut side = heading(0).any_orthonormal_vector();
    for (i, &(x, radius)) in path.iter().enumerate() {
        let ahead = heading(i);
        side = (side - ahead * ahead.dot(side)).normalize_or(ahead.any_orthonormal_vector());
        let other = ahead.cross(side);
        for k in 0..around {
            let (sin, cos) = libm::sincosf(std::f32::consts::TAU * k as f32 / around as f32);
            mesh.positions.push(x + radius * (cos * side + sin * other));
        }
        if i > 0 {
            let (low, high) = ((i as u32 - 1) * around, i as u32 * around);
            for k in 0..around {
                let next = (k + 1) % around;
                mesh.triangles.push([low + k, low + next, high + k]);
                mesh.triangles.push([high + k, low + next, high + next]);
            }
        }
    }
    for (ring, end) in [(0, 0), (last as u32 * around, last)] {
        let (x, radius) = path[end];
        let out = if end == 0 { -heading(0) } else { heading(end) };
        let tip = mesh.positions.len() as u32;
        mesh.positions.push(x + 0.5 * radius * out);
        for k in 0..around {
            let (a, b) = (ring + k, ring + (k + 1) % around);
            mesh.triangles
                .push(if end == 0 { [b, a, tip] } else { [a, b, tip] });
        }
    }
    mesh
}

/// A box around the origin whose edges are rounded, with `n` × `n` squares a side.
pub(super) fn rounded_box(half: Vec3, round: f32, n: u32) -> Mesh {
    let n = n as i32;
    let mut mesh = Mesh::default();
    let mut known: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    let core = half - round;
    let mut corner = |mesh: &mut Mesh, cell: IVec3| {
        *known.entry(cell.to_array()).or_insert_with(|| {
            // Corners crowd towards the edges, where the box is round.
            let share =
                |c: i32| libm::sinf(std::f32::consts::FRAC_PI_2 * (2 * c - n) as f32 / n as f32);
            let q = half * Vec3::new(share(cell.x), share(cell.y), share(cell.z));
            let inner = q.clamp(-core, core);
            mesh.positions
                .push(inner + round * (q - inner).normalize_or(Vec3::Y));
            mesh.positions.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let unit = |a: usize| IVec3::from_array([[1, 0, 0], [0, 1, 0], [0, 0, 1]][a % 3]);
        let (u, v, w) = (unit(axis + 1), unit(axis + 2), unit(axis));
        for (side, i, j) in (0..2 * n * n).map(|k| (k / (n * n), k / n % n, k % n)) {
            let at = |i: i32, j: i32| w * (side * n) + u * i + v * j;
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let [a, b, c, d] = quad.map(|cell| corner(&mut mesh, cell));
            let faces = if side == 1 {
                [[a, b, c], [a, c, d]]
            } else {
                [[a, c, b], [a, d, c]]
            };
            mesh.triangles.extend(faces);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts are closed and have the volume that they should have.
    #[test]
    fn parts_are_closed() {
        let cube = rounded_box(Vec3::new(0.5, 1.0, 1.5), 0.1, 8);
        assert!((5.5..6.0).contains(&cube.volume()), "{}", cube.volume());
        let path: Vec<(Vec3, f32)> = (0..6).map(|i| (Vec3::Y * i as f32, 0.5)).collect();
        let pipe = tube(&smooth(&path, 3), 32);
        let expected = 5.0 * std::f64::consts::PI * 0.25;
        assert!(
            (pipe.volume() / expected - 1.0).abs() < 0.06,
            "{}",
            pipe.volume()
        );
        for mesh in [cube, pipe] {
            let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
            for [a, b, c] in mesh.triangles {
                for (a, b) in [(a, b), (b, c), (c, a)] {
                    *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
                }
            }
            assert!(edges.values().all(|n| *n == 0));
        }
    }
}
