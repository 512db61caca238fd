use super::*;
use crate::geometry::Mesh;
use crate::geometry::topology::tests::{append, sphere, torus};
use crate::random::Random;
use crate::surface::rays::winding_above;
use proptest::prelude::*;

/// One outgoing half-edge a vertex.
fn outgoing(mesh: &Mesh) -> Vec<u32> {
    let mut out = vec![NONE; mesh.positions.len()];
    for (h, &v) in mesh.triangles.as_flattened().iter().enumerate() {
        out[v as usize] = h as u32;
    }
    out
}

fn exact(mesh: &Mesh, p: DVec3) -> i32 {
    let all = 0..mesh.triangles.len() as u32;
    winding_above(&mesh.positions, mesh.triangles.as_flattened(), all, p, NONE)
}

/// A crumpled sphere or torus that crosses itself, turned out of the axes.
fn crumpled(kind: bool, seed: u64, noise: f32) -> Mesh {
    let mut mesh = if kind {
        sphere(10, 14, 1.0)
    } else {
        torus(16, 10)
    };
    let mut random = Random::new([seed, 0, 0, 0]);
    let turn = glam::Quat::from_axis_angle(random.next_direction(), 1.0);
    for p in &mut mesh.positions {
        *p = turn * (*p + noise * (random.next_in_cube() - 0.5));
    }
    mesh
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// On the columns the count is that of exact rays; elsewhere it is that of the column, at most d/√2 aside.
    #[test]
    fn agrees_with_rays(
        kind in any::<bool>(), seed in 0u64..1000, noise in 0.0f32..1.5,
        scale in prop::sample::select(vec![1.0f32, 1e-6, 1e6]),
    ) {
        let mut mesh = crumpled(kind, seed, noise);
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        let mut columns = Columns::new();
        let d = columns.build(&mesh.positions, mesh.triangles.as_flattened(), None, 0.05 * scale);
        prop_assert_eq!(d, 0.05 * scale);
        let mut random = Random::new([seed, 1, 0, 0]);
        let points: Vec<Vec3> =
            (0..300).map(|_| (random.next_in_cube() * 4.0 - 2.0) * scale).collect();
        let inside = columns.contains_all(&points);
        for (&p, inside) in points.iter().zip(inside) {
            let on_column = columns.snap(p);
            let aside = (on_column - p.as_dvec3()).length();
            prop_assert!(aside <= f64::from(d) / 2f64.sqrt() * 1.0001);
            let count = columns.winding(p);
            prop_assert_eq!(count, exact(&mesh, on_column), "at {}", p);
            prop_assert_eq!(count > 0, inside);
        }
    }
}

/// Points that are answered wrongly lie within d of the surface.
#[test]
fn errs_only_near_the_surface() {
    let mesh = sphere(64, 96, 1.0);
    let mut columns = Columns::new();
    columns.build(&mesh.positions, mesh.triangles.as_flattened(), None, 0.04);
    let mut random = Random::new([3, 0, 0, 0]);
    let mut wrong = 0;
    for _ in 0..20_000 {
        let p = random.next_in_cube() * 2.4 - 1.2;
        if columns.contains(p) != (p.length() < 1.0) {
            wrong += 1;
            assert!((p.length() - 1.0).abs() < 0.04, "{p}");
        }
    }
    assert!(wrong < 400, "{wrong}");
}

/// Labels tell components apart, also where they overlap, and free slots are passed over.
#[test]
fn components() {
    let mut mesh = sphere(16, 24, 1.0);
    let count = mesh.triangles.len();
    append(&mut mesh, &sphere(16, 24, 1.0), Vec3::X);
    append(&mut mesh, &sphere(8, 8, 1.0), Vec3::NEG_X * 3.0);
    let labels: Vec<u32> = (0..mesh.triangles.len())
        .map(|t| (t / count) as u32)
        .collect();
    mesh.triangles[2 * count..]
        .iter_mut()
        .for_each(|t| t[0] = NONE);
    let mut columns = Columns::new();
    let corner = mesh.triangles.as_flattened();
    columns.build(&mesh.positions, corner, Some(&labels), 0.02);
    for (x, expected) in [(-0.5, [1, 0]), (0.5, [1, 1]), (1.5, [0, 1]), (-3.0, [0, 0])] {
        let p = Vec3::new(x, 0.01, 0.02);
        assert_eq!([0, 1].map(|c| columns.winding_of(p, c)), expected);
        assert_eq!(columns.winding(p), expected[0] + expected[1]);
    }
}

/// The same table for one and three threads, and again in used buffers.
#[test]
fn threads_do_not_matter() {
    let mut mesh = sphere(80, 120, 1.0);
    let mut random = Random::new([5, 0, 0, 0]);
    for p in &mut mesh.positions {
        *p += 0.1 * random.next_in_cube();
    }
    let out = outgoing(&mesh);
    let corner = mesh.triangles.as_flattened();
    let in_pool = |threads: usize, inflation: &mut Inflation, columns: &mut Columns| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let moved = inflation.inflate(&mesh.positions, corner, &out, 0.05);
            columns.build(moved, corner, None, 0.01);
            let mut windings = Vec::new();
            let mut random = Random::new([6, 0, 0, 0]);
            for _ in 0..10_000 {
                windings.push(columns.winding(random.next_in_cube() * 2.4 - 1.2));
            }
            let bits: Vec<[u32; 3]> = moved
                .iter()
                .map(|p| p.to_array().map(f32::to_bits))
                .collect();
            (bits, format!("{:?}", columns.lines), windings)
        })
    };
    let first = in_pool(1, &mut Inflation::new(), &mut Columns::new());
    let (mut inflation, mut columns) = (Inflation::new(), Columns::new());
    let other = sphere(20, 30, 2.0);
    let corner = other.triangles.as_flattened();
    inflation.inflate(&other.positions, corner, &outgoing(&other), 0.3);
    columns.build(&other.positions, corner, None, 0.3);
    assert!(first == in_pool(3, &mut inflation, &mut columns));
    assert!(first == in_pool(2, &mut inflation, &mut columns));
}

/// A sphere blown up is a larger sphere, at any size; free vertices and triangles are left out.
#[test]
fn inflates() {
    for scale in [1.0f32, 1e-6, 1e-12, 1e6, 1e12] {
        let mut mesh = sphere(64, 96, scale);
        mesh.positions.push(Vec3::splat(1e20));
        let out = outgoing(&mesh);
        mesh.triangles.push([NONE, 3, 4]);
        let corner = mesh.triangles.as_flattened();
        let mut inflation = Inflation::new();
        let moved = inflation.inflate(&mesh.positions, corner, &out, 0.1 * scale);
        let (free, moved) = moved.split_last().unwrap();
        assert!(free.is_nan());
        for p in moved {
            assert!((p.length() / scale - 1.1).abs() < 1e-3, "{p}");
        }
        let mut columns = Columns::new();
        columns.build(moved, corner, None, 0.02 * scale);
        assert_eq!(columns.spacing(), 0.02 * scale);
        assert_eq!(columns.winding(Vec3::ZERO), 1);
        assert_eq!(columns.winding(Vec3::X * 1.05 * scale), 1);
    }
    let mut inflation = Inflation::new();
    assert!(inflation.inflate(&[], &[], &[], 1.0).is_empty());
    let point = [Vec3::ONE; 3];
    assert_eq!(inflation.inflate(&point, &[0, 1, 2], &[0; 3], 1.0), point);
}

/// Spacings that cannot be had are replaced by coarser ones; empty, flat and bad input is harmless.
#[test]
fn odd_input() {
    let mesh = sphere(16, 24, 1e6);
    let corner = mesh.triangles.as_flattened();
    let mut columns = Columns::new();
    assert_eq!(columns.winding(Vec3::ZERO), 0);
    for spacing in [1e-6, 0.0, -1.0, f32::NAN, f32::INFINITY] {
        let d = columns.build(&mesh.positions, corner, None, spacing);
        assert!(d > 100.0 && d < 1e5, "{spacing}: {d}");
        assert!(columns.contains(Vec3::new(1.0, 2.0, 3.0)));
    }
    let d = columns.build(&mesh.positions, corner, None, 1e9);
    assert_eq!(d, 1e9);
    for p in [f32::NAN, f32::INFINITY, f32::MAX, f32::MIN] {
        assert_eq!(columns.winding(Vec3::splat(p)), 0);
    }
    // A thousand sheets on top of each other: too many crossings rather than too many columns.
    let mut stack = Mesh::default();
    for _ in 0..1000 {
        append(&mut stack, &sphere(4, 4, 1.0), Vec3::ZERO);
    }
    let d = columns.build(&stack.positions, stack.triangles.as_flattened(), None, 1e-3);
    assert!(d > 0.01, "{d}");
    assert_eq!(columns.winding(Vec3::ZERO), 1000);
    // A line that is longer than columns can follow, numbers that are not finite, and nothing.
    let line = [Vec3::ZERO, Vec3::X * 1e6, Vec3::X * 2e6];
    columns.build(&line, &[0, 1, 2, 0, 2, 1], None, 1e-6);
    assert_eq!(columns.winding(Vec3::X * 1e5), 0);
    let bad = [Vec3::NAN, Vec3::INFINITY, Vec3::MAX, Vec3::MIN];
    columns.build(&bad, &[0, 1, 2, 1, 2, 3], None, 1.0);
    columns.build(&[], &[], None, 1.0);
    assert_eq!(columns.winding(Vec3::ZERO), 0);
}
