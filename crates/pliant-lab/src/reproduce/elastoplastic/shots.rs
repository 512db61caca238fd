//! Figures shot by spheres.

use super::figure::{Pose, R, figure};
use super::small::{aligned, shape_error, weightless};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};
use pliant::dynamics::{Action, ActionKind};
use pliant::{BodyDesc, Material, World};

const SHOTS: usize = 20;
/// Frames between two shots.
const INTERVAL: usize = 6;

/// The direction of shot `k`: spread evenly over the sphere (a Fibonacci lattice), every second one opposite to the one
/// before, so that the figure is not driven away.
fn direction(k: usize) -> Vec3 {
    let pairs = SHOTS as f32 / 2.0;
    let z = 1.0 - ((k / 2) as f32 + 0.5) / pairs;
    let angle = 2.399_963_2 * (k / 2) as f32;
    let ring = (1.0 - z * z).sqrt();
    let side = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    Vec3::new(ring * angle.cos(), z, ring * angle.sin()) * side
}

/// Shoots at the middle of the figure, where it will be.
fn shoot(world: &mut World, k: usize) {
    let radius = 5.0 * R;
    let (speed, distance) = (30.0, 4.5);
    let mass = 1000.0 * 4.0 / 3.0 * std::f32::consts::PI * radius.powi(3);
    let center = world.points().x.iter().sum::<Vec3>() / world.points().len() as f32;
    let ledger = world.body_ledger(&world.bodies()[0]);
    let drift = (ledger.momentum / ledger.mass).as_vec3();
    let from = center + drift * (distance / speed) + direction(k) * distance;
    let (at, velocity) = (world.time(), direction(k) * -speed);
    world.add_action(Action {
        at,
        kind: ActionKind::Shoot {
            from,
            velocity,
            radius,
            mass,
            until: at + 0.8,
        },
    });
}

/// E3: dents stay. The figure floats, so that only shots deform it.
pub(super) fn dents(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = World::new(weightless());
    let mesh = figure(bench, Pose::Upright);
    let rest: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
    let mut desc = BodyDesc::new("figure", mesh, R);
    desc.material = Material {
        stiffness: 0.1,
        plastic_yield: 0.1,
        plastic_flow: 0.9,
        ..Material::default()
    };
    world.add_body(desc)?;
    // The dent depth of the whole figure: RMS distance from the best rigid placement of the rest surface.
    let depth = |world: &World| {
        let now: Vec<DVec3> = world.surfaces()[0]
            .mesh()
            .positions
            .iter()
            .map(|p| p.as_dvec3())
            .collect();
        shape_error(&rest, &now)
    };
    let shooting = SHOTS * INTERVAL + 60;
    let (mut peak, mut non_finite) = (0.0_f64, 0);
    let before = world.clone();
    for frame in 0..shooting {
        if frame.is_multiple_of(INTERVAL) && frame / INTERVAL < SHOTS {
            shoot(&mut world, frame / INTERVAL);
        }
        non_finite += world.step(1.0 / 60.0).non_finite;
        peak = peak.max(depth(&world));
    }
    for _ in 0..120 {
        non_finite += world.step(1.0 / 60.0).non_finite;
    }
    let left = depth(&world);
    // Turned back to how it stood, so that the two pictures compare.
    let (before, mut after) = (
        before.surfaces()[0].mesh().into_owned(),
        world.surfaces()[0].mesh().into_owned(),
    );
    let now: Vec<DVec3> = after.positions.iter().map(|p| p.as_dvec3()).collect();
    after.positions = aligned(&rest, &now).iter().map(|p| p.as_vec3()).collect();
    let caption = format!("after {SHOTS} shots and 2 s of rest");
    let pictures = [(before, "before".to_owned()), (after, caption)];
    write_sheet(bench, "e3.png", 2, false, &pictures)?;
    let share = left / peak;
    let r = f64::from(R);
    bench.check(
        Engine,
        "dent depth after 2 s of rest",
        format!(
            "{:.2} r of a peak of {:.2} r: {:.0} %",
            left / r,
            peak / r,
            share * 100.0
        ),
        "at least 50 %",
        share >= 0.5,
    );
    bench.check(
        Engine,
        "peak dent depth",
        format!("{:.2} r", peak / r),
        "above 0.5 r: the shots hit",
        peak > 0.5 * r,
    );
    bench.check(
        Engine,
        "numbers that are not finite",
        non_finite.to_string(),
        "0",
        non_finite == 0,
    );
    Ok(())
}
