//! Criterion benches of visual geometry: the narrow phase by kinds of pairs, and the way from a mesh to linked primitives,
//! dents.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::{Mat3, Quat, Vec3};
use pliant::random::Random;
use pliant::visual::hull::{Hull, Placed};
use pliant::visual::manifold::{ManifoldScratch, manifold};
use pliant::visual::nasty::{cube, polygon_mesh, sheet};
use pliant::visual::sat::{Feature, Solid, separation};
use pliant::visual::{
    DentOptions, IntakeOptions, PolygonMesh, Pose, Primitive, dent, find_links, intake,
};
use std::hint::black_box;

/// Pairs of a bench, each in a pose of its own.
const PAIRS: usize = 256;

fn primitive(mesh: &PolygonMesh, thickness: f32) -> Primitive {
    let options = IntakeOptions {
        thickness: vec![thickness],
        ..IntakeOptions::default()
    };
    let mut made = intake(mesh, &options).expect("a sound mesh");
    made.primitives.swap_remove(0)
}

/// Pairs of two hulls that overlap in about half of the cases.
fn pairs(a: &Hull, b: &Hull) -> Vec<(Placed, Placed, Vec3)> {
    let mut random = Random::new([1, 0, 0, 0]);
    let mut pair = || {
        let mut turned = |hull: &Hull| {
            let turn = Quat::from_axis_angle(random.next_direction(), 6.0 * random.next_f32());
            let mut placed = Placed::default();
            hull.place(Mat3::from_quat(turn), &mut placed);
            placed
        };
        let (pa, pb) = (turned(a), turned(b));
        (pa, pb, (random.next_in_cube() - 0.5) * 1.6)
    };
    (0..PAIRS).map(|_| pair()).collect()
}

fn narrow(criterion: &mut Criterion) {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.0]];
    let quad = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.2, 0.8, 0.0],
        [0.1, 1.0, 0.0],
    ];
    let shapes = [
        ("box", Hull::new(&primitive(&cube(0.0, 1.0), 0.0))),
        (
            "prism",
            Hull::new(&primitive(&polygon_mesh(&triangle, &[&[0, 1, 2]]), 0.1)),
        ),
        (
            "quad prism",
            Hull::new(&primitive(&polygon_mesh(&quad, &[&[0, 1, 2, 3]]), 0.1)),
        ),
    ];
    for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1)] {
        let ((name_a, a), (name_b, b)) = (&shapes[i], &shapes[j]);
        let all = pairs(a, b);
        let solids = |(pa, pb, offset): &(Placed, Placed, Vec3),
                      f: &mut dyn FnMut(Solid, Solid, Vec3)| {
            let first = Solid {
                hull: a,
                placed: pa,
            };
            let second = Solid {
                hull: b,
                placed: pb,
            };
            f(first, second, *offset);
        };
        criterion.bench_function(
            &format!("visual/{PAIRS} separations {name_a}-{name_b}"),
            |bench| {
                bench.iter(|| {
                    for pair in &all {
                        solids(pair, &mut |p, q, offset| {
                            black_box(separation(p, q, offset, 0.0, &mut Feature::None));
                        });
                    }
                });
            },
        );
        let mut scratch = ManifoldScratch::default();
        criterion.bench_function(
            &format!("visual/{PAIRS} manifolds {name_a}-{name_b}"),
            |bench| {
                bench.iter(|| {
                    for pair in &all {
                        solids(pair, &mut |p, q, offset| {
                            if let Some(found) = separation(p, q, offset, 0.0, &mut Feature::None) {
                                black_box(manifold(p, q, offset, &found, 0.0, &mut scratch));
                            }
                        });
                    }
                });
            },
        );
    }
}

fn import(criterion: &mut Criterion) {
    let mesh = sheet(265, 265, 0.01);
    let options = IntakeOptions::default();
    criterion.bench_function("visual/intake of 70k quads", |bench| {
        bench.iter(|| black_box(intake(&mesh, &options)));
    });
    let made = intake(&mesh, &options).expect("a sheet");
    criterion.bench_function("visual/links of 70k quads", |bench| {
        bench.iter(|| black_box(find_links(&made.primitives)));
    });
}

/// A hit in the middle of a sheet of a thousand primitives, and one of sixteen thousand.
fn dents(criterion: &mut Criterion) {
    for side in [32, 126] {
        let options = IntakeOptions {
            thickness: vec![0.02],
            ..IntakeOptions::default()
        };
        let made = intake(&sheet(side, side, 0.1), &options).expect("a sheet");
        let graph = find_links(&made.primitives);
        let rest: Vec<Pose> = made
            .primitives
            .iter()
            .map(|p| Pose {
                x: p.centroid,
                d: Mat3::IDENTITY,
            })
            .collect();
        let held = vec![false; rest.len()];
        let push = [(side * side / 2 + side / 2, Vec3::NEG_Z * 0.01)];
        let name = format!("visual/dent in {} primitives", rest.len());
        criterion.bench_function(&name, |bench| {
            bench.iter_batched(
                || (rest.clone(), vec![0.0; held.len()]),
                |(mut rest, mut dented)| {
                    let options = DentOptions::default();
                    let p = &made.primitives;
                    dent(p, &graph, &mut rest, &push, &held, &mut dented, &options)
                },
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = narrow, import, dents
}
criterion_main!(benches);
