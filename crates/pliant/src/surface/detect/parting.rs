//! Planes that part triangles: eight at a time, in single precision, with room for its errors.
//!
//! Most triangles whose boxes meet are neighbours in one sheet, side by side: not parted by the plane of either, but by a plane through
//! a side of one of them that stands upright on it. Any axis will do if the shadows on it are farther apart than rounding can
//! have moved them, so it does not matter how well the axis itself is known.

use crate::math::lanes::{F8, Wide, dispatch};
use crate::surface::boxes::{self, Bounds, Box8, Query};
use glam::Vec3;

/// Bound of the error of a difference of two shadows on an axis no longer than one, against the distance from the origin: two
/// shadows of a product of three terms from rounded coordinates, 1.2e-6, rounded up.
const ERROR: f32 = 2e-6;
/// An error that even a surface in a single point has, larger than what the smallest numbers lose (m).
const LEAST_ERROR: f32 = 1e-30;

/// Squares of areas below this lose digits (m⁴).
const TINY: f32 = 1e-32;

/// What all triangles of a search are measured from, and how exactly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) origin: Vec3,
    pub(super) error: f32,
}

impl Frame {
    /// For triangles within a box.
    pub(super) fn new(all: &Bounds) -> Self {
        let origin = all.lo + 0.5 * (all.hi - all.lo);
        let error = ERROR * (all.hi - all.lo).length() + LEAST_ERROR;
        // Where squares overflow nothing is parted, since nothing compares with what is not a number.
        let error = if error.is_finite() { error } else { f32::NAN };
        Self { origin, error }
    }
}

/// Eight triangles side by side, each as the space between two parallel planes and behind three upright ones.
#[derive(Clone, Copy, Debug)]
struct Prism8 {
    /// By corner and axis, seen from the origin of the frame.
    at: [[F8; 3]; 3],
    /// The plane's normal, no longer than one, then the inward normals of the upright planes; zero or no number if there are none.
    axes: [[F8; 3]; 4],
    /// The least shadow on each axis.
    least: [F8; 4],
    /// The largest shadow on the normal.
    most: F8,
}

impl Prism8 {
    const EMPTY: Self = Self {
        at: [[F8::ZERO; 3]; 3],
        axes: [[F8::ZERO; 3]; 4],
        least: [F8::ZERO; 4],
        most: F8::ZERO,
    };
}

#[inline(always)]
fn sub<L: Wide>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<L: Wide>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<L: Wide>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
fn load<L: Wide>(v: &[F8; 3]) -> [L; 3] {
    [L::load(&v[0]), L::load(&v[1]), L::load(&v[2])]
}

/// One lane in all lanes.
#[inline(always)]
fn spread<L: Wide>(v: &[F8; 3], lane: usize) -> [L; 3] {
    [
        L::splat(v[0].0[lane]),
        L::splat(v[1].0[lane]),
        L::splat(v[2].0[lane]),
    ]
}

#[inline(always)]
fn least<L: Wide>(axis: [L; 3], [a, b, c]: [[L; 3]; 3]) -> L {
    -((-dot(axis, a)).max(-dot(axis, b)).max(-dot(axis, c)))
}

#[inline(always)]
fn most<L: Wide>(axis: [L; 3], [a, b, c]: [[L; 3]; 3]) -> L {
    dot(axis, a).max(dot(axis, b)).max(dot(axis, c))
}

#[inline(always)]
fn scaled<L: Wide>(v: [L; 3], by: L) -> [L; 3] {
    [v[0] * by, v[1] * by, v[2] * by]
}

#[inline(always)]
fn measure_kernel<L: Wide>(prisms: &mut [Prism8]) {
    // A little shorter than one, so that rounding does not make an axis longer.
    let one = L::splat(0.9999);
    let (none, tiny) = (L::splat(0.0), L::splat(TINY));
    for prism in prisms {
        let corners = [load(&prism.at[0]), load(&prism.at[1]), load(&prism.at[2])];
        let [a, b, c] = corners;
        let sides = [sub(b, a), sub(c, b), sub(a, c)];
        let area: [L; 3] = cross(sides[0], sides[1]);
        let size2 = dot(area, area);
        // What is too small to be squared has no direction.
        let normal = scaled(area, size2.select_less(tiny, none, one / size2.sqrt()));
        let longest2 = (dot(sides[0], sides[0]))
            .max(dot(sides[1], sides[1]))
            .max(dot(sides[2], sides[2]));
        let upright = scaled(normal, one / longest2.sqrt());
        let axes = [
            normal,
            cross(upright, sides[0]),
            cross(upright, sides[1]),
            cross(upright, sides[2]),
        ];
        for k in 0..4 {
            for l in 0..3 {
                prism.axes[k][l] = axes[k][l].store();
            }
            // A sliver whose normal is not well known may have its third corner before a side, so all three count.
            prism.least[k] = least(axes[k], corners).store();
        }
        prism.most = most(normal, corners).store();
    }
}

dispatch! {
    /// Finds the planes of triangles whose corners are known.
    fn measure(prisms: &mut [Prism8]) -> () = measure_kernel
}

/// The triangles of one side of a search that may matter to it.
#[derive(Default)]
pub(super) struct Clip {
    /// Their numbers in the side.
    pub(super) which: Vec<u32>,
    bounds: Vec<Bounds>,
    boxes: Vec<Box8>,
    prisms: Vec<Prism8>,
}

impl Clip {
    /// Lays out the triangles that [`Clip::which`] names, out of `triangles` with their boxes.
    pub(super) fn fill(&mut self, frame: &Frame, triangles: &[[Vec3; 3]], bounds: &[Bounds]) {
        let which = &self.which;
        self.bounds.clear();
        self.bounds
            .extend(which.iter().map(|&k| bounds[k as usize]));
        boxes::pack(&self.bounds, &mut self.boxes);
        self.prisms.clear();
        self.prisms.resize(which.len().div_ceil(8), Prism8::EMPTY);
        for (prism, chunk) in self.prisms.iter_mut().zip(which.chunks(8)) {
            for (lane, &k) in chunk.iter().enumerate() {
                for (corner, at) in triangles[k as usize].iter().zip(&mut prism.at) {
                    let p = *corner - frame.origin;
                    at[0].0[lane] = p.x;
                    at[1].0[lane] = p.y;
                    at[2].0[lane] = p.z;
                }
            }
        }
        measure(&mut self.prisms);
    }
}

/// The lanes of `many` that no plane of them parts from one lane of `one`, nor a plane of that.
#[inline(always)]
fn not_parted<L: Wide>(one: &Prism8, lane: usize, many: &Prism8, margin: f32) -> u32 {
    let margin = L::splat(margin);
    let corners = [load(&many.at[0]), load(&many.at[1]), load(&many.at[2])];
    let normal = spread(&one.axes[0], lane);
    let mut apart = least(normal, corners) - L::splat(one.most.0[lane]);
    for k in 0..4 {
        let axis = spread(&one.axes[k], lane);
        apart = (L::splat(one.least[k].0[lane]) - most(axis, corners)).max(apart);
    }
    let mask = !margin.at_most(apart) & 0xff;
    if mask == 0 {
        return 0;
    }
    let corners = [
        spread(&one.at[0], lane),
        spread(&one.at[1], lane),
        spread(&one.at[2], lane),
    ];
    let mut apart = least(load(&many.axes[0]), corners) - L::load(&many.most);
    for k in 0..4 {
        apart = (L::load(&many.least[k]) - most(load(&many.axes[k]), corners)).max(apart);
    }
    mask & !margin.at_most(apart)
}

#[inline(always)]
fn candidates_kernel<L: Wide>(
    first: &Clip,
    second: &Clip,
    same: bool,
    margins: [f32; 2],
    into: &mut Vec<(u32, u32)>,
) {
    for i in 0..first.which.len() {
        let query = Query::<L>::new(&first.bounds[i], margins[0]);
        let from = if same { i / 8 } else { 0 };
        for g in from..second.boxes.len() {
            let mut mask = query.near(&second.boxes[g]);
            if same && g == from {
                mask &= 0xfe << (i % 8);
            }
            if mask != 0 {
                mask &= not_parted::<L>(&first.prisms[i / 8], i % 8, &second.prisms[g], margins[1]);
            }
            while mask != 0 {
                let l = 8 * g + mask.trailing_zeros() as usize;
                into.push((first.which[i], second.which[l]));
                mask &= mask - 1;
            }
        }
    }
}

dispatch! {
    /// Appends all pairs of triangles whose boxes are no farther apart than `margins[0]` along any axis, and which no plane of
    /// either parts by `margins[1]`. If both sides are the `same`, each pair comes once, and none with itself.
    pub(super) fn candidates(
        first: &Clip,
        second: &Clip,
        same: bool,
        margins: [f32; 2],
        into: &mut Vec<(u32, u32)>,
    ) -> () = candidates_kernel
}
