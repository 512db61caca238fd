//! Criterion benches: one solver iteration of the common scene, and whole steps of a body in contact.

use criterion::{Criterion, criterion_group, criterion_main};
use glam::Vec3;
use pliant::dynamics::Collider;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::{BodyDesc, Settings, World};
use pliant_lab::bench::solve::Common;

fn golem(edge_length: f32) -> Mesh {
    let shape = Shape::Figure {
        figure: Figure::Golem,
        center: Vec3::ZERO,
    };
    mesh_shape(&shape, edge_length).expect("the figure has a surface")
}

/// Moments, rotations, goals and gather of 697 groups of 71.
fn iteration(criterion: &mut Criterion) {
    let mut common = Common::new(&golem(0.08)).expect("the figure holds the common scene");
    criterion.bench_function("solve/iteration", |bench| bench.iter(|| common.iterate()));
}

/// A figure that has just landed: contacts, flow and skinning are all busy.
fn landed(criterion: &mut Criterion) {
    let settings = Settings {
        sleep_speed: 0.0,
        ..Settings::default()
    };
    let mut world = World::new(settings);
    world.add_collider(Collider::floor(0.0));
    world
        .add_body(BodyDesc::new("golem", golem(0.1), 0.1))
        .expect("the figure holds particles");
    for _ in 0..20 {
        world.step(1.0 / 60.0);
    }
    criterion.bench_function("step/landed golem", |bench| {
        bench.iter_batched(
            || world.clone(),
            |mut world| world.step(1.0 / 60.0),
            criterion::BatchSize::LargeInput,
        );
    });
}

criterion_group!(benches, iteration, landed);
criterion_main!(benches);
