//! Skins that follow the motions of oriented particles since rest \[MC11\].
//!
//! y = Σ wₐ (Rₐ (ȳ − x̄ₐ) + xₐ) = (Σ wₐ Tₐ) ȳ with the affine maps Tₐ = [Rₐ, xₐ − Rₐ x̄ₐ]: each particle has one map a frame, so a vertex needs
//! no offsets of its own, only its place at rest. Blended as dual quaternions the motions stay rigid. Maps are seen from the middle of the
//! body at rest, for the sake of round-off.

use super::closed_mesh::in_world;
use super::skin::{self, SkinFrame};
use crate::math::lanes::{F8, Quad, Wide, dispatch};
use crate::state::{Blend, Carriers, Oriented, SKIN_INFLUENCES, Skinned};
use glam::{Quat, Vec3, Vec4};
use rayon::prelude::*;
use std::ops::Range;

/// Vertices that are moved together, and that are told to be clear of all colliders together if they are.
const BLOCK: usize = 64;

/// The motion of a particle since rest: an affine map by columns, or a dual quaternion and nothing.
type Motion = [F8; 2];

/// The motions of a body's particles.
struct Palette {
    blend: Blend,
    /// What rest positions are seen from (m).
    origin: Vec3,
    motions: Vec<Motion>,
    /// Index of the first particle.
    first: u32,
}

impl Palette {
    fn new(frame: &SkinFrame, oriented: &Oriented, own: &Range<usize>, blend: Blend) -> Self {
        let rest = &oriented.rest[own.clone()];
        let origin = rest.iter().sum::<Vec3>() / rest.len().max(1) as f32;
        let points = frame.own.clone().zip(rest);
        let motion = |(i, rest): (usize, &Vec3)| {
            let x = frame.points.x[i];
            match blend {
                Blend::Linear => {
                    let turn = frame.turn[i];
                    let [a, b, c] = [turn.x_axis, turn.y_axis, turn.z_axis];
                    let t = x - turn * (*rest - origin);
                    [
                        F8([a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0]),
                        F8([c.x, c.y, c.z, 0.0, t.x, t.y, t.z, 0.0]),
                    ]
                }
                Blend::Dual => {
                    let q = frame.points.rotation[i];
                    let t = x - q * (*rest - origin);
                    let dual = Quat::from_xyzw(t.x, t.y, t.z, 0.0) * q;
                    let [a, b] = [q.to_array(), dual.to_array()];
                    let all = [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]];
                    [F8(all), F8::ZERO]
                }
            }
        };
        Self {
            blend,
            origin,
            motions: points.map(motion).collect(),
            first: frame.own.start as u32,
        }
    }

    /// The motion of a particle of the world.
    #[inline(always)]
    fn of(&self, point: u32) -> &Motion {
        &self.motions[(point - self.first) as usize]
    }
}

/// Moves every vertex of a body whose entries in the columns of oriented particles are `own`. One that ends up inside a collider by less than a
/// particle radius is put on its surface.
pub(crate) fn deform(
    frame: &SkinFrame,
    (oriented, own): (&Oriented, &Range<usize>),
    surface: &mut Skinned,
    blend: Blend,
) {
    let palette = Palette::new(frame, oriented, own, blend);
    let clear = skin::clearances(frame);
    let nearest = skin::nearest_of(&clear, frame.own.len());
    let vertices = surface.mesh.positions.par_chunks_mut(BLOCK);
    let blocks = vertices
        .zip(surface.rest.par_chunks(BLOCK))
        .zip(surface.carriers.par_chunks(BLOCK));
    let blocks = blocks.with_min_len(16).enumerate();
    blocks.for_each(|(number, ((y, rest), carriers))| {
        let more = surface.more.chunks(BLOCK).nth(number).unwrap_or_default();
        let (lo, hi) = place(&palette, rest, (carriers, more), y);
        let is_clear = |at: Vec3, i: u32, clear: &[f32]| {
            let clear = clear[i as usize - frame.own.start];
            frame.points.x[i as usize].distance_squared(at) < clear * clear
        };
        // A place is clear of a collider if it is nearer to one of its particles than that; a block is if its farthest corner is.
        let i = carriers[0].point[0];
        let x = frame.points.x[i as usize];
        let corner = Vec3::select((hi - x).cmpgt(x - lo), hi, lo);
        let obstacles = frame.obstacles.iter().zip(&clear);
        let mut obstacles =
            obstacles.map(|(o, c)| o.is_clear_of((lo, hi)) || is_clear(corner, i, c));
        if obstacles.all(|is_clear| is_clear) {
            return;
        }
        for (y, carriers) in y.iter_mut().zip(carriers) {
            let is_clear = |clear: &[f32]| carriers.point.iter().any(|&i| is_clear(*y, i, clear));
            if !is_clear(&nearest)
                && let Some(out) = skin::push_out(frame, *y, |collider| is_clear(&clear[collider]))
            {
                *y = out;
            }
        }
    });
}

dispatch! {
    /// Moves a block of vertices and returns a box around them: see [`place_kernel`].
    fn place(palette: &Palette, rest: &[Vec3], carriers: (&[Carriers], &[Carriers]), y: &mut [Vec3]) -> (Vec3, Vec3) = place_kernel
}

#[inline(always)]
fn place_kernel<W: Wide>(
    palette: &Palette,
    rest: &[Vec3],
    (carriers, more): (&[Carriers], &[Carriers]),
    y: &mut [Vec3],
) -> (Vec3, Vec3) {
    let (mut lo, mut hi) = (Vec3::MAX, Vec3::MIN);
    for (v, ((y, rest), carriers)) in y.iter_mut().zip(rest).zip(carriers).enumerate() {
        let at = *rest - palette.origin;
        let mut sum = [W::splat(0.0); 2];
        let [first, _] = halves(palette.of(carriers.point[0])[0]);
        add_motions(palette, first, carriers, &mut sum);
        if let Some(more) = more.get(v) {
            add_motions(palette, first, more, &mut sum);
        }
        let moved = match palette.blend {
            Blend::Linear => apply_map(sum, at),
            Blend::Dual => apply_rigid(sum, at),
        };
        // One choke point: a vertex never becomes a bad number.
        if in_world(moved) {
            *y = moved;
        }
        lo = lo.min(*y);
        hi = hi.max(*y);
    }
    (lo, hi)
}

/// Adds the motions of the particles of a vertex, times their weights. Rotations of dual quaternions are taken on the side of the `first`.
#[inline(always)]
fn add_motions<W: Wide>(palette: &Palette, first: Quad, carriers: &Carriers, sum: &mut [W; 2]) {
    for a in 0..SKIN_INFLUENCES {
        let motion = palette.of(carriers.point[a]);
        let mut weight = carriers.weight[a];
        if palette.blend == Blend::Dual {
            let [real, _] = halves(motion[0]);
            let [x, y, z, w] = (real * first).0;
            if x + y + z + w < 0.0 {
                weight = -weight;
            }
        }
        let weight = W::splat(weight);
        sum[0] += W::load(&motion[0]) * weight;
        sum[1] += W::load(&motion[1]) * weight;
    }
}

/// Where an affine map, by columns, takes a place.
#[inline(always)]
fn apply_map<W: Wide>(map: [W; 2], at: Vec3) -> Vec3 {
    let [x, y] = halves(map[0].store());
    let [z, t] = halves(map[1].store());
    let [x, y, z, _] =
        (x * Quad::splat(at.x) + y * Quad::splat(at.y) + (z * Quad::splat(at.z) + t)).0;
    Vec3::new(x, y, z)
}

/// Where a dual quaternion takes a place; it need not have unit length.
#[inline(always)]
fn apply_rigid<W: Wide>(motion: [W; 2], at: Vec3) -> Vec3 {
    let [real, dual] = halves(motion[0].store());
    let (real, dual) = (Vec4::from(real.0), Vec4::from(dual.0));
    let back = Quat::from_vec4(real).conjugate();
    let turned = Quat::from_vec4(real) * (Quat::from_xyzw(at.x, at.y, at.z, 0.0) * back);
    let moved = Vec4::from(turned) + Vec4::from(Quat::from_vec4(dual) * back);
    moved.truncate() * (1.0 / real.dot(real))
}

/// The first four lanes and the others.
#[inline(always)]
fn halves(lanes: F8) -> [Quad; 2] {
    let [a, b, c, d, e, f, g, h] = lanes.0;
    [Quad([a, b, c, d]), Quad([e, f, g, h])]
}
