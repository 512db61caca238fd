//! What must hold on the engine: momentum through fades, the same bits for any number of threads, angular momentum.

use crate::reference::reclustering::beam::HALF;
use crate::reference::reclustering::experiments::spin::{CLUSTERS, DURATION, REACH, STRETCH};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Mat3, Vec3};
use pliant::clustering::{Clustering, Kernel};
use pliant::geometry::Shape;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::matching::{Dynamics, Fit, Springs};
use pliant::material::PlasticModel;
use pliant::resample::{Embedded, Recluster, Resampling};
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};
use std::f32::consts::FRAC_PI_4;

const FRAME: f32 = 1.0 / 60.0;
/// Clusters that must come for a run to have tried anything.
const RENEWED: u32 = 5;

/// A world of this body alone, one step of springs a frame, without gravity.
fn world_of(body: BodyDesc) -> Result<World, LabError> {
    let mut world = World::new(Settings {
        substeps: 1,
        iterations: 1,
        gravity: Vec3::ZERO,
        sleep_speed: 0.0,
        ..Settings::default()
    });
    world.add_body(body)?;
    Ok(world)
}

/// A world of a small flowing beam with springs, without gravity.
fn beam_world(springs: Springs) -> Result<World, LabError> {
    let shape = Shape::Box {
        center: Vec3::ZERO,
        half: Vec3::new(0.5, 0.2, 0.2),
    };
    let mesh = mesh_shape(&shape, 0.05).unwrap_or_default();
    world_of(BodyDesc {
        surface: SurfaceKind::None,
        clustering: Clustering::Fuzzy {
            count: Some(24),
            kernel: Kernel::InverseSquare,
        },
        cluster_radius: 4.0,
        dynamics: Dynamics::Springs(springs),
        fit: Fit::Affine,
        material: Material {
            plastic_model: PlasticModel::Frobenius,
            plastic_yield: 0.0,
            plastic_flow: 1.0,
            ..Material::default()
        },
        self_contact: false,
        velocity: Vec3::new(0.3, -0.2, 0.1),
        resampling: Resampling {
            recluster: Recluster::Embedded,
            embedded: Embedded {
                fade_out: 8,
                fade_in: 4,
                ..Embedded::default()
            },
            ..Resampling::default()
        },
        ..BodyDesc::new("beam", mesh, 0.06)
    })
}

/// Changes every velocity so that the beam is squeezed.
fn kick(world: &mut World) {
    let points = world.points_mut();
    for (v, x) in points.v.iter_mut().zip(&points.x) {
        v.x -= 0.25 * x.x;
    }
}

/// Steps; returns how many clusters came.
fn step(world: &mut World) -> u32 {
    let report = world.step(FRAME);
    report.resampled.iter().map(|r| r.groups_added).sum()
}

/// B5: the engine, at the tolerance of f32.
pub(super) fn momentum(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = beam_world(Springs {
        sweeps: 0,
        damping: 0.1,
        ..Springs::default()
    })?;
    let (mut drift, mut scale, mut worst, mut added) = (DVec3::ZERO, 0.0_f64, 0.0_f64, 0);
    for _ in 0..60 {
        kick(&mut world);
        let before = world.ledger().momentum;
        added += step(&mut world);
        drift += world.ledger().momentum - before;
        let points = world.points();
        let momentum = |i: usize| f64::from(points.mass[i] * points.v[i].length());
        scale = scale.max((0..points.len()).map(momentum).sum());
        worst = worst.max(drift.length() / scale);
    }
    bench.check(
        Engine,
        "change of momentum of a free beam over the sum of its particles' |m v|; clusters made",
        format!("{worst:.1e}; {added}"),
        format!("at most 1e-5; at least {RENEWED}"),
        worst <= 1e-5 && added >= RENEWED,
    );
    Ok(())
}

/// B12.
pub(super) fn threads(bench: &mut Bench) -> Result<(), LabError> {
    const FRAMES: usize = 50;
    let run = |threads: usize| -> Result<(Vec<u64>, u32), LabError> {
        let mut world = beam_world(Springs::default())?;
        let (mut hashes, mut added) = (Vec::new(), 0);
        let mut go = || {
            for _ in 0..FRAMES {
                kick(&mut world);
                added += step(&mut world);
                hashes.push(world.hash());
            }
        };
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(go),
            Err(_) => go(),
        }
        Ok((hashes, added))
    };
    let one = run(1)?;
    for threads in [2, 3, 7] {
        let other = run(threads)?;
        let differing = one.0.iter().zip(&other.0).filter(|(a, b)| a != b).count();
        bench.check(
            Engine,
            format!("frames of {FRAMES} whose hash differs with {threads} threads; clusters made"),
            format!("{differing}; {}", other.1),
            format!("0; at least {RENEWED}"),
            differing == 0 && one.0.len() == other.0.len() && other.1 >= RENEWED,
        );
    }
    Ok(())
}

/// A box that lies askew, stretched along x, with springs alone: the reference's, with about as many particles.
fn stretched_box(fit: Fit) -> Result<World, LabError> {
    const RADIUS: f32 = 0.082;
    let shape = Shape::Box {
        center: Vec3::ZERO,
        half: HALF.as_vec3(),
    };
    let mut mesh = mesh_shape(&shape, 0.05).unwrap_or_default();
    let turn = Mat3::from_rotation_z(FRAC_PI_4);
    for x in &mut mesh.positions {
        *x = turn * *x;
    }
    let mut world = world_of(BodyDesc {
        surface: SurfaceKind::None,
        clustering: Clustering::Fuzzy {
            count: Some(CLUSTERS as u32),
            kernel: Kernel::InverseSquare,
        },
        cluster_radius: REACH as f32 / RADIUS,
        dynamics: Dynamics::Springs(Springs {
            sweeps: 0,
            ..Springs::default()
        }),
        fit,
        self_contact: false,
        resampling: Resampling {
            recluster: Recluster::Off,
            ..Resampling::default()
        },
        material: Material {
            plastic_yield: f32::INFINITY,
            ..Material::default()
        },
        ..BodyDesc::new("box", mesh, RADIUS)
    })?;
    for x in &mut world.points_mut().x {
        x.x *= STRETCH as f32;
    }
    Ok(world)
}

/// Largest change of the angular momentum of a stretched box that is let go, over the largest Σ m |x| |v|; and whether all is finite.
fn spin(fit: Fit, max_travel: f32) -> Result<(f64, bool), LabError> {
    let mut world = stretched_box(fit)?;
    world.settings_mut().max_travel = max_travel;
    let (mut most, mut scale, mut finite) = (0.0_f64, 0.0_f64, true);
    for _ in 0..(DURATION / f64::from(FRAME)).round() as usize {
        finite &= world.step(FRAME).non_finite == 0;
        most = most.max(world.ledger().angular_momentum.length());
        let points = world.points();
        let part =
            |i: usize| f64::from(points.mass[i] * points.x[i].length() * points.v[i].length());
        scale = scale.max((0..points.len()).map(part).sum());
    }
    Ok((most / scale, finite && most.is_finite()))
}

/// R9: the engine, at the tolerance of f32. The reference has no limit of speed; the engine's usual one slows a particle down that takes
/// part in a jolt, and with it goes angular momentum.
pub(super) fn rotations(bench: &mut Bench) -> Result<(), LabError> {
    let usual = Settings::default().max_travel;
    for (limit, max_travel) in [("no", f32::MAX), ("the usual", usual)] {
        let (most, finite) = spin(Fit::Procrustes, max_travel)?;
        bench.check(
            Engine,
            format!("largest angular momentum by least-squares rotations, {limit} limit of speed, over the largest Σ m |x| |v|; all is finite"),
            format!("{most:.1e}; {finite}"),
            "at most 1e-5; true",
            most <= 1e-5 && finite,
        );
    }
    let (affine, finite) = spin(Fit::Affine, f32::MAX)?;
    bench.check(
        Engine,
        "affine rotations: all is finite, largest angular momentum over the largest Σ m |x| |v|",
        format!("{finite}, {affine:.1e}"),
        "true",
        finite,
    );
    Ok(())
}
