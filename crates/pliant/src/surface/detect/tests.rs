use super::*;
use crate::geometry::Mesh;
use crate::random::Random;
use crate::surface::boxes::Bounds;
use crate::surface::predicates::distance_bound;
use crate::surface::testing::{append, blob, sheet, sheet_at, sphere};
use glam::Vec3;
use proptest::prelude::*;

fn closed(mesh: &Mesh) -> ClosedMesh {
    ClosedMesh::new(mesh).expect("a closed mesh")
}

/// Every pair against every pair.
fn brute_force(mesh: &ClosedMesh) -> Vec<(u32, u32)> {
    let all: Vec<u32> = mesh.triangles().collect();
    let mut pairs = Vec::new();
    for (k, &i) in all.iter().enumerate() {
        for &j in &all[k + 1..] {
            if triangles_cross(mesh, i, j) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

fn found(detector: &mut Detector, mesh: &ClosedMesh, patches: &Patches) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    detector.find(mesh, patches, None, &mut pairs);
    pairs
}

/// With culls, without culls.
fn both_ways(mesh: &Mesh) -> (ClosedMesh, [Vec<(u32, u32)>; 2], DetectStatistics) {
    let mut mesh = closed(mesh);
    let patches = Patches::build(&mut mesh);
    let mut fast = Detector::default();
    let mut slow = Detector {
        culls: false,
        ..Detector::default()
    };
    let pairs = [
        found(&mut fast, &mesh, &patches),
        found(&mut slow, &mesh, &patches),
    ];
    (mesh, pairs, *fast.statistics())
}

/// A sheet that is bent over, once or several times, so that its layers touch or pass through each other.
fn folded_sheet(n: u32, m: u32, gap: f32, bend: f32, seed: u64) -> Mesh {
    let mut mesh = sheet(n, m, gap, 0.05);
    let mut random = Random::new([seed, 5, 0, 0]);
    let (a, b) = (random.next_direction(), random.next_direction());
    for p in &mut mesh.positions {
        let s = p.dot(a);
        *p += bend * libm::sinf(4.0 * s) * b - 0.8 * s * a * bend;
    }
    mesh
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Culls change nothing (test 9): blobs with noise up to folds.
    #[test]
    fn culls_change_nothing_on_blobs(seed in 0u64..1 << 40, waves in 0.0f32..0.15, noise in 0.0f32..0.2) {
        let (mesh, [fast, slow], statistics) = both_ways(&blob(10, seed, waves, noise));
        prop_assert_eq!(&fast, &slow);
        prop_assert_eq!(&fast, &brute_force(&mesh));
        prop_assert_eq!(statistics.audit_misses, 0);
    }

    /// Culls change nothing: two blobs that overlap, touch or coincide.
    #[test]
    fn culls_change_nothing_on_overlaps(seed in 0u64..1 << 40, away in 0.0f32..2.2, noise in 0.0f32..0.03) {
        let mut mesh = blob(9, seed, 0.02, noise);
        let other = blob(8, seed, 0.02, noise);
        append(&mut mesh, &other, Random::new([seed, 0, 0, 0]).next_direction() * away);
        let (mesh, [fast, slow], statistics) = both_ways(&mesh);
        prop_assert_eq!(&fast, &slow);
        prop_assert_eq!(&fast, &brute_force(&mesh));
        prop_assert_eq!(statistics.audit_misses, 0);
    }

    /// Culls change nothing: thin sheets, and sheets folded over themselves.
    #[test]
    fn culls_change_nothing_on_sheets(
        seed in 0u64..1 << 40,
        gap in -0.02f32..0.1,
        bend in 0.0f32..1.0,
        noise in 0.0f32..0.03,
    ) {
        let mut mesh = folded_sheet(90, 32, gap, bend, seed);
        let mut random = Random::new([seed, 6, 0, 0]);
        for p in &mut mesh.positions {
            *p += noise * (random.next_in_cube() - 0.5);
        }
        let (_, [fast, slow], statistics) = both_ways(&mesh);
        prop_assert_eq!(fast, slow);
        prop_assert_eq!(statistics.audit_misses, 0);
    }
}

/// Finite positions of any kind are searched without a panic, and nothing is missed.
#[test]
fn wild_positions() {
    for scale in [1e-20, 1e-6, 1.0, 1e6, 1e18, 3e38] {
        for seed in 0..4 {
            let mut mesh = sphere(6);
            let mut random = Random::new([seed, 9, 0, 0]);
            for p in &mut mesh.positions {
                // Random, on a lattice, or all in one point.
                *p = match seed {
                    0 => random.next_in_cube() * scale,
                    1 => (random.next_in_cube() * 3.0).floor() * (0.3 * scale),
                    2 => Vec3::splat(scale),
                    _ => *p * scale,
                };
            }
            let (mesh, [fast, slow], _) = both_ways(&mesh);
            assert_eq!(fast, slow, "scale {scale}, seed {seed}");
            assert_eq!(fast, brute_force(&mesh), "scale {scale}, seed {seed}");
        }
    }
}

/// Two coincident spheres cross as two spheres a hair apart do; exempt pairs do not count.
#[test]
fn coincident_and_exempt() {
    let mut mesh = sphere(10);
    let other = mesh.clone();
    append(&mut mesh, &other, Vec3::ZERO);
    let (mesh, [fast, slow], _) = both_ways(&mesh);
    assert_eq!(fast, slow);
    assert!(!fast.is_empty());
    let mut patched = mesh.clone();
    let patches = Patches::build(&mut patched);
    let mut pairs = Vec::new();
    let mut detector = Detector::default();
    detector.find(&patched, &patches, Some(&|_, i, _| i < 400), &mut pairs);
    let left: Vec<_> = fast.iter().copied().filter(|p| p.0 >= 400).collect();
    assert_eq!(pairs, left);
    assert_eq!(detector.statistics().hits, left.len());
}

/// A thin wavy sheet that moves and in the end meets itself.
fn moving_sheet(mesh: &mut ClosedMesh, n: u32, m: u32, frame: u32) {
    let time = frame as f32 / 30.0;
    for i in 0..n {
        for j in 0..m {
            let (u, v) = (i as f32 / n as f32, j as f32 / m as f32);
            let gap = 0.05 - 0.06 * time;
            let p = sheet_at(u, v, gap, 0.08, 2.0 * time);
            mesh.positions_mut()[(i * m + j) as usize] = p + Vec3::X * time;
        }
    }
}

/// Over thirty frames of motion, the kept distances skip most pairs and change nothing; nor does the number of threads.
#[test]
fn kept_distances_change_nothing() {
    let (n, m) = (120, 40);
    let run = |keeps_distances: bool, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        pool.install(|| {
            let mut mesh = closed(&sheet(n, m, 0.05, 0.08));
            let mut patches = Patches::build(&mut mesh);
            let mut detector = Detector {
                keeps_distances,
                ..Detector::default()
            };
            let (mut all, mut skipped) = (Vec::new(), 0);
            for frame in 0..30 {
                moving_sheet(&mut mesh, n, m, frame);
                patches.begin_frame(&mut mesh);
                all.push(found(&mut detector, &mesh, &patches));
                skipped += detector.statistics().slack_skipped;
                assert_eq!(detector.statistics().audit_misses, 0);
            }
            (all, skipped)
        })
    };
    let (with, skipped) = run(true, 1);
    let (without, none) = run(false, 1);
    assert_eq!(with, without);
    assert!(skipped > 1000 && none == 0, "{skipped} {none}");
    assert!(with[0].is_empty() && !with[29].is_empty());
    for threads in [2, 4] {
        assert_eq!(run(true, threads), (with.clone(), skipped));
    }
}

/// The local search finds exactly the pairs of the whole search that have one of its triangles, also after they were moved.
#[test]
fn local_search() {
    let mut mesh = blob(12, 1, 0.1, 0.05);
    append(&mut mesh, &sphere(12), Vec3::new(0.9, 0.2, 0.1));
    let mut mesh = closed(&mesh);
    let mut patches = Patches::build(&mut mesh);
    let mut random = Random::new([4, 4, 4, 4]);
    for round in 0..20 {
        let v = random.next_below(mesh.x.len() as u32);
        mesh.x[v as usize] += 0.5 * random.next_direction();
        let star: Vec<u32> = mesh.ring(v).map(|h| h / 3).collect();
        patches.touch(&mut mesh, &star);
        let mut given = star.clone();
        given.extend((0..20).map(|_| random.next_below(mesh.patch.len() as u32)));
        let mut pairs = Vec::new();
        let detector = Detector::default();
        detector.hits_around(&mesh, &patches, None, &given, &mut pairs);
        let mut expected = brute_force(&mesh);
        assert_eq!(found(&mut Detector::default(), &mesh, &patches), expected);
        expected.retain(|(i, j)| given.contains(i) || given.contains(j));
        assert_eq!(pairs, expected, "round {round}");
    }
}

/// Two fans of `n` triangles, top and bottom, over a star-shaped ring that goes around `turns` times.
fn double_cone(n: u32, turns: f32, height: f32) -> Mesh {
    let mut mesh = Mesh::default();
    for k in 0..n {
        let (s, c) = libm::sincosf(std::f32::consts::TAU * turns * k as f32 / n as f32);
        mesh.positions.push(Vec3::new(c, s, 0.05 * (k % 3) as f32));
        let next = (k + 1) % n;
        mesh.triangles.extend([[k, next, n], [next, k, n + 1]]);
    }
    mesh.positions.push(Vec3::Z * height);
    mesh.positions.push(Vec3::Z * -height);
    mesh
}

/// A star that goes around its vertex twice is not flat, although every triangle of it faces the same way.
#[test]
fn stars_that_turn_twice_are_not_flat() {
    for n in [5, 7, 9, 11] {
        let once = closed(&double_cone(n, 1.0, 0.3));
        assert!(star::clearance(&once, n) > 0.05, "{n}");
        assert_eq!(star::clearance(&closed(&double_cone(n, 1.0, 30.0)), n), 0.0);
        let (twice, [fast, slow], _) = both_ways(&double_cone(n, 2.0, 0.3));
        assert_eq!(star::clearance(&twice, n), 0.0, "{n}");
        assert!(!fast.is_empty());
        assert_eq!(fast, slow);
        assert_eq!(fast, brute_force(&twice));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// No two triangles of a flat star cross or fold, however crumpled the rest is, and at any place, until it has moved farther than
    /// its clearance.
    #[test]
    fn flat_stars_do_not_cross(seed in 0u64..1 << 40, noise in 0.0f32..0.5, away in 0.0f32..300.0) {
        let mut mesh = blob(8, seed, 0.05, noise);
        for p in &mut mesh.positions {
            *p += Vec3::splat(away);
        }
        let mut mesh = closed(&mesh);
        let mut random = Random::new([seed, 10, 0, 0]);
        let (mut flat, at) = (0, mesh.x.clone());
        for v in 0..at.len() as u32 {
            let clear = star::clearance(&mesh, v);
            if clear == 0.0 {
                continue;
            }
            flat += 1;
            let around: Vec<u32> = mesh.ring(v).map(|h| h / 3).collect();
            let star: Vec<u32> = around.iter().flat_map(|&t| mesh.triangle(t)).collect();
            // As it is, and with every vertex moved by as much as it may.
            for far in [0.0, 0.999 * clear] {
                for &w in &star {
                    mesh.x[w as usize] = at[w as usize] + far * random.next_direction();
                }
                for &i in &around {
                    prop_assert!(around.iter().all(|&j| !triangles_cross(&mesh, i, j)));
                }
            }
            for &w in &star {
                mesh.x[w as usize] = at[w as usize];
            }
        }
        prop_assert!(noise > 0.05 || flat > 200, "{flat}");
    }

    /// What planes drop is farther apart than asked for; nearly all that is left does meet or comes near.
    #[test]
    fn parted_triangles_are_apart(
        seed in 0u64..1 << 40,
        size in 0.05f32..1.0,
        flat in 0.0f32..1.0,
        away in 0.0f32..1000.0,
        margin in 0.0f32..0.1,
    ) {
        let mut random = Random::new([seed, 8, 0, 0]);
        let mut at = || random.next_in_cube() * Vec3::new(1.0, 1.0, flat);
        let triangles: Vec<[Vec3; 3]> = (0..40)
            .map(|_| {
                let middle = at() + Vec3::splat(away);
                [middle + size * at(), middle + size * at(), middle + size * at()]
            })
            .collect();
        let bounds: Vec<Bounds> = triangles.iter().map(|&t| Bounds::of(t)).collect();
        let all = bounds.iter().fold(Bounds::EMPTY, |all, b| all.join(*b));
        let frame = Frame::new(&all);
        let mut clip = parting::Clip::default();
        clip.which.extend(0..40);
        clip.fill(&frame, &triangles, &bounds);
        let mut found = Vec::new();
        parting::candidates(&clip, &clip, true, [margin, margin + frame.error], &mut found);
        for i in 0..40 {
            for j in i + 1..40 {
                let [t, u] = [i, j].map(|k| triangles[k as usize].map(Vec3::as_dvec3));
                let [a, b] = [i, j].map(|k| bounds[k as usize]);
                let boxes = (a.lo - b.hi).max(b.lo - a.hi).max_element();
                let distance = distance_bound(t, u, f64::INFINITY).max(f64::from(boxes));
                let near = found.contains(&(i, j));
                prop_assert!(near || distance > 0.9999 * f64::from(margin), "{i} {j} {distance}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Kept distances of neighbours change nothing while a surface crumples, tumbles and is re-meshed.
    #[test]
    fn kept_distances_change_nothing_on_crumpling(
        seed in 0u64..1 << 40,
        speed in 0.0f32..0.02,
        turn in 0.0f32..0.03,
        flips in 0u32..3,
    ) {
        let mut mesh = closed(&blob(10, seed, 0.1, 0.03));
        let mut patches = Patches::build(&mut mesh);
        let mut random = Random::new([seed, 11, 0, 0]);
        let push: Vec<Vec3> = mesh.x.iter().map(|_| random.next_direction()).collect();
        let turn = glam::Quat::from_axis_angle(random.next_direction(), turn);
        let mut detector = Detector::default();
        for frame in 0..20 {
            for (p, push) in mesh.x.iter_mut().zip(&push) {
                *p = turn * (*p + speed * *push) + Vec3::X * 0.1;
            }
            for _ in 0..flips {
                let h = random.next_below(mesh.corner.len() as u32);
                if mesh.can_flip(h) {
                    mesh.flip(h);
                }
            }
            patches.begin_frame(&mut mesh);
            let fast = found(&mut detector, &mesh, &patches);
            prop_assert_eq!(&fast, &brute_force(&mesh), "frame {}", frame);
            prop_assert_eq!(detector.statistics().audit_misses, 0);
        }
    }
}
