//! Criterion benches of the search for self-intersections: bounds and search of one frame of a moving surface.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::surface::ClosedMesh;
use pliant::surface::detect::Detector;
use pliant::surface::patches::Patches;
use std::f32::consts::TAU;

/// A torus with waves on it; smooth at the scale of its triangles.
fn smooth(u: f32, v: f32, time: f32) -> Vec3 {
    let (s, c) = (TAU * u).sin_cos();
    let (sv, cv) = (TAU * v).sin_cos();
    let r = 0.5 * (1.0 + 0.1 * (5.0 * TAU * u + 3.0 * time).sin() * (2.0 * TAU * v).sin());
    Vec3::new((1.5 + r * cv) * c, (1.5 + r * cv) * s, r * sv)
}

/// A ring-shaped sheet of two layers about one edge apart, with waves that wander.
fn sheet(u: f32, v: f32, gap: f32, time: f32) -> Vec3 {
    let out = 1.0 - (2.0 * v - 1.0).abs();
    let side = if v < 0.5 { 1.0 } else { -1.0 };
    let rim = (out * (1.0 - out) * 4.0).min(0.1) / 0.1;
    let (s, c) = (TAU * u).sin_cos();
    let (x, y) = ((0.15 + out) * c, (0.15 + out) * s);
    let wave = 0.08 * (5.0 * x + time).sin() * (4.0 * y + 0.3 * time).sin();
    Vec3::new(x, y, wave + 0.5 * gap * side * rim)
}

/// A surface in motion and what searches it.
struct Moving<F> {
    mesh: ClosedMesh,
    patches: Patches,
    detector: Detector,
    n: u32,
    m: u32,
    at: F,
    frame: u32,
    pairs: Vec<(u32, u32)>,
}

impl<F: Fn(f32, f32, f32) -> Vec3> Moving<F> {
    fn new(n: u32, m: u32, at: F) -> Self {
        let mut mesh =
            ClosedMesh::new(&Mesh::ring(n, m, |u, v| at(u, v, 0.0))).expect("a closed mesh");
        let patches = Patches::build(&mut mesh);
        let mut moving = Self {
            mesh,
            patches,
            detector: Detector::default(),
            n,
            m,
            at,
            frame: 0,
            pairs: Vec::new(),
        };
        for _ in 0..3 {
            moving.advance();
            moving.search();
        }
        println!("{:?}", moving.detector.statistics());
        moving
    }

    fn advance(&mut self) {
        self.frame += 1;
        let time = 0.01 * self.frame as f32;
        for i in 0..self.n {
            for j in 0..self.m {
                let (u, v) = (i as f32 / self.n as f32, j as f32 / self.m as f32);
                self.mesh.positions_mut()[(i * self.m + j) as usize] = (self.at)(u, v, time);
            }
        }
    }

    fn bounds(&mut self) {
        self.patches.begin_frame(&mut self.mesh);
    }

    fn search(&mut self) {
        self.bounds();
        let Self {
            mesh,
            patches,
            pairs,
            ..
        } = self;
        self.detector.find(mesh, patches, None, pairs);
    }
}

fn bench<F: Fn(f32, f32, f32) -> Vec3>(
    criterion: &mut Criterion,
    name: &str,
    mut moving: Moving<F>,
) {
    criterion.bench_function(&format!("detect/{name}"), |bench| {
        let moving = std::cell::RefCell::new(&mut moving);
        bench.iter_batched(
            || moving.borrow_mut().advance(),
            |()| moving.borrow_mut().search(),
            BatchSize::PerIteration,
        );
    });
    println!("{:?}", moving.detector.statistics());
    criterion.bench_function(&format!("detect/{name}, bounds only"), |bench| {
        bench.iter(|| moving.bounds());
    });
}

fn detect(criterion: &mut Criterion) {
    bench(criterion, "smooth 60k", Moving::new(300, 100, smooth));
    let gap = 0.016;
    let thin = move |u, v, t| sheet(u, v, gap, t);
    bench(criterion, "thin sheet 60k", Moving::new(240, 125, thin));
    bench(criterion, "smooth 342k", Moving::new(720, 238, smooth));
}

/// The search around 200 triangles after a local change.
fn local(criterion: &mut Criterion) {
    let moving = Moving::new(300, 100, smooth);
    let some: Vec<u32> = (0..200).map(|k| 30_000 + k).collect();
    let mut pairs = Vec::new();
    criterion.bench_function("detect/around 200 of 60k", |bench| {
        bench.iter(|| {
            let Moving { mesh, patches, .. } = &moving;
            moving
                .detector
                .hits_around(mesh, patches, None, &some, &mut pairs);
        });
    });
}

criterion_group!(benches, detect, local);
criterion_main!(benches);
