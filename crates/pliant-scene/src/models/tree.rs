//! A tree: branches of branches, each a row of particles, with leaves at the ends.

use glam::{Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::Mesh;
use pliant::random::Random;

use super::workshop::{Workshop, along, egg, smooth, tube};

const BARK: [u8; 4] = [104, 78, 58, 255];
/// Kinds of branches, from the trunk to the shoots: particles, length (m), radius at its foot (m), branches that it bears, sides of its tube.
const KINDS: [Kind; 4] = [
    kind(11, 2.6, 0.21, 14, 16),
    kind(8, 1.75, 0.095, 7, 10),
    kind(5, 0.82, 0.040, 4, 8),
    kind(2, 0.30, 0.016, 0, 6),
];
const LEAVES: u32 = 4;

struct Kind {
    particles: u32,
    length: f32,
    radius: f32,
    branches: u32,
    sides: u32,
}

const fn kind(particles: u32, length: f32, radius: f32, branches: u32, sides: u32) -> Kind {
    Kind {
        particles,
        length,
        radius,
        branches,
        sides,
    }
}

struct Gardener {
    shop: Workshop,
    random: Random,
}

pub(super) fn make(shop: Workshop) -> OrientedDesc {
    let mut gardener = Gardener {
        shop,
        random: Random::new([2011, 7, 0, 0]),
    };
    gardener.branch(0, Vec3::ZERO, Vec3::Y, 1.0, None);
    gardener.shop.finish()
}

impl Gardener {
    /// From −1 to 1.
    fn chance(&mut self) -> f32 {
        2.0 * self.random.next_f32() - 1.0
    }

    fn direction(&mut self) -> Vec3 {
        let [x, y, z] = [0; 3].map(|_| self.chance());
        Vec3::new(x, y, z).normalize_or(Vec3::Y)
    }

    /// Grows a branch of a kind from `foot`, and all that it bears; `parent` is the particle that it grows out of.
    fn branch(&mut self, level: usize, foot: Vec3, ahead: Vec3, size: f32, parent: Option<u32>) {
        let kind = &KINDS[level];
        let step = size * kind.length / kind.particles as f32;
        let radius = |t: f32| size.sqrt() * kind.radius * (1.0 - 0.62 * t);
        let mut ahead = ahead;
        let mut at = foot;
        let mut way = vec![(foot, radius(0.0))];
        let mut own: Vec<u32> = Vec::new();
        for i in 0..kind.particles {
            let t = (i as f32 + 0.5) / kind.particles as f32;
            // Branches bend upwards and waver.
            let waver = self.direction() * if level == 0 { 0.10 } else { 0.16 };
            ahead = (ahead + waver + Vec3::Y * 0.10).normalize_or(ahead);
            let next = at + step * ahead;
            let thick = radius(t);
            let radii = Vec3::new(0.6 * step, thick.max(0.02), thick.max(0.02));
            let mass = 400.0 * step * thick * thick + 0.004;
            let particle = self
                .shop
                .particle(egg(at.midpoint(next), along(ahead), radii, mass));
            if let Some(before) = own.last().copied().or(parent) {
                self.shop.connect(before, particle);
            }
            own.push(particle);
            at = next;
            way.push((at, radius(t)));
        }
        let mesh = tube(
            &smooth(&way, self.shop.parts(2, 1) as usize),
            self.shop.parts(kind.sides, 3),
        );
        let home = self.shop.nearest_of(own.clone());
        self.shop.show(&mesh, BARK, home);
        if level + 1 == KINDS.len() {
            self.leaves(&own, &way);
        } else {
            self.fork(level, &way, &own, size);
        }
    }

    /// Lets branches grow out of a branch, around it and towards its end.
    fn fork(&mut self, level: usize, way: &[(Vec3, f32)], own: &[u32], size: f32) {
        let count = KINDS[level].branches;
        let bare = if level == 0 { 0.38 } else { 0.25 };
        for b in 0..count {
            let t = bare + (1.0 - bare) * (b as f32 + 0.5) / count as f32;
            let at = t * own.len() as f32;
            let i = (at as usize).min(own.len() - 1);
            let (from, to) = (way[i].0, way[i + 1].0);
            let along = (to - from).normalize_or(Vec3::Y);
            let side = along.any_orthonormal_vector();
            let turn = 2.4 * b as f32 + 0.5 * self.chance();
            let out = Quat::from_axis_angle(along, turn) * side;
            let lean = if t > 0.93 { 0.5 } else { 1.0 };
            let ahead = (along * 0.55 + out * lean).normalize_or(along);
            let smaller = size * (1.12 - 0.5 * t) * (1.0 + 0.12 * self.chance());
            let foot = from.lerp(to, at - i as f32);
            self.branch(level + 1, foot, ahead, smaller, Some(own[i]));
        }
    }

    /// Hangs leaves on a shoot.
    fn leaves(&mut self, own: &[u32], way: &[(Vec3, f32)]) {
        let along_shoot = (way[way.len() - 1].0 - way[0].0).normalize_or(Vec3::Y);
        for l in 0..LEAVES {
            let t = 0.3 + 0.7 * (l as f32 + 0.5) / LEAVES as f32;
            let at = t * own.len() as f32;
            let i = (at as usize).min(own.len() - 1);
            let foot = way[i].0.lerp(way[i + 1].0, at - i as f32);
            let ahead = (0.6 * along_shoot + self.direction()).normalize_or(Vec3::Y);
            let length = 0.20 + 0.05 * self.chance();
            let turn = along(ahead) * Quat::from_rotation_x(3.0 * self.chance());
            let radii = Vec3::new(0.5 * length, 0.02, 0.22 * length);
            let middle = foot + 0.5 * length * ahead;
            let leaf = self.shop.particle(egg(middle, turn, radii, 0.004));
            self.shop.connect(own[i], leaf);
            let shade = (24.0 * self.chance()) as i16;
            let tint = |c: i16| (c + shade).clamp(0, 255) as u8;
            let green = [tint(88), tint(140), tint(52), 255];
            let mesh = blade(foot, turn, length, self.shop.parts(4, 2));
            self.shop.show(&mesh, green, |_| leaf);
        }
    }
}

/// A leaf from its foot along the x axis of `turn`, bent downwards, seen from both sides.
fn blade(foot: Vec3, turn: Quat, length: f32, steps: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for side in 0..2u32 {
        let first = mesh.positions.len() as u32;
        for i in 0..=steps {
            let t = i as f32 / steps as f32;
            let width = 0.24 * length * libm::sinf(std::f32::consts::PI * t.powf(0.7)) + 0.004;
            let sag = -0.22 * length * t * t - 0.002 * side as f32;
            for (across, fold) in [(-width, 0.3), (0.0, 0.0), (width, 0.3)] {
                let p = Vec3::new(t * length, sag + fold * width, across);
                mesh.positions.push(foot + turn * p);
            }
        }
        for (i, k) in (0..steps).flat_map(|i| [(i, 0), (i, 1)]) {
            let [a, b] = [first + 3 * i + k, first + 3 * i + k + 1];
            let [c, d] = [a + 3, b + 3];
            let quad = if side == 0 {
                [[a, b, c], [c, b, d]]
            } else {
                [[a, c, b], [c, d, b]]
            };
            mesh.triangles.extend(quad);
        }
    }
    mesh
}
