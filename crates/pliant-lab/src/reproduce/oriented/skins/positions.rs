//! A skin that knows only where particles are, not how they are turned.
//!
//! A vertex hangs on the tetrahedron of centres that it is in, or nearest to, with barycentric weights that stay as they are. Particles in
//! a row make no tetrahedra: there a vertex keeps its place beside the nearest piece of the row, and goes with the shortest turn of that.

use glam::{Mat3, Quat, Vec3};

/// Centres of particles that carry vertices: a tetrahedron or a piece of a row.
pub(super) enum Cell {
    /// Four centres that are not in a plane.
    Tetrahedron([usize; 4]),
    /// Two neighbours in a row.
    Piece([usize; 2]),
}

impl Cell {
    /// The first centre, and axes along which vertices keep their coordinates.
    fn frame(&self, rest: &[Vec3], now: &[Vec3]) -> (Vec3, Mat3) {
        match *self {
            Self::Tetrahedron([a, b, c, d]) => {
                let edges = |x: &[Vec3]| Mat3::from_cols(x[b] - x[a], x[c] - x[a], x[d] - x[a]);
                (now[a], edges(now) * edges(rest).inverse())
            }
            Self::Piece([a, b]) => {
                let (before, after) = (rest[b] - rest[a], now[b] - now[a]);
                let turn = Quat::from_rotation_arc(before.normalize(), after.normalize());
                (now[a], Mat3::from_quat(turn))
            }
        }
    }

    /// The least of the weights of a place: below 0 it is outside.
    fn least_weight(&self, rest: &[Vec3], y: Vec3) -> f32 {
        match *self {
            Self::Tetrahedron([a, b, c, d]) => {
                let [a, b, c, d] = [a, b, c, d].map(|i| rest[i]);
                let w = Mat3::from_cols(b - a, c - a, d - a).inverse() * (y - a);
                w.min_element().min(1.0 - w.element_sum())
            }
            Self::Piece([a, b]) => {
                let along = rest[b] - rest[a];
                let w = along.dot(y - rest[a]) / along.length_squared();
                w.min(1.0 - w)
            }
        }
    }
}

/// Where vertices are that were at `vertices` when the centres were at `rest`.
pub(super) fn carry(cells: &[Cell], rest: &[Vec3], now: &[Vec3], vertices: &[Vec3]) -> Vec<Vec3> {
    let carry = |&y: &Vec3| {
        let weight = |cell: &&Cell| cell.least_weight(rest, y);
        let nearest = cells.iter().max_by(|a, b| weight(a).total_cmp(&weight(b)));
        nearest.map_or(y, |cell| {
            let (origin, axes) = cell.frame(rest, now);
            let (first, _) = cell.frame(rest, rest);
            origin + axes * (y - first)
        })
    };
    vertices.iter().map(carry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTRES: [Vec3; 5] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];

    fn tetrahedra() -> [Cell; 2] {
        [
            Cell::Tetrahedron([0, 1, 2, 3]),
            Cell::Tetrahedron([1, 2, 3, 4]),
        ]
    }

    /// An affine motion of the centres is one of the vertices, inside and outside of the cells.
    #[test]
    fn affine_motions_are_kept() {
        let map = Mat3::from_cols_array(&[1.2, 0.1, 0.0, -0.3, 0.8, 0.2, 0.4, 0.0, 1.5]);
        let now = CENTRES.map(|x| map * x + Vec3::Y);
        let vertices = [
            Vec3::splat(0.2),
            Vec3::splat(0.6),
            Vec3::new(2.0, -1.0, 0.5),
        ];
        let carried = carry(&tetrahedra(), &CENTRES, &now, &vertices);
        for (y, rest) in carried.iter().zip(vertices) {
            assert!(y.distance(map * rest + Vec3::Y) < 1e-5, "{y}");
        }
    }

    /// A vertex goes with the cell that it is in, not with another one.
    #[test]
    fn vertices_go_with_their_cell() {
        let mut now = CENTRES;
        now[4] += Vec3::X;
        let carried = carry(
            &tetrahedra(),
            &CENTRES,
            &now,
            &[Vec3::splat(0.2), Vec3::splat(0.7)],
        );
        assert!(carried[0].distance(Vec3::splat(0.2)) < 1e-6);
        assert!(carried[1].x > 0.8, "{}", carried[1]);
    }

    /// Pieces of a row turn what is beside them when they turn, but cannot tell that they are twisted.
    #[test]
    fn rows_turn_but_do_not_twist() {
        let (rest, now) = ([Vec3::ZERO, Vec3::X], [Vec3::ZERO, Vec3::Y]);
        let cells = [Cell::Piece([0, 1])];
        let carried = carry(&cells, &rest, &now, &[Vec3::new(0.5, 0.1, 0.2)]);
        assert!(carried[0].distance(Vec3::new(-0.1, 0.5, 0.2)) < 1e-6);
    }
}
