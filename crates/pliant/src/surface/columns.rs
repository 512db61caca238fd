//! Inside or outside of the surface, for very many points: a lattice of vertical columns.
//!
//! Every triangle is drawn onto the columns it covers, seen from above; a column is then a sorted list of heights at which the
//! winding number changes. A query takes the nearest column and looks up its own height. This asks the surface moved sideways by at
//! most d/√2, with d the spacing of the columns: exact on the columns themselves, and wrong only within that distance of the
//! surface elsewhere.
//!
//! Resampling asks the surface blown up by part of a particle radius [CMM16 §3.3]; [`inflate`] moves the vertices for that.
//!
//! **Cost.** See the bench `surface`. Building is bound by reading the corners of all triangles, a query by one cache miss.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::lines::{Lines, winding_at};
use super::rays::{NONE, vertices};
use crate::parallel::{self, BLOCK};

/// Most columns of a lattice; coarser ones are taken instead of larger ones.
const COLUMN_LIMIT: f64 = 4_194_304.0;

/// How far the first column lies before the box, in spacings along x and y: odd numbers, so that columns keep off the round
/// coordinates at which vertices of made meshes lie.
const MARGIN: [f64; 2] = [0.618_034, 0.414_214];

/// A lattice of columns through a closed surface. It owns its buffers; build it again rather than anew.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Position of column (0, 0).
    origin: [f64; 2],
    spacing: f64,
    /// 1/d, zero as long as nothing was built.
    per_spacing: f64,
    lines: Lines,
}

impl Columns {
    /// Columns through nothing: every point is outside.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws all triangles (corners `corner[3t..3t + 3]` into `x`, the first [`NONE`] for a free slot) onto columns `spacing` (m)
    /// apart. With `component`, a label a triangle, [`Columns::winding_of`] can tell components apart.
    ///
    /// Returns the spacing taken (m): the one asked for, or a larger one if that would need too many columns or crossings. The surface
    /// must be closed and consistently oriented; it may cross itself. Vertices without triangles should be NaN, else they widen the
    /// lattice.
    pub fn build(
        &mut self,
        x: &[Vec3],
        corner: &[u32],
        component: Option<&[u32]>,
        spacing: f32,
    ) -> f32 {
        let (low, high) = bounds(x);
        let extent = [0, 1].map(|k| f64::from(high[k]) - f64::from(low[k]));
        let widest = extent[0].max(extent[1]);
        let mut d = f64::from(spacing);
        if !(d > 0.0 && d.is_finite()) {
            d = if widest > 0.0 { widest / 1024.0 } else { 1.0 };
        }
        let label = |t: usize| component.and_then(|c| c.get(t)).copied().unwrap_or(NONE);
        let triangle = |t: usize| vertices(corner, t).map(|ids| (ids, label(t)));
        loop {
            let along = |k: usize| (extent[k] / d + MARGIN[k]).floor() + 2.0;
            let columns = along(0) * along(1);
            if columns > COLUMN_LIMIT {
                d *= 1.001 * (columns / COLUMN_LIMIT).sqrt();
                continue;
            }
            let per_spacing = 1.0 / d;
            let origin = [
                f64::from(low.x) - MARGIN[0] * d,
                f64::from(low.y) - MARGIN[1] * d,
            ];
            let place = |v: u32| {
                let p = x[v as usize];
                [
                    (f64::from(p.x) - origin[0]) * per_spacing,
                    (f64::from(p.y) - origin[1]) * per_spacing,
                    f64::from(p.z),
                ]
            };
            let size = [along(0) as u32, along(1) as u32];
            (self.origin, self.spacing, self.per_spacing) = (origin, d, per_spacing);
            // A single column is never too much work, unless there are as many triangles as the limit; then nothing is inside.
            if self.lines.build(size, corner.len() / 3, triangle, place) || size == [2, 2] {
                return d as f32;
            }
            d *= 2.0;
        }
    }

    /// Distance between columns (m), 0 before anything was built.
    pub fn spacing(&self) -> f32 {
        self.spacing as f32
    }

    /// The column nearest to `p`.
    #[inline]
    fn nearest(&self, p: Vec3) -> [u32; 2] {
        // Shifted by one so that what lies before the lattice becomes column −1 (taken as the last number) and not column 0.
        let index = |p: f32, origin: f64| {
            let at = (f64::from(p) - origin) * self.per_spacing + 1.5;
            (at as u32).wrapping_sub(1)
        };
        [index(p.x, self.origin[0]), index(p.y, self.origin[1])]
    }

    /// The point of the nearest column at the height of `p`, for which all answers are exact.
    pub fn snap(&self, p: Vec3) -> DVec3 {
        let nearest = |p: f32, origin: f64| {
            let i = ((f64::from(p) - origin) * self.per_spacing + 0.5).floor();
            origin + i * self.spacing
        };
        DVec3::new(
            nearest(p.x, self.origin[0]),
            nearest(p.y, self.origin[1]),
            f64::from(p.z),
        )
    }

    /// The winding number at `p`.
    #[inline]
    pub fn winding(&self, p: Vec3) -> i32 {
        let [i, j] = self.nearest(p);
        winding_at(self.lines.line(i, j), p.z)
    }

    /// The winding number at `p` of one component alone, by the labels given to [`Columns::build`].
    pub fn winding_of(&self, p: Vec3, component: u32) -> i32 {
        let [i, j] = self.nearest(p);
        let line = self.lines.line(i, j);
        let mut above = 0;
        let mut sum = 0;
        for c in line.iter().rev().take_while(|c| c.z > p.z) {
            if c.label == component {
                sum += c.below - above;
            }
            above = c.below;
        }
        sum
    }

    /// Whether `p` lies inside.
    #[inline]
    pub fn contains(&self, p: Vec3) -> bool {
        self.winding(p) > 0
    }

    /// Whether each of the points lies inside, in parallel.
    pub fn contains_all(&self, points: &[Vec3]) -> Vec<bool> {
        points
            .par_iter()
            .with_min_len(BLOCK)
            .map(|&p| self.contains(p))
            .collect()
    }
}

/// The box around all positions that are finite.
fn bounds(x: &[Vec3]) -> (Vec3, Vec3) {
    let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let join = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let (low, high) = x
        .par_chunks(8 * BLOCK)
        .map(|part| {
            let finite = part.iter().filter(|p| p.is_finite());
            finite.fold(none, |b, &p| join(b, (p, p)))
        })
        .reduce(|| none, join);
    if low.x <= high.x {
        (low, high)
    } else {
        (Vec3::ZERO, Vec3::ZERO)
    }
}

/// Writes to `moved` all vertices, displaced by `distance` (m) along their area-weighted normals.
///
/// `out` is one half-edge that leaves each vertex ([`NONE`]: a free slot, which becomes NaN), `twin` the opposite half-edge of each
/// half-edge; half-edge `3t + k` leaves `corner[3t + k]`. Each vertex walks over its own triangles, always in the same order, so the
/// sums do not depend on threads.
pub fn inflate(
    x: &[Vec3],
    corner: &[u32],
    twin: &[u32],
    out: &[u32],
    distance: f32,
    moved: &mut Vec<Vec3>,
) {
    moved.clear();
    moved.resize(x.len(), Vec3::ZERO);
    let ranges: Vec<_> = parallel::blocks(0, x.len()).collect();
    parallel::for_each_range(&ranges, &mut moved[..], &|_, range, part| {
        for (moved, v) in part.iter_mut().zip(range) {
            *moved = match out.get(v) {
                Some(&h) if h != NONE => x[v] + distance * normal(x, corner, twin, x[v], h),
                _ => Vec3::NAN,
            };
        }
    });
}

/// The area-weighted normal of the vertex at `p` that the half-edge `first` leaves, of unit length, or zero if it has none.
#[inline]
fn normal(x: &[Vec3], corner: &[u32], twin: &[u32], p: Vec3, first: u32) -> Vec3 {
    let spoke = |h: usize| {
        corner
            .get(h)
            .and_then(|&v| x.get(v as usize))
            .map(|&q| q - p)
    };
    let first = first as usize;
    let Some(mut before) = spoke(next(first)) else {
        return Vec3::ZERO;
    };
    let mut sum = Vec3::ZERO;
    let mut h = first;
    // No vertex has more triangles than there are; a broken ring ends where it breaks.
    for _ in 0..corner.len() / 3 {
        let back = previous(h);
        let Some(after) = spoke(back) else { break };
        sum += before.cross(after);
        before = after;
        h = match twin.get(back) {
            Some(&after) if after as usize != first => after as usize,
            _ => break,
        };
        if h >= corner.len() {
            break;
        }
    }
    // In double precision, as the square of a small area is no single-precision number.
    let sum = sum.as_dvec3();
    let length = sum.length();
    if length > 0.0 && length.is_finite() {
        (sum / length).as_vec3()
    } else {
        Vec3::ZERO
    }
}

/// The half-edge after `h` in its triangle.
#[inline]
fn next(h: usize) -> usize {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// The half-edge before `h` in its triangle.
#[inline]
fn previous(h: usize) -> usize {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

#[cfg(test)]
mod tests;
