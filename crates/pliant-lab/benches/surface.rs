//! Criterion benches of the tracked surface: inside tests as resampling asks them, and extraction.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use pliant::random::Random;
use pliant::surface::columns::{Columns, Inflation};
use pliant::surface::extract::extract;

/// Spacing of columns, of an object of radius 1: a fifth of a particle radius of 0.1.
const SPACING: f32 = 0.02;

/// A corner table.
struct Surface {
    x: Vec<Vec3>,
    corner: Vec<u32>,
    out: Vec<u32>,
}

/// A bumpy sphere of 12 n² triangles: the faces of a cube, n squares a side, blown up.
fn bumpy_sphere(n: u32) -> Surface {
    let mut keyed: Vec<([u32; 3], u32)> = Vec::new();
    let mut corner = Vec::new();
    for face in 0..6 {
        let (axis, high) = (face % 3, face / 3);
        let (u, v) = if high == 1 {
            ((axis + 1) % 3, (axis + 2) % 3)
        } else {
            ((axis + 2) % 3, (axis + 1) % 3)
        };
        let at = |a: u32, b: u32| {
            let mut p = [0; 3];
            (p[axis], p[u], p[v]) = (high as u32 * n, a, b);
            p
        };
        // Squares in small blocks, as patches are numbered.
        let mut squares: Vec<(u32, u32)> = (0..n * n).map(|s| (s / n, s % n)).collect();
        squares.sort_by_key(|&(a, b)| (a / 6, b / 6));
        for (a, b) in squares {
            let [p, q, r, s] = [at(a, b), at(a + 1, b), at(a + 1, b + 1), at(a, b + 1)];
            for key in [p, q, r, p, r, s] {
                keyed.push((key, corner.len() as u32));
                corner.push(0);
            }
        }
    }
    // Equal places are one vertex, numbered by first use.
    keyed.sort_unstable();
    let mut groups: Vec<&[([u32; 3], u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).collect();
    groups.sort_unstable_by_key(|g| g[0].1);
    let mut x = Vec::new();
    let mut out = Vec::new();
    for group in groups {
        let p = Vec3::from_array(group[0].0.map(|k| k as f32 / n as f32 * 2.0 - 1.0)).normalize();
        let bumps = (7.0 * p.x).sin() * (6.0 * p.y).sin() * (5.0 * p.z).sin();
        for &(_, h) in group {
            corner[h as usize] = x.len() as u32;
        }
        out.push(group[0].1);
        x.push(p * (1.0 + 0.1 * bumps));
    }
    Surface { x, corner, out }
}

/// Inflating, building and 35,000 queries, together and alone, at the triangle counts of a small and a large body.
fn columns(criterion: &mut Criterion) {
    let mut random = Random::new([1, 0, 0, 0]);
    let points: Vec<Vec3> = (0..35_000)
        .map(|_| random.next_in_cube() * 2.2 - 1.1)
        .collect();
    for (name, n) in [("60k", 71), ("342k", 169)] {
        let Surface { x, corner, out } = bumpy_sphere(n);
        let mut inflation = Inflation::new();
        let mut columns = Columns::new();
        criterion.bench_function(&format!("surface/columns/{name}/all"), |bench| {
            bench.iter(|| {
                let moved = inflation.inflate(&x, &corner, &out, 0.025);
                columns.build(moved, &corner, None, SPACING);
                columns.contains_all(&points)
            });
        });
        criterion.bench_function(&format!("surface/columns/{name}/inflate"), |bench| {
            bench.iter(|| inflation.inflate(&x, &corner, &out, 0.025).len());
        });
        let moved = inflation.inflate(&x, &corner, &out, 0.025);
        criterion.bench_function(&format!("surface/columns/{name}/build"), |bench| {
            bench.iter(|| columns.build(moved, &corner, None, SPACING));
        });
        criterion.bench_function(&format!("surface/columns/{name}/queries"), |bench| {
            bench.iter(|| columns.contains_all(&points));
        });
    }
}

/// Taking the whole surface anew.
fn extraction(criterion: &mut Criterion) {
    for (name, n) in [("60k", 71), ("342k", 169)] {
        let Surface { x, corner, .. } = bumpy_sphere(n);
        let all: Vec<u32> = (0..corner.len() as u32 / 3).collect();
        criterion.bench_function(&format!("surface/extract/{name}"), |bench| {
            bench.iter(|| extract(&x, &corner, &all, SPACING));
        });
    }
}

criterion_group!(benches, columns, extraction);
criterion_main!(benches);
