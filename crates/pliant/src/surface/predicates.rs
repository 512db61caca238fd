//! Whether two triangles of the surface pass through each other: exact, and never undecided.
//!
//! Everything rests on one sign, on which side of a triangle a point lies. It is computed in `f64` with a bound for its error;
//! where the bound does not decide, exactly (Shewchuk, "Adaptive precision floating-point arithmetic", 1997); and where the
//! exact value is zero, by moving every vertex by an amount that is smaller than any number and depends on its id only
//! (Edelsbrunner and Mücke, "Simulation of simplicity", 1990). So the surface is always in general position: the answer does
//! not depend on the order of triangles or corners, coincident sheets cross or do not cross as two sheets a hair apart would,
//! and crossing curves close.

use super::closed_mesh::ClosedMesh;
use glam::DVec3;

/// A vertex: its id and its position.
#[derive(Clone, Copy, Debug)]
struct Corner {
    id: u32,
    at: DVec3,
}

/// Bound of the relative error of a determinant of coordinate differences, against the product of the largest difference on
/// each axis: six products with Shewchuk's 7.8e-16 each, rounded up.
const ERROR: f64 = 5e-15;

/// −cos 5°: an edge is folded if the normals of its two triangles are 175° or more apart (§6.5).
const FOLD: f64 = -0.996_194_698_091_745_5;

/// Whether triangles `i` and `j` pass through each other.
///
/// A pair with a common edge counts if it is folded by more than 175°; one with a common vertex if they meet elsewhere too.
/// Triangles that are not alive cross nothing.
pub fn triangles_cross(mesh: &ClosedMesh, i: u32, j: u32) -> bool {
    if i == j || !mesh.alive(i) || !mesh.alive(j) {
        return false;
    }
    let (t, u) = (mesh.triangle(i), mesh.triangle(j));
    let (mut common, mut first, mut second) = (0, 0, 0);
    for k in 0..3 {
        for l in 0..3 {
            if t[k] == u[l] {
                common += 1;
                (first, second) = (k, l);
            }
        }
    }
    // The common vertex comes first.
    let corner = |id: u32| Corner {
        id,
        at: mesh.positions()[id as usize].as_dvec3(),
    };
    let turned = |c: [u32; 3], k: usize| [c[k], c[(k + 1) % 3], c[(k + 2) % 3]].map(corner);
    let (t, u) = (turned(t, first), turned(u, second));
    match common {
        0 => cross_apart(t, u),
        1 => cross_at_vertex(t, u),
        _ => folded(t, u),
    }
}

/// Twice the area vector.
#[inline]
fn area_vector([a, b, c]: [Corner; 3]) -> DVec3 {
    (b.at - a.at).cross(c.at - a.at)
}

/// The pair with a common edge: whether it is folded. Both turn the same way round, so opposite normals mean that both lie on
/// the same side of the edge.
fn folded(t: [Corner; 3], u: [Corner; 3]) -> bool {
    let (m, n) = (area_vector(t), area_vector(u));
    let dot = m.dot(n);
    dot < 0.0 && dot < FOLD * (m.length() * n.length())
}

/// The pair without a common vertex.
fn cross_apart(t: [Corner; 3], u: [Corner; 3]) -> bool {
    let Some(of_u) = straddles(t, u) else {
        return false;
    };
    let Some(of_t) = straddles(u, t) else {
        return false;
    };
    (0..3).any(|k| {
        let l = (k + 1) % 3;
        (of_u[k] != of_u[l] && pierces(u[k], u[l], t))
            || (of_t[k] != of_t[l] && pierces(t[k], t[l], u))
    })
}

/// The pair with one common vertex, which comes first in both: they meet elsewhere if the side opposite to it, of either,
/// pierces the other.
fn cross_at_vertex(t: [Corner; 3], u: [Corner; 3]) -> bool {
    let [_, a, b] = t;
    let [_, c, d] = u;
    let (plane_t, plane_u) = (Plane::new(t), Plane::new(u));
    (plane_t.below(c) != plane_t.below(d) && pierces(c, d, t))
        || (plane_u.below(a) != plane_u.below(b) && pierces(a, b, u))
}

/// On which side of the plane of `t` the corners of `u` lie; none if all lie on the same.
#[inline]
fn straddles(t: [Corner; 3], u: [Corner; 3]) -> Option<[bool; 3]> {
    let plane = Plane::new(t);
    let below = u.map(|p| plane.below(p));
    (below != [below[0]; 3]).then_some(below)
}

/// Whether a segment whose ends lie on different sides of the plane of a triangle goes through it.
#[inline]
fn pierces(p: Corner, q: Corner, [a, b, c]: [Corner; 3]) -> bool {
    let turn = positive([p, q, a, b]);
    turn == positive([p, q, b, c]) && turn == positive([p, q, c, a])
}

/// The plane of a triangle, for several points.
struct Plane {
    corners: [Corner; 3],
    normal: DVec3,
    /// Largest difference of the triangle on each axis.
    reach: DVec3,
}

impl Plane {
    #[inline]
    fn new(corners: [Corner; 3]) -> Self {
        let [a, b, c] = corners;
        let (e, f) = (b.at - a.at, c.at - a.at);
        Self {
            corners,
            normal: e.cross(f),
            reach: e.abs().max(f.abs()),
        }
    }

    /// Whether a point lies behind the triangle. The same sign as [`positive`], from the triangle's normal while that decides.
    #[inline]
    fn below(&self, p: Corner) -> bool {
        let [a, b, c] = self.corners;
        let d = p.at - a.at;
        let height = self.normal.dot(d);
        let reach = self.reach.max(d.abs());
        let error = ERROR * reach.x * reach.y * reach.z;
        if height.abs() > error {
            height < 0.0
        } else {
            positive([a, b, c, p])
        }
    }
}

/// The sign of the determinant with rows (x, y, z, 1): positive if the first three turn counter-clockwise seen from the side
/// on which the fourth does not lie. Changing places of two corners changes the sign, always.
fn positive(corners: [Corner; 4]) -> bool {
    let [a, b, c, d] = corners.map(|c| c.at);
    let (u, v, w) = (a - d, b - d, c - d);
    let volume = u.dot(v.cross(w));
    let reach = u.abs().max(v.abs()).max(w.abs());
    if volume.abs() > ERROR * reach.x * reach.y * reach.z {
        return volume > 0.0;
    }
    // Coincident corners and planes across an axis need no exact arithmetic: what was pressed flat is full of them.
    let none = DVec3::ZERO;
    if reach.cmpeq(none).any() || [u, v, w, u - v, v - w, w - u].contains(&none) {
        return positive_moved(corners);
    }
    let [p, q, r, s] = [a, b, c, d].map(|p| robust::Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    });
    let volume = robust::orient3d(p, q, r, s);
    if volume == 0.0 {
        positive_moved(corners)
    } else {
        volume > 0.0
    }
}

/// [`positive`] where the determinant is zero.
///
/// Coordinate k of the corner with the n-th smallest id moves by ε^(2^(3n+k)). The determinant then is a polynomial in ε with
/// one term for each set of coordinates in different rows and columns; its exponent is the set read as a binary number,
/// its factor the minor that is left without these rows and columns. The first factor that is not zero decides.
fn positive_moved(mut corners: [Corner; 4]) -> bool {
    let mut sign = true;
    for end in (1..4).rev() {
        for k in 0..end {
            if corners[k].id > corners[k + 1].id {
                corners.swap(k, k + 1);
                sign = !sign;
            }
        }
    }
    // Corners in one point leave nothing but the minors 1: the first of them decides.
    let [a, b, c, d] = corners.map(|c| c.at);
    if a == b && b == c && c == d {
        return sign == FIRST_WHOLE;
    }
    for term in &TERMS {
        let factor = term.minor(&corners);
        if factor != 0.0 {
            return sign == (factor > 0.0);
        }
    }
    // Not reached: the set of three columns leaves the minor 1.
    sign
}

/// A term of the polynomial in ε: a set of coordinates in different rows and columns of the determinant.
#[derive(Clone, Copy)]
struct Term {
    /// The rows that are left, of which those beyond the number of columns that are left do not count.
    rows: [u8; 3],
    /// The columns that are left.
    columns: [u8; 2],
    /// How many columns are left.
    size: u8,
    /// Sign of the minor.
    sign: f64,
}

/// All terms but the one of the empty set, by ascending exponent. Of the 4095 sets only these have no row or column twice, and a
/// surface that was pressed flat asks for them millions of times.
const TERMS: [Term; 72] = terms();

/// Whether the first term that leaves the minor 1 is positive.
const FIRST_WHOLE: bool = {
    let mut k = 0;
    while TERMS[k].size > 0 {
        k += 1;
    }
    TERMS[k].sign > 0.0
};

const fn terms() -> [Term; 72] {
    let empty = Term {
        rows: [0; 3],
        columns: [0; 2],
        size: 0,
        sign: 1.0,
    };
    let mut all = [empty; 72];
    let (mut count, mut set) = (0, 1u32);
    while set < 1 << 12 {
        if let Some(term) = term(set) {
            all[count] = term;
            count += 1;
        }
        set += 1;
    }
    assert!(count == 72);
    all
}

/// The term of a set of coordinates (bit 3 row + column); none if the set names a row or a column twice.
const fn term(set: u32) -> Option<Term> {
    let (mut row_used, mut used) = ([false; 4], [false; 3]);
    let mut odd = false;
    let mut bit = 0;
    while bit < 12 {
        if set >> bit & 1 == 1 {
            let (row, k) = (bit / 3, bit % 3);
            if row_used[row] || used[k] {
                return None;
            }
            // Expansion along this row and column, and one change of places for each pair of columns out of order.
            odd ^= (row + k) % 2 == 1;
            let mut later = k + 1;
            while later < 3 {
                odd ^= used[later];
                later += 1;
            }
            (row_used[row], used[k]) = (true, true);
        }
        bit += 1;
    }
    let mut term = Term {
        rows: [0; 3],
        columns: [0; 2],
        size: 0,
        sign: if odd { -1.0 } else { 1.0 },
    };
    let (mut k, mut found) = (0, 0);
    while k < 4 {
        if !row_used[k] {
            term.rows[found] = k as u8;
            found += 1;
        }
        k += 1;
    }
    k = 0;
    while k < 3 {
        if !used[k] {
            term.columns[term.size as usize] = k as u8;
            term.size += 1;
        }
        k += 1;
    }
    Some(term)
}

impl Term {
    /// The signed minor of the determinant without the rows and columns of the set.
    fn minor(&self, corners: &[Corner; 4]) -> f64 {
        let at = |row: usize, column: usize| {
            corners[usize::from(self.rows[row])].at[usize::from(self.columns[column])]
        };
        let value = match self.size {
            2 => {
                let [p, q, r] = [0, 1, 2].map(|row| robust::Coord {
                    x: at(row, 0),
                    y: at(row, 1),
                });
                robust::orient2d(p, q, r)
            }
            1 => at(0, 0) - at(1, 0),
            _ => 1.0,
        };
        self.sign * value
    }
}

/// A lower bound of the distance of two triangles without a common vertex (m), not searched beyond `enough`; zero if none is
/// found.
///
/// The largest gap between their shadows on an axis: their normals, the normals of their sides within their planes, and the
/// products of their sides. One of these parts any two triangles that do not meet.
pub(crate) fn distance_bound(t: [DVec3; 3], u: [DVec3; 3], enough: f64) -> f64 {
    let origin = t[0];
    let (t, u) = (t.map(|p| p - origin), u.map(|p| p - origin));
    let reach = t.iter().chain(&u).fold(0.0, |m: f64, p| m.max(p.length()));
    let sides = |c: [DVec3; 3]| [c[1] - c[0], c[2] - c[1], c[0] - c[2]];
    let (s, r) = (sides(t), sides(u));
    let (m, n) = (s[0].cross(s[1]), r[0].cross(r[1]));
    let within = [(m, s), (n, r)]
        .into_iter()
        .flat_map(|(n, sides)| sides.map(|side| n.cross(side)));
    let products = s.into_iter().flat_map(|a| r.map(|b| a.cross(b)));
    let mut best = 0.0;
    for axis in [m, n].into_iter().chain(within).chain(products) {
        let length = axis.length();
        if !(length > 0.0 && length.is_finite()) {
            continue;
        }
        let shadow = |c: [DVec3; 3]| {
            let [x, y, z] = c.map(|p| p.dot(axis));
            (x.min(y).min(z), x.max(y).max(z))
        };
        let ((a, b), (c, d)) = (shadow(t), shadow(u));
        let gap = (c - b).max(a - d) / length - 1e-14 * reach;
        if gap > best {
            best = gap;
            if best >= enough {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::surface::testing;
    use glam::Vec3;
    use proptest::prelude::*;

    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [1, 0, 2],
        [0, 2, 1],
        [2, 1, 0],
    ];

    /// Corners on a coarse lattice: coplanar, touching and coincident ones are common.
    fn lattice(random: &mut Random, ids: [u32; 3], size: u32, scale: f64) -> [Corner; 3] {
        ids.map(|id| {
            let mut axis = || f64::from(random.next_below(size)) * scale;
            let at = DVec3::new(axis(), axis(), axis());
            Corner { id, at }
        })
    }

    /// What is said at once of corners in one point is what the terms say.
    #[test]
    fn corners_in_one_point_follow_the_terms() {
        let corners = [0, 1, 2, 3].map(|id| Corner {
            id,
            at: DVec3::new(0.3, -1.0, 2.0),
        });
        let factors = TERMS.iter().map(|term| term.minor(&corners));
        let first = factors.clone().find(|&factor| factor != 0.0).unwrap();
        assert_eq!(positive(corners), first > 0.0);
        assert_eq!(factors.filter(|&factor| factor != 0.0).count(), 24);
    }

    proptest! {
        /// The answer is the same for every order of corners and triangles, on touching and degenerate pairs at every scale.
        #[test]
        fn order_does_not_matter(seed in 0u64..100_000, size in 1u32..5, scale in 0usize..3) {
            let scale = [1e-6, 1.0, 1e6][scale];
            let mut random = Random::new([seed, 0, 0, 0]);
            let t = lattice(&mut random, [3, 7, 1], size, scale);
            let u = lattice(&mut random, [4, 0, 6], size, scale);
            let expected = cross_apart(t, u);
            for a in ORDERS {
                for b in ORDERS {
                    prop_assert_eq!(cross_apart(a.map(|k| t[k]), b.map(|k| u[k])), expected);
                    prop_assert_eq!(cross_apart(b.map(|k| u[k]), a.map(|k| t[k])), expected);
                }
            }
            let w = [t[0], u[1], u[2]];
            let expected = cross_at_vertex(t, w);
            prop_assert_eq!(cross_at_vertex(w, t), expected);
            prop_assert_eq!(cross_at_vertex([t[0], t[2], t[1]], w), expected);
            prop_assert_eq!(cross_at_vertex([w[0], w[2], w[1]], t), expected);
        }

        /// A loop crosses a closed surface an even number of times, whatever coincides.
        #[test]
        fn loops_cross_closed_surfaces_evenly(seed in 0u64..100_000, size in 1u32..5) {
            let mut random = Random::new([seed, 1, 0, 0]);
            let [a, b, c] = lattice(&mut random, [2, 9, 4], size, 1.0);
            let [d, ..] = lattice(&mut random, [7, 0, 0], size, 1.0);
            let tetrahedron = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
            let u = lattice(&mut random, [1, 8, 5], size, 1.0);
            let crossings = tetrahedron
                .iter()
                .flat_map(|&t| (0..3).map(move |k| (t, k)))
                .filter(|&(t, k)| {
                    let (p, q) = (u[k], u[(k + 1) % 3]);
                    let plane = Plane::new(t);
                    plane.below(p) != plane.below(q) && pierces(p, q, t)
                })
                .count();
            prop_assert_eq!(crossings % 2, 0);
        }

        /// The distance bound is positive for triangles that do not meet, and never above the distance of points of them.
        #[test]
        fn distance_is_bounded(seed in 0u64..100_000) {
            let mut random = Random::new([seed, 2, 0, 0]);
            let mut corner = |id| Corner { id, at: random.next_in_cube().as_dvec3() };
            let t = [corner(0), corner(1), corner(2)];
            let u = [corner(3), corner(4), corner(5)];
            let [t0, u0] = [t, u].map(|c| c.map(|c| c.at));
            let bound = distance_bound(t0, u0, f64::INFINITY);
            prop_assert_eq!(bound > 0.0, !cross_apart(t, u));
            for _ in 0..100 {
                let mut inside = |c: [DVec3; 3]| {
                    let w = random.next_in_cube().as_dvec3() + 1e-9;
                    (c[0] * w.x + c[1] * w.y + c[2] * w.z) / (w.x + w.y + w.z)
                };
                prop_assert!(inside(t0).distance(inside(u0)) >= bound - 1e-12);
            }
            prop_assert!(distance_bound(t0, u0, 0.0) <= bound);
        }
    }

    /// Crossing, missing and parallel pairs.
    #[test]
    fn plain_pairs() {
        let triangle = |ids: [u32; 3], c: [[f64; 3]; 3]| {
            let at = |k: usize| Corner {
                id: ids[k],
                at: DVec3::from_array(c[k]),
            };
            [at(0), at(1), at(2)]
        };
        let base = triangle([0, 1, 2], [[0., 0., 0.], [2., 0., 0.], [0., 2., 0.]]);
        let through = triangle([3, 4, 5], [[0.5, 0.5, -1.], [0.5, 0.5, 1.], [5., 5., 0.5]]);
        assert!(cross_apart(base, through));
        let moved = |t: [Corner; 3], by: DVec3| t.map(|c| Corner { at: c.at + by, ..c });
        assert!(!cross_apart(base, moved(through, DVec3::new(2., 2., 0.))));
        let above = triangle([3, 4, 5], [[0., 0., 1e-9], [2., 0., 1e-9], [0., 2., 1e-9]]);
        assert!(!cross_apart(base, above));
        // With a common vertex: one that dives through the other, and one that leaves it.
        let dives = triangle([0, 4, 5], [[0., 0., 0.], [1., 1., -1.], [1., 1., 1.]]);
        assert!(cross_at_vertex(base, dives));
        let leaves = triangle([0, 4, 5], [[0., 0., 0.], [-1., -1., -1.], [-1., -1., 1.]]);
        assert!(!cross_at_vertex(base, leaves));
    }

    /// A shut book is folded, an open one and a flat triangle are not.
    #[test]
    fn folds() {
        let mut mesh = testing::tetrahedron();
        let [a, b, c] = mesh.triangle(0);
        let h = 0;
        let d = mesh.origin(crate::surface::closed_mesh::prev(mesh.twin(h)));
        mesh.x[a as usize] = Vec3::ZERO;
        mesh.x[b as usize] = Vec3::X;
        mesh.x[c as usize] = Vec3::new(0.4, 1.0, 0.0);
        let j = mesh.twin(h) / 3;
        for (apex, expected) in [
            (Vec3::new(0.5, 1.0, 0.02), true),
            (Vec3::new(0.5, 1.0, 0.2), false),
            (Vec3::new(0.5, -1.0, 0.0), false),
            (Vec3::new(2.0, 0.0, 0.0), false),
        ] {
            mesh.x[d as usize] = apex;
            assert_eq!(triangles_cross(&mesh, 0, j), expected, "{apex}");
            assert_eq!(triangles_cross(&mesh, j, 0), expected, "{apex}");
        }
        assert!(!triangles_cross(&mesh, 0, 0));
    }
}
