//! Makers of fracture patterns: shards, glass, splinters and bricks.

use glam::DVec3;

use super::clip::Plane;
use super::pattern::{Half, Pattern, voronoi};
use crate::random::Random;

/// Share of the seeds that crowd about the impact.
const NEAR: f64 = 0.6;

/// One in so many cells, at least, is a pair along lines that cells meet on.
const PAIRS: f64 = 6.0;

/// Shards: Voronoi cells of `count` seeds within `radius` of the impact (m), three in five of them denser towards it.
pub fn shards(count: u32, radius: f64, key: u64) -> Pattern {
    voronoi(&shard_seeds(count, radius, key))
}

/// The same, but cells meet along `lines`, as seen along z (m): on either side of each line there is a row of seeds, the mirror image of the
/// other. A tear can only follow a line if there is a crack along all of it; cells that lie anyhow have their borders anywhere.
pub fn shards_along(count: u32, radius: f64, key: u64, lines: &[[DVec3; 2]]) -> Pattern {
    let flat = |v: DVec3| DVec3::new(v.x, v.y, 0.0);
    let mut across: Vec<[DVec3; 2]> = Vec::new();
    for &[a, b] in lines {
        let (length, middle) = (flat(b - a).length(), 0.5 * (a + b));
        // Lines are drawn as thin faces: both of their long edges are the same line, the short ones are none.
        let known = |l: &[DVec3; 2]| flat(0.5 * (l[0] + l[1]) - middle).length() < 0.1 * length;
        if length > 0.5 * (b - a).length() && !across.iter().any(known) {
            across.push([a, b]);
        }
    }
    let total: f64 = across.iter().map(|[a, b]| flat(*b - *a).length()).sum();
    let step = total * PAIRS / f64::from(count.max(1));
    let mut pairs: Vec<DVec3> = Vec::new();
    for [a, b] in across {
        let side = flat(b - a).cross(DVec3::Z).normalize_or_zero() * (0.5 * step);
        let places = (flat(b - a).length() / step + 0.5).max(1.0) as u32;
        for k in 0..places {
            let at = a.lerp(b, (f64::from(k) + 0.5) / f64::from(places));
            pairs.extend([at + side, at - side]);
        }
    }
    let mut seeds = shard_seeds(count, radius, key);
    seeds.retain(|s| pairs.iter().all(|p| flat(*s - *p).length() > step));
    seeds.extend(pairs);
    voronoi(&seeds)
}

fn shard_seeds(count: u32, radius: f64, key: u64) -> Vec<DVec3> {
    let near = (f64::from(count) * NEAR + 0.5) as u32;
    let seed = |k: u32| {
        let mut random = Random::new([key, 0x5e_ed, u64::from(k), 0]);
        let direction = random.next_direction().as_dvec3();
        let u = f64::from(random.next_f32());
        // Uniform in the ball by the cube root, falling off from the impact by the square.
        let r = if k < near { u * u } else { libm::cbrt(u) };
        direction * (r * radius)
    };
    (0..count.max(1)).map(seed).collect()
}

/// Glass: cracks that run out from the impact and rings of straight cracks between them, in a sheet across z. `radius` is that of the
/// outermost ring (m).
pub fn glass(spokes: u32, rings: u32, radius: f64, key: u64) -> Pattern {
    let (spokes, rings) = (spokes.max(5), rings.max(1));
    let mut random = Random::new([key, 0x61_a5, 0, 0]);
    let mut jitter = |share: f64| 1.0 + share * (2.0 * f64::from(random.next_f32()) - 1.0);
    let step = std::f64::consts::TAU / f64::from(spokes);
    let angles: Vec<f64> = (0..spokes)
        .map(|s| step * (f64::from(s) + 0.25 * (jitter(1.0) - 1.0)))
        .collect();
    let directions: Vec<DVec3> = angles
        .iter()
        .map(|&a| DVec3::new(libm::cos(a), libm::sin(a), 0.0))
        .collect();
    // Rings grow by a fixed factor: fine at the impact, coarse outside.
    let ring_radius = |k: u32| radius * libm::pow(1.7, f64::from(k) - f64::from(rings - 1));
    let corners: Vec<Vec<DVec3>> = (0..rings)
        .map(|k| {
            directions
                .iter()
                .map(|&d| d * (ring_radius(k) * jitter(0.12)))
                .collect()
        })
        .collect();
    let mut planes: Vec<Plane> = directions
        .iter()
        .map(|d| Plane::through(DVec3::ZERO, DVec3::Z.cross(*d)))
        .collect();
    let count = spokes as usize;
    for ring in &corners {
        for s in 0..count {
            let (p, q) = (ring[s], ring[(s + 1) % count]);
            planes.push(Plane::through(p, (q - p).cross(DVec3::Z)));
        }
    }
    let chord = |k: u32, s: u32| spokes * (k + 1) + s;
    let mut cells = Vec::new();
    for s in 0..spokes {
        // Between a spoke and the next one: in front of the first, behind the second.
        let wedge = [
            Half {
                plane: s,
                flipped: true,
            },
            Half {
                plane: (s + 1) % spokes,
                flipped: false,
            },
        ];
        for k in 0..=rings {
            let mut halves = wedge.to_vec();
            if k > 0 {
                halves.push(Half {
                    plane: chord(k - 1, s),
                    flipped: true,
                });
            }
            if k < rings {
                halves.push(Half {
                    plane: chord(k, s),
                    flipped: false,
                });
            }
            cells.push(halves);
        }
    }
    Pattern::from_halves(planes, cells, radius)
}

/// Splinters of wood: long cells along x, about `width` wide and `length` long (m), `rows` of them side by side in y, with slanted ends.
pub fn splinters(rows: u32, per_row: u32, width: f64, length: f64, key: u64) -> Pattern {
    let mut random = Random::new([key, 0x77_00d, 0, 0]);
    let mut unit = || f64::from(random.next_f32());
    let (rows, per_row) = (rows.max(1), per_row.max(1));
    let middle = 0.5 * f64::from(rows);
    let heights: Vec<f64> = (1..rows)
        .map(|k| width * (f64::from(k) - middle + 0.5 * (unit() - 0.5)))
        .collect();
    let ends = (0..rows).map(|_| {
        let shift = unit();
        let end = |k: u32| {
            length * (f64::from(k) - 0.5 * f64::from(per_row) + 0.5 * shift + 0.4 * (unit() - 0.5))
        };
        let at: Vec<f64> = (1..per_row).map(end).collect();
        // A slant of at most a quarter of the length over two widths: neighbouring ends never cross within a row.
        let most = (0.1 * length / width).min(2.0);
        at.into_iter()
            .map(|x| (x, most * (2.0 * unit() - 1.0)))
            .collect()
    });
    let ends: Vec<Vec<(f64, f64)>> = ends.collect();
    in_rows(
        &heights,
        &ends,
        width * f64::from(rows) + length * f64::from(per_row),
    )
}

/// Bricks in running bond: `rows` of height `height` in y, `per_row` bricks of `length` in x (m), every other row shifted by half a brick.
pub fn bricks(rows: u32, per_row: u32, height: f64, length: f64) -> Pattern {
    let (rows, per_row) = (rows.max(1), per_row.max(1));
    let heights: Vec<f64> = (1..rows)
        .map(|k| height * (f64::from(k) - 0.5 * f64::from(rows)))
        .collect();
    let row = |k: u32| {
        let shift = if k.is_multiple_of(2) { 0.25 } else { -0.25 };
        let end = |b: u32| {
            (
                length * (f64::from(b) - 0.5 * f64::from(per_row) + shift),
                0.0,
            )
        };
        (1..per_row).map(end).collect()
    };
    let ends: Vec<Vec<(f64, f64)>> = (0..rows).map(row).collect();
    in_rows(
        &heights,
        &ends,
        height * f64::from(rows) + length * f64::from(per_row),
    )
}

/// Rows between planes of constant y, each cut by planes x + slant (y − middle) = end. The first and last of each kind have no bounds.
fn in_rows(heights: &[f64], ends: &[Vec<(f64, f64)>], size: f64) -> Pattern {
    let mut planes: Vec<Plane> = heights
        .iter()
        .map(|&y| Plane { n: DVec3::Y, d: y })
        .collect();
    let mut cells = Vec::new();
    for (row, ends) in ends.iter().enumerate() {
        let below = row.checked_sub(1).map(|k| heights[k]);
        let above = heights.get(row).copied();
        let middle = match (below, above) {
            (Some(a), Some(b)) => 0.5 * (a + b),
            (Some(y), None) | (None, Some(y)) => y,
            (None, None) => 0.0,
        };
        let first = planes.len() as u32;
        for &(x, slant) in ends {
            planes.push(Plane::through(
                DVec3::new(x, middle, 0.0),
                DVec3::new(1.0, slant, 0.0),
            ));
        }
        for k in 0..=ends.len() as u32 {
            let mut halves = Vec::new();
            if row > 0 {
                halves.push(Half {
                    plane: row as u32 - 1,
                    flipped: true,
                });
            }
            if row < heights.len() {
                halves.push(Half {
                    plane: row as u32,
                    flipped: false,
                });
            }
            if k > 0 {
                halves.push(Half {
                    plane: first + k - 1,
                    flipped: true,
                });
            }
            if (k as usize) < ends.len() {
                halves.push(Half {
                    plane: first + k,
                    flipped: false,
                });
            }
            cells.push(halves);
        }
    }
    Pattern::from_halves(planes, cells, size)
}

#[cfg(test)]
mod tests {
    use super::super::clip::{Clipped, Piece};
    use super::super::fracture::{FractureOptions, fracture};
    use super::super::nasty::{append, cube, ell, moved};
    use super::super::pattern::{PatternError, from_mesh};
    use super::super::polyhedron::Polyhedron;
    use super::super::primitive::{FaceTag, NO_CELL, Primitive};
    use super::*;
    use glam::Vec3;

    fn volumes(pattern: &Pattern, lo: DVec3, hi: DVec3) -> Vec<f64> {
        let whole = Piece::with_gids(
            Polyhedron::cuboid(lo, hi, FaceTag::Outer),
            &[0, 1, 2, 3, 4, 5, 6, 7],
        );
        let volume = |halves: &Vec<Half>| {
            let mut piece = whole.clone();
            for &half in halves {
                match piece.clip(&pattern.plane(half), half.plane, 1e-9, 0) {
                    Clipped::All => {}
                    Clipped::Nothing => return 0.0,
                    Clipped::Part(part) => piece = part,
                }
            }
            piece.shape.volume()
        };
        pattern.cells.iter().map(|c| volume(&c.halves)).collect()
    }

    /// The worked example: cells of five seeds in the unit cube, and three boxes cut by them, to nine digits.
    #[test]
    fn worked_volumes() {
        let seeds = [
            DVec3::new(0.25, 0.25, 0.25),
            DVec3::new(0.75, 0.3, 0.4),
            DVec3::new(0.4, 0.8, 0.6),
            DVec3::new(0.7, 0.7, 0.2),
            DVec3::new(0.5, 0.5, 0.9),
        ];
        let pattern = voronoi(&seeds);
        let rows = [
            (
                DVec3::ZERO,
                DVec3::ONE,
                [
                    0.198835370,
                    0.196783432,
                    0.217948772,
                    0.166992305,
                    0.219440121,
                ],
            ),
            (
                DVec3::ZERO,
                DVec3::new(1.0, 0.5, 0.1),
                [0.028311294, 0.015670136, 0.0, 0.006018570, 0.0],
            ),
            (
                DVec3::new(0.0, 0.5, 0.0),
                DVec3::new(1.0, 1.0, 0.1),
                [0.008816095, 0.0, 0.002348932, 0.038834973, 0.0],
            ),
            (
                DVec3::new(0.2, 0.2, 0.1),
                DVec3::new(0.6, 0.6, 0.7),
                [
                    0.048286494,
                    0.017242896,
                    0.011492385,
                    0.007543007,
                    0.011435219,
                ],
            ),
        ];
        for (lo, hi, expected) in rows {
            let found = volumes(&pattern, lo, hi);
            for (v, e) in found.iter().zip(expected) {
                assert!((v - e).abs() < 1e-9, "{v} {e}");
            }
            let whole = (hi - lo).element_product();
            assert!((found.iter().sum::<f64>() - whole).abs() < 1e-12);
        }
    }

    /// Every maker's cells fill space exactly once, also when placed, and the key alone decides where they are.
    #[test]
    fn cells_fill_space() {
        for pattern in [
            shards(30, 1.0, 1),
            glass(9, 4, 1.0, 2),
            splinters(6, 3, 0.2, 1.0, 3),
            bricks(5, 4, 0.3, 0.7),
        ] {
            let placed = pattern.placed(
                DVec3::new(0.3, -0.2, 0.5),
                DVec3::new(1.0, 2.0, 3.0),
                0.7,
                1.5,
            );
            for p in [&pattern, &placed] {
                let found = volumes(p, DVec3::splat(-1.5), DVec3::splat(1.0));
                assert!((found.iter().sum::<f64>() / 2.5f64.powi(3) - 1.0).abs() < 1e-9);
                assert!(
                    !p.adjacency.is_empty() && p.is_tearable(p.adjacency[0].a, p.adjacency[0].b)
                );
            }
        }
        assert_eq!(shards(30, 1.0, 1), shards(30, 1.0, 1));
        assert_ne!(shards(30, 1.0, 1), shards(30, 1.0, 2));
    }

    /// Within a radius a pattern fills a prism and nothing else, and what lies outside of it stays in one piece with no cell.
    #[test]
    fn cells_within_a_radius() {
        for pattern in [
            shards(30, 1.0, 1),
            glass(9, 4, 1.0, 2),
            bricks(5, 4, 0.3, 0.7),
        ] {
            let p = pattern.within(0.8).placed(DVec3::X, DVec3::ONE, 0.3, 1.0);
            let filled: f64 = p.cells.iter().map(|c| c.shape.volume()).sum();
            let expected = 8.0 * libm::tan(std::f64::consts::PI / 8.0) * 0.64 * 1.6;
            assert!(
                (filled / expected - 1.0).abs() < 1e-9,
                "{filled} {expected}"
            );
            assert!(p.bounded && p.outer.len() == 10 && !p.adjacency.is_empty());
            assert_eq!(p.cell_of(DVec3::X + 2.0, 0.0), None);
        }
        let shape = Polyhedron::cuboid(DVec3::splat(-4.0), DVec3::splat(4.0), FaceTag::Outer);
        let block = Primitive::new(&shape, (0..8).collect(), 8.0);
        let p = shards(20, 1.0, 4).within(1.0);
        let made = fracture(&[block], &p, 8, &FractureOptions::default());
        let outside = made.primitives.iter().filter(|p| p.cell == NO_CELL);
        let volume: f32 = outside.map(|p| p.volume).sum();
        let filled: f64 = p.cells.iter().map(|c| c.shape.volume()).sum();
        assert!((f64::from(volume) / (512.0 - filled) - 1.0).abs() < 1e-6);
    }

    /// Three in five seeds crowd about the impact.
    #[test]
    fn shards_crowd() {
        let p = shards(100, 1.0, 5);
        assert_eq!(p.cells.len(), 100);
        let near = p
            .cells
            .iter()
            .filter(|c| c.shape.mass_properties().centroid.length() < 0.5)
            .count();
        assert!(near > 35, "{near}");
    }

    /// Cells meet along a bent line: just beside it each side has cells of its own, all along it.
    #[test]
    fn shards_meet_along_lines() {
        let [a, b, c] = [
            DVec3::new(-0.2, -0.9, 0.0),
            DVec3::new(0.1, 0.0, 0.0),
            DVec3::new(-0.1, 0.9, 0.0),
        ];
        // Thin faces: each line twice, and their short edges.
        let thin = DVec3::Z * 1e-3;
        let lines = [[a, b], [b + thin, a + thin], [b, b + thin], [b, c]];
        let meets = |p: &Pattern| {
            let mut beside = [Vec::new(), Vec::new()];
            for [from, to] in [[a, b], [b, c]] {
                let side = (to - from).cross(DVec3::Z).normalize();
                for k in 5..=95 {
                    let at = from.lerp(to, f64::from(k) / 100.0);
                    for (cells, s) in beside.iter_mut().zip([0.02, -0.02]) {
                        cells.extend(p.cell_of(at + side * s, 0.0));
                    }
                }
            }
            assert_eq!((beside[0].len(), beside[1].len()), (182, 182));
            beside[0].iter().all(|c| !beside[1].contains(c))
        };
        for key in 0..8 {
            assert!(meets(&shards_along(120, 1.5, key, &lines)), "{key}");
            assert!(!meets(&shards(120, 1.5, key)), "{key}");
        }
    }

    /// A brick has its six neighbours, and marks decide which of them may tear.
    #[test]
    fn brick_neighbours() {
        let mut p = bricks(5, 5, 1.0, 2.0);
        let middle = p.cell_of(DVec3::new(0.1, 0.0, 0.0), 0.0).unwrap();
        let count = p
            .adjacency
            .iter()
            .filter(|x| x.a == middle || x.b == middle)
            .count();
        assert_eq!(count, 6);
        p.set_tearable(|a, b| {
            (a.shape.mass_properties().centroid.y < 0.0)
                != (b.shape.mass_properties().centroid.y < 0.0)
        });
        assert!(p.adjacency.iter().any(|x| x.tearable) && p.adjacency.iter().any(|x| !x.tearable));
    }

    /// Cells of a mesh share their planes; a part that is not convex is named.
    #[test]
    fn cells_of_a_mesh() {
        let mut mesh = cube(0.0, 1.0);
        append(&mut mesh, &moved(cube(0.0, 1.0), Vec3::X));
        mesh.parts = [[0; 6], [1; 6]].concat();
        mesh.part_names = vec!["left".to_owned(), "right".to_owned()];
        let p = from_mesh(&mesh).unwrap();
        assert_eq!(
            (p.cells.len(), p.planes.len(), p.adjacency.len()),
            (2, 7, 1)
        );
        assert!(p.bounded && p.outer.len() == 6);
        let mut bad = ell();
        bad.part_names = vec!["arm".to_owned()];
        bad.parts = vec![0; 8];
        let error = from_mesh(&bad).unwrap_err();
        assert!(matches!(error, PatternError::NotConvex { .. }));
        assert_eq!(
            error.to_string(),
            "part 0 ('arm') of the pattern is not a closed convex shape"
        );
    }
}
