use super::*;
use crate::geometry::Mesh;
use crate::geometry::topology::MeshReport;
use crate::geometry::topology::tests::{append, sphere, torus};
use crate::random::Random;
use proptest::prelude::*;

/// Extracts all of a mesh and checks what must hold for any input.
fn extracted(mesh: &Mesh, spacing: f32) -> (MeshReport, Mesh) {
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let corner = mesh.triangles.as_flattened();
    let found = extract(&mesh.positions, corner, &all, spacing);
    let result = Mesh {
        positions: found.positions,
        triangles: found.triangles,
        ..Mesh::default()
    };
    assert!(result.validate().is_ok() || result.triangles.is_empty());
    let report = MeshReport::with_limit(&result, 0);
    assert!(report.closed() || report.triangle_count == 0);
    assert!(report.manifold());
    assert_eq!(report.flipped_edge_count, 0);
    assert_eq!(report.duplicate_triangle_count, 0);
    assert_eq!(report.unused_vertex_count, 0);
    (report, result)
}

fn inverted(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}

#[track_caller]
fn assert_volume(report: &MeshReport, expected: f64, tolerance: f64) {
    let error = (report.volume / expected - 1.0).abs();
    assert!(error < tolerance, "{} against {expected}", report.volume);
}

/// A sphere comes back as a sphere, at any size and far from the origin.
#[test]
fn one_sphere() {
    for scale in [1.0f32, 1e-6, 1e6] {
        for offset in [Vec3::ZERO, Vec3::new(30.0, -20.0, 10.0)] {
            let mut mesh = sphere(32, 64, 1.0);
            mesh.positions
                .iter_mut()
                .for_each(|p| *p = (*p + offset) * scale);
            let (report, result) = extracted(&mesh, 0.07 * scale);
            assert_eq!((report.component_count, report.euler_number), (1, 2));
            assert_volume(&report, mesh.volume(), 0.02);
            assert_eq!(report.degenerate_triangle_count, 0);
            for p in result.positions {
                let distance = (p / scale - offset).length();
                assert!((distance - 1.0).abs() < 0.02, "{distance}");
            }
        }
    }
}

/// Two spheres that overlap become one, with the volume of their union.
#[test]
fn overlapping_spheres() {
    let mut mesh = sphere(48, 96, 1.0);
    append(&mut mesh, &sphere(48, 96, 1.0), Vec3::new(0.6, 0.0, 0.8));
    let (report, _) = extracted(&mesh, 0.05);
    assert_eq!((report.component_count, report.euler_number), (1, 2));
    // Two unit spheres a distance 1 apart share the volume 5π/12.
    assert_volume(
        &report,
        std::f64::consts::PI * (8.0 / 3.0 - 5.0 / 12.0),
        0.01,
    );
}

/// What lies inside is dropped, a cavity is kept, an inside-out sphere is nothing.
#[test]
fn nested_spheres() {
    let outer = sphere(32, 64, 1.0);
    let mut engulfing = outer.clone();
    append(&mut engulfing, &sphere(16, 32, 0.5), Vec3::X * 0.2);
    let (report, _) = extracted(&engulfing, 0.06);
    assert_eq!((report.component_count, report.euler_number), (1, 2));
    assert_volume(&report, outer.volume(), 0.02);

    let inner = inverted(sphere(16, 32, 0.5));
    let mut hollow = outer.clone();
    append(&mut hollow, &inner, Vec3::X * 0.2);
    let (report, _) = extracted(&hollow, 0.06);
    assert_eq!((report.component_count, report.euler_number), (2, 4));
    assert_volume(&report, hollow.volume(), 0.02);

    assert_eq!(extracted(&inner, 0.06).0.triangle_count, 0);
}

/// A torus keeps its hole. One so fat that it crosses itself has none, but around its axis a void that is shaped like a lemon: there
/// the tube covers every point once forward and once backward.
#[test]
fn tori() {
    let ring = torus(64, 32);
    let (report, _) = extracted(&ring, 0.05);
    assert_eq!((report.component_count, report.genus()), (1, Some(1)));
    assert_volume(&report, ring.volume(), 0.03);
    let mut fat = ring.clone();
    for p in &mut fat.positions {
        let middle = Vec3::new(p.x, 0.0, p.z).normalize();
        *p = middle + (*p - middle) * 4.5;
    }
    let (report, _) = extracted(&fat, 0.05);
    assert_eq!((report.component_count, report.euler_number), (2, 4));
    assert_volume(&report, fat.volume(), 0.02);
}

/// Only the triangles that are named count.
#[test]
fn chosen_triangles() {
    let mut mesh = sphere(16, 32, 1.0);
    let count = mesh.triangles.len() as u32;
    append(&mut mesh, &sphere(16, 32, 0.5), Vec3::X * 3.0);
    mesh.triangles[0][0] = NONE;
    let chosen: Vec<u32> = (count..2 * count).collect();
    let corner = mesh.triangles.as_flattened();
    let found = extract(&mesh.positions, corner, &chosen, 0.05);
    assert!(
        found
            .positions
            .iter()
            .all(|p| p.distance(Vec3::X * 3.0) < 0.55)
    );
    assert!(!found.triangles.is_empty());
    assert_eq!(found.spacing, 0.05);
}

/// Nothing, flat things, bad numbers and impossible spacings.
#[test]
fn odd_input() {
    let empty = extract(&[], &[], &[], 0.1);
    assert!(empty.positions.is_empty() && empty.triangles.is_empty());
    let mut flat = sphere(8, 12, 1.0);
    flat.positions.iter_mut().for_each(|p| p.y = 0.25);
    assert_eq!(extracted(&flat, 0.05).0.triangle_count, 0);
    flat.positions.iter_mut().for_each(|p| *p = Vec3::ONE);
    assert_eq!(extracted(&flat, 0.05).0.triangle_count, 0);
    let ball = sphere(12, 16, 1.0);
    for spacing in [1e-9, 0.0, -1.0, f32::NAN, f32::INFINITY] {
        let all: Vec<u32> = (0..ball.triangles.len() as u32).collect();
        let found = extract(
            &ball.positions,
            ball.triangles.as_flattened(),
            &all,
            spacing,
        );
        assert!(found.spacing > 0.005 && found.spacing < 0.05, "{spacing}");
        assert!(found.triangles.len() > 1000);
    }
    let mut bad = ball.clone();
    bad.positions[3] = Vec3::NAN;
    bad.positions[9] = Vec3::INFINITY;
    extracted(&bad, 0.1);
    bad.positions[7] = Vec3::MAX;
    extracted(&bad, 0.1);
}

/// A long stick along each axis is not coarsened.
#[test]
fn sticks() {
    for axis in 0..3 {
        let mut mesh = sphere(24, 24, 1.0);
        for p in &mut mesh.positions {
            p[axis] *= 100.0;
        }
        let (report, _) = extracted(&mesh, 0.1);
        assert_volume(&report, mesh.volume(), 0.02);
        assert_eq!((report.component_count, report.euler_number), (1, 2));
    }
}

/// The same bits for one and three threads.
#[test]
fn threads_do_not_matter() {
    let mut mesh = torus(24, 16);
    let mut random = Random::new([1, 0, 0, 0]);
    mesh.positions
        .iter_mut()
        .for_each(|p| *p += 0.3 * random.next_in_cube());
    let all: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| extract(&mesh.positions, mesh.triangles.as_flattened(), &all, 0.03))
    };
    assert_eq!(in_pool(1), in_pool(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Crumpled surfaces, also with all coordinates on a coarse lattice, give manifolds whose volume is that of the nodes inside.
    #[test]
    fn crumpled_surfaces(
        seed in 0u64..10_000, noise in 0.0f32..2.0, coarse in any::<bool>(), spacing in 0.05f32..0.5,
        scale in prop::sample::select(vec![1.0f32, 1e-6, 1e6]),
    ) {
        let mut mesh = torus(12, 8);
        let mut random = Random::new([seed, 0, 0, 0]);
        for p in &mut mesh.positions {
            *p += noise * (random.next_in_cube() - 0.5);
            if coarse {
                *p = (*p * 4.0).round() / 4.0;
            }
            *p *= scale;
        }
        let (report, _) = extracted(&mesh, spacing * scale);
        prop_assert!(report.volume >= 0.0);
    }
}

/// Ranges of bits, also whole words and across them.
#[test]
fn bits() {
    for (from, to) in [
        (0, 0),
        (0, 64),
        (3, 5),
        (60, 70),
        (64, 128),
        (1, 190),
        (5, 5),
        (9, 4),
    ] {
        let mut words = [0u64; 3];
        set_bits(&mut words, from, to);
        for k in 0..192 {
            let is_set = words[k as usize / 64] >> (k % 64) & 1 == 1;
            assert_eq!(is_set, (from..to).contains(&k), "{from}..{to}: {k}");
        }
    }
    assert_eq!(ones(0b1_0110).collect::<Vec<_>>(), [1, 2, 4]);
}
