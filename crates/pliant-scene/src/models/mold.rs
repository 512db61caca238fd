//! What bodies of polygons are made with: faces that are flat and convex, in parts, and boxes for joints.

use std::collections::BTreeMap;
use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use pliant::visual::PolygonMesh;

/// A vertex by its part, the bits of its place and its colour.
type Key = (u16, [u32; 3], [u8; 4]);

/// A mesh of polygons in the making.
///
/// Faces are counter-clockwise as seen from outside. Vertices of one part and colour at the same place are one.
#[derive(Default)]
pub(crate) struct Mold {
    mesh: PolygonMesh,
    part: u16,
    color: [u8; 4],
    known: BTreeMap<Key, u32>,
    /// Whether z is −z for a while.
    mirrored: bool,
}

/// By how much of its longest edge a quad may be bent and still count as flat.
const FLAT: f32 = 5e-5;

impl Mold {
    /// What follows belongs to a part and has a colour.
    pub(crate) fn part(&mut self, name: &str, color: [u8; 4]) {
        let names = &mut self.mesh.part_names;
        let at = names.iter().position(|known| known == name);
        let at = at.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        // Models have a few dozen parts.
        self.part = at as u16;
        self.color = color;
    }

    /// What follows has another colour.
    pub(crate) fn paint(&mut self, color: [u8; 4]) {
        self.color = color;
    }

    /// Whether what follows is made as if z were −z: the other side of a car.
    pub(crate) fn mirror(&mut self, is_mirrored: bool) {
        self.mirrored = is_mirrored;
    }

    /// A convex face. Corners that repeat the one before are left out; a quad that is bent becomes two triangles.
    pub(crate) fn face(&mut self, corners: &[Vec3]) {
        let mut row: Vec<u32> = corners.iter().map(|&p| self.vertex(p)).collect();
        row.dedup();
        if row.len() > 1 && row.first() == row.last() {
            row.pop();
        }
        if self.mirrored {
            row.reverse();
        }
        match row[..] {
            [] | [_] | [_, _] => {}
            [a, b, c, d] if self.is_bent([a, b, c, d]) => {
                self.push(&[a, b, c]);
                self.push(&[a, c, d]);
            }
            _ => self.push(&row),
        }
    }

    fn push(&mut self, row: &[u32]) {
        self.mesh.faces.push(row.iter().copied());
        self.mesh.parts.push(self.part);
    }

    fn is_bent(&self, quad: [u32; 4]) -> bool {
        let [a, b, c, d] = quad.map(|v| self.mesh.positions[v as usize]);
        let normal = (c - a).cross(d - b).normalize_or_zero();
        let longest = (b - a).length().max((c - b).length());
        let longest = longest.max((d - c).length()).max((a - d).length());
        // Both diagonals of a flat quad are in one plane.
        normal.dot(b - a).abs() > FLAT * longest
    }

    fn vertex(&mut self, p: Vec3) -> u32 {
        // Adding zero turns −0 into 0, so that the two are one place.
        let side = if self.mirrored { -1.0 } else { 1.0 };
        let p = p * Vec3::new(1.0, 1.0, side) + Vec3::ZERO;
        let key = (self.part, p.to_array().map(f32::to_bits), self.color);
        let next = self.mesh.positions.len() as u32;
        *self.known.entry(key).or_insert_with(|| {
            self.mesh.positions.push(p);
            self.mesh.colors.push(self.color);
            next
        })
    }

    /// A sheet of `nu` × `nv` faces; from outside v goes to the left of u.
    pub(crate) fn grid(&mut self, nu: u32, nv: u32, at: impl Fn(f32, f32) -> Vec3) {
        let place = |i: u32, j: u32| at(i as f32 / nu as f32, j as f32 / nv as f32);
        for (i, j) in (0..nu * nv).map(|k| (k % nu, k / nu)) {
            self.face(&[
                place(i, j),
                place(i + 1, j),
                place(i + 1, j + 1),
                place(i, j + 1),
            ]);
        }
    }

    /// A sheet with a corner at every pair of numbers; from outside v goes to the left of u.
    pub(crate) fn sheet(&mut self, us: &[f32], vs: &[f32], at: impl Fn(f32, f32) -> Vec3) {
        for u in us.windows(2) {
            for v in vs.windows(2) {
                self.face(&[
                    at(u[0], v[0]),
                    at(u[1], v[0]),
                    at(u[1], v[1]),
                    at(u[0], v[1]),
                ]);
            }
        }
    }

    /// A flat or bent sheet between four corners, counter-clockwise from outside, with faces about as long as `edge`.
    pub(crate) fn patch(&mut self, [a, b, c, d]: [Vec3; 4], edge: f32) {
        let count =
            |p: Vec3, q: Vec3, r: Vec3, s: Vec3| pieces(p.distance(q).max(r.distance(s)), edge);
        let (nu, nv) = (count(a, b, d, c), count(b, c, a, d));
        self.grid(nu, nv, |u, v| a.lerp(b, u).lerp(d.lerp(c, u), v));
    }

    /// A cuboid with faces about as long as `edge`, turned and then moved.
    pub(crate) fn cuboid(&mut self, center: Vec3, half: Vec3, turn: Quat, edge: f32) {
        self.hull(center, half, turn, edge, &[]);
    }

    /// The same without some of its sides, which are numbered: left, right, lower, upper, back, front. It is hollow.
    pub(crate) fn hull(
        &mut self,
        center: Vec3,
        half: Vec3,
        turn: Quat,
        edge: f32,
        without: &[usize],
    ) {
        let corner = |i: u32| {
            let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + turn * (half * Vec3::new(sign(0), sign(1), sign(2)))
        };
        let sides = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        for (side, quad) in sides.into_iter().enumerate() {
            if !without.contains(&side) {
                self.patch(quad.map(corner), edge);
            }
        }
    }

    /// A solid of revolution about the y axis of `turn` through `center`. The profile goes from below to above, as pairs of distance from the
    /// axis and height; ends away from the axis get a lid.
    pub(crate) fn revolve(
        &mut self,
        center: Vec3,
        turn: Quat,
        profile: &[(f32, f32)],
        around: u32,
    ) {
        self.turned(center, turn, profile, around);
        let ring = |(r, h): (f32, f32)| (0..around).map(move |k| lathe(r, h, k, around));
        if let Some(&bottom) = profile.first()
            && bottom.0 > 0.0
        {
            let lid: Vec<Vec3> = ring(bottom).map(|p| center + turn * p).collect();
            self.face(&lid);
        }
        if let Some(&top) = profile.last()
            && top.0 > 0.0
        {
            let lid: Vec<Vec3> = ring(top).rev().map(|p| center + turn * p).collect();
            self.face(&lid);
        }
    }

    /// The same without lids; a profile that ends where it begins makes a ring.
    pub(crate) fn turned(&mut self, center: Vec3, turn: Quat, profile: &[(f32, f32)], around: u32) {
        for pair in profile.windows(2) {
            let [low, high] = [pair[0], pair[1]];
            for k in 0..around {
                let at = |(r, h): (f32, f32), k: u32| center + turn * lathe(r, h, k, around);
                let ring = [at(low, k), at(high, k), at(high, k + 1), at(low, k + 1)];
                // At a pole two corners are one.
                if low.0 == 0.0 {
                    self.face(&ring[..3]);
                } else if high.0 == 0.0 {
                    self.face(&[ring[0], ring[1], ring[3]]);
                } else {
                    self.face(&ring);
                }
            }
        }
    }

    /// A box of the name of a joint between two parts; it goes along `axis` by `half` either way and is `wide` across.
    pub(crate) fn joint(&mut self, name: &str, center: Vec3, axis: Vec3, half: f32, wide: f32) {
        let color = self.color;
        self.part(&format!("joint.{name}"), color);
        let turn = Quat::from_rotation_arc(Vec3::X, axis.normalize_or(Vec3::X));
        let half = Vec3::new(half, wide, wide);
        self.cuboid(center, half, turn, f32::INFINITY);
    }

    /// Moves every vertex so far.
    pub(crate) fn move_all(&mut self, to: impl Fn(Vec3) -> Vec3) {
        for p in &mut self.mesh.positions {
            *p = to(*p);
        }
        self.known.clear();
    }

    pub(crate) fn finish(self) -> PolygonMesh {
        self.mesh
    }
}

/// A place at a distance from the y axis, the `k`th of `around`; the last is the first.
fn lathe(r: f32, h: f32, k: u32, around: u32) -> Vec3 {
    let (sin, cos) = libm::sincosf(TAU * (k % around) as f32 / around as f32);
    Vec3::new(r * cos, h, r * sin)
}

/// Numbers from the first of some to the last by way of all, in steps of about `step`.
pub(crate) fn steps(stations: &[f32], step: f32) -> Vec<f32> {
    let mut all: Vec<f32> = stations.first().copied().into_iter().collect();
    for pair in stations.windows(2) {
        let n = pieces((pair[1] - pair[0]).abs(), step);
        all.extend((1..=n).map(|k| {
            if k == n {
                pair[1]
            } else {
                pair[0] + (pair[1] - pair[0]) * k as f32 / n as f32
            }
        }));
    }
    all
}

/// How many pieces about as long as `edge` a length has.
pub(crate) fn pieces(length: f32, edge: f32) -> u32 {
    ((length / edge).round() as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &PolygonMesh) -> f32 {
        let of_face = |row: &[u32]| -> f32 {
            let at = |k: usize| mesh.positions[row[k] as usize];
            let fan = |k: usize| at(0).dot(at(k).cross(at(k + 1)));
            (1..row.len() - 1).map(fan).sum()
        };
        mesh.faces.iter().map(of_face).sum::<f32>() / 6.0
    }

    /// Solids look outwards and share their vertices.
    #[test]
    fn solids_are_closed() {
        let turn = Quat::from_rotation_z(0.3);
        let mut mold = Mold::default();
        mold.cuboid(Vec3::X, Vec3::new(1.0, 2.0, 3.0), turn, 1.0);
        let mesh = mold.finish();
        assert!((volume(&mesh) - 48.0).abs() < 1e-3);
        assert_eq!(mesh.face_count(), 2 * (2 * 4 + 2 * 6 + 4 * 6));
        assert_eq!(mesh.positions.len(), mesh.face_count() + 2);
        let mut mold = Mold::default();
        mold.revolve(Vec3::Y, turn, &[(1.0, 0.0), (1.0, 2.0)], 64);
        assert!((volume(&mold.finish()) / TAU - 1.0).abs() < 0.01);
        let mut mold = Mold::default();
        let round: Vec<(f32, f32)> = (0..=16)
            .map(|k| libm::sincosf(TAU / 2.0 * k as f32 / 16.0))
            .map(|(sin, cos)| (if sin < 1e-6 { 0.0 } else { sin }, -cos))
            .collect();
        mold.revolve(Vec3::ZERO, turn, &round, 32);
        let mesh = mold.finish();
        assert!((volume(&mesh) / 4.18 - 1.0).abs() < 0.03);
        assert_eq!(mesh.positions.len(), 15 * 32 + 2);
        mesh.validate().unwrap_or_default();
    }
}
