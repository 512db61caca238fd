//! The same bits for any number of threads.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{EulerRot, Quat, Vec3};
use pliant::dynamics::Collider;
use pliant::geometry::Shape;
use pliant::oriented::{OrientedDesc, Particle};
use pliant::{Settings, World};

const FRAME: f32 = 1.0 / 60.0;
const STEPS: usize = 300;
const THREADS: [usize; 3] = [1, 2, 8];
/// Particles along a side of the cloth: so many that its groups are done in several runs at a time.
const CLOTH: u32 = 48;
const SPACING: f32 = 0.05;

/// What a run has come to.
#[derive(Clone, Debug, Default, PartialEq)]
struct Ran {
    /// Hashes after every step.
    hashes: Vec<u64>,
    /// Steps in which particles came near each other.
    touching: usize,
    /// Numbers that were not finite.
    stopped: u32,
}

/// E12.
pub(super) fn same_bits(bench: &mut Bench) -> Result<(), LabError> {
    let one = run(THREADS[0])?;
    for threads in &THREADS[1..] {
        let other = run(*threads)?;
        let differing = one.hashes.iter().zip(&other.hashes).filter(|(a, b)| a != b);
        let last = [&one, &other].map(|r| r.hashes.last().copied().unwrap_or_default());
        bench.check(
            Engine,
            format!("hash after {STEPS} steps with 1 and {threads} threads; steps whose hash differs; steps with touching particles"),
            format!("{:016x}, {:016x}; {}; {}", last[0], last[1], differing.clone().count(), other.touching),
            format!("the same; 0; at least {}", STEPS / 2),
            differing.count() == 0 && other.hashes.len() == STEPS && other.touching >= STEPS / 2 && other.stopped == 0,
        );
    }
    Ok(())
}

fn run(threads: usize) -> Result<Ran, LabError> {
    let mut world = heap()?;
    let mut ran = Ran::default();
    let mut go = || {
        for _ in 0..STEPS {
            let report = world.step(FRAME);
            ran.hashes.push(world.hash());
            ran.touching += usize::from(report.contact_pairs > 0);
            ran.stopped += report.non_finite;
        }
    };
    match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool.install(go),
        Err(_) => go(),
    }
    Ok(ran)
}

/// Rods that lie across each other and ellipsoids fall on a bar, and a cloth on all of them.
fn heap() -> Result<World, LabError> {
    let mut world = World::new(Settings {
        iterations: 2,
        ..Settings::default()
    });
    world.add_collider(Collider::floor(0.0));
    let bar = Shape::Capsule {
        a: Vec3::NEG_X,
        b: Vec3::X,
        radius: 0.2,
    };
    world.add_collider(Collider::solid("bar", bar, Vec3::Y * 0.2));
    for k in 0..6u8 {
        let height = Vec3::Y * (0.6 + 0.12 * f32::from(k));
        let [along, across] = if k % 2 == 0 {
            [Vec3::X, Vec3::Z]
        } else {
            [Vec3::Z, Vec3::X]
        };
        let shift = across * (0.1 * f32::from(k) - 0.25);
        let at = |i: u16| height + shift + along * (0.1 * f32::from(i) - 0.95);
        let particles = (0..20).map(|i| Particle::ball(at(i), 0.05, 0.2)).collect();
        let edges = (1..20).map(|i| [i - 1, i]).collect();
        let mut desc = OrientedDesc::new(&format!("rod {k}"), particles, edges);
        desc.second_order = k % 3 == 0;
        world.add_oriented(desc)?;
        let egg = Particle {
            axes: Quat::from_euler(EulerRot::XYZ, f32::from(k), 0.5, 0.2),
            radii: Vec3::new(0.15, 0.1, 0.06),
            ..Particle::ball(height + shift + Vec3::new(0.3, 0.7, 0.3), 0.1, 1.0)
        };
        world.add_oriented(OrientedDesc::new(
            &format!("egg {k}"),
            vec![egg],
            Vec::new(),
        ))?;
    }
    world.add_oriented(cloth(2.2))?;
    Ok(world)
}

/// A cloth at a height, soft enough to fold.
fn cloth(height: f32) -> OrientedDesc {
    let index = |row: u32, column: u32| row * CLOTH + column;
    let middle = 0.5 * (CLOTH - 1) as f32;
    let (mut particles, mut edges) = (Vec::new(), Vec::new());
    for row in 0..CLOTH {
        for column in 0..CLOTH {
            let flat = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle) * SPACING;
            particles.push(Particle::ball(
                flat + Vec3::Y * height,
                0.4 * SPACING,
                0.005,
            ));
            let own = index(row, column);
            let (right, below) = (column + 1 < CLOTH, row + 1 < CLOTH);
            if right {
                edges.push([own, index(row, column + 1)]);
            }
            if below {
                edges.push([own, index(row + 1, column)]);
            }
            if right && below {
                edges.push([own, index(row + 1, column + 1)]);
                edges.push([index(row, column + 1), index(row + 1, column)]);
            }
        }
    }
    let mut desc = OrientedDesc::new("cloth", particles, edges);
    desc.material.stiffness = 0.3;
    desc
}
