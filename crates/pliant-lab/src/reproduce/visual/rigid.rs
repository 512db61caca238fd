//! Rigid bodies.

use super::worlds::{FRAME, SECOND, body, cuboid, grounded, picture, run, weightless, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::World;
use pliant::dynamics::frame::Rigid;
use pliant::visual::Behavior;

/// Sides of the free box (m); its middle moment is about y.
const SIDES: Vec3 = Vec3::new(0.4, 0.8, 1.6);
/// Cubes of the stack.
const STACK: u8 = 10;

/// V13.
pub(super) fn bodies(bench: &mut Bench) -> Result<(), LabError> {
    free(bench)?;
    tumbling(bench)?;
    stack(bench)
}

fn rigid(world: &World, k: usize) -> Rigid {
    world
        .visual(k)
        .and_then(|v| v.rigid)
        .unwrap_or(Rigid::UNMOVED)
}

/// A box with nothing about it; its sides lie along the axes.
fn thrown(spin: Vec3) -> Result<World, LabError> {
    let mut world = weightless();
    let mut desc = body("box", cuboid(Vec3::ZERO, SIDES), Behavior::Rigid);
    desc.velocity = Vec3::new(0.7, -0.3, 0.2);
    desc.spin = spin;
    world.add_visual(desc)?;
    Ok(world)
}

fn free(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = thrown(Vec3::new(1.0, 2.0, 3.0))?;
    let before = world.ledger();
    let bad = run(&mut world, 10 * SECOND);
    let after = world.ledger();
    bench.check(
        Engine,
        "a free box, 10 s: change of momentum; not finite",
        format!("{:e}; {bad}", (after.momentum - before.momentum).length()),
        "exactly 0; 0",
        after.momentum == before.momentum && bad == 0,
    );
    let off = (f64::from(rigid(&world, 0).x.x) - 7.0).abs() / 7.0;
    bench.check(
        Engine,
        "how far it has come, as a share",
        format!("{off:.1e}"),
        "within 1e-4",
        off <= 1e-4,
    );
    Ok(())
}

fn tumbling(bench: &mut Bench) -> Result<(), LabError> {
    for (axis, name, tumbles) in [
        (0, "largest", false),
        (1, "middle", true),
        (2, "least", false),
    ] {
        let mut spin = Vec3::splat(0.02);
        spin[axis] = 6.0;
        let mut world = thrown(spin)?;
        let start = rigid(&world, 0);
        let (momentum, energy) = (start.angular_momentum(), start.ledger());
        let mut points = Vec::new();
        let (mut turns, mut last) = (0, 1.0f32);
        for frame in 0..10 * SECOND {
            world.step(FRAME);
            let own = rigid(&world, 0);
            let along = (own.rotation.conjugate() * own.spin)[axis];
            if along.signum() != last.signum() && along.abs() > 3.0 {
                turns += 1;
                last = along;
            }
            if frame % 10 == 0 {
                points.push((world.time(), f64::from(along)));
            }
        }
        let end = rigid(&world, 0);
        let drift = (end.angular_momentum() - momentum).length() / momentum.length();
        let spun = |l: &pliant::report::Ledger, r: &Rigid| {
            l.kinetic_energy - 0.5 * l.mass * r.v.as_dvec3().length_squared()
        };
        let lost = spun(&end.ledger(), &end) / spun(&energy, &start) - 1.0;
        bench.check(
            Engine,
            format!("a free box that spins about the axis of its {name} moment: how often it turns over in 10 s (angular momentum changes by {drift:.0e}, energy of the spin by {lost:+.0e})"),
            format!("{turns}"),
            if tumbles { "at least 2" } else { "0" },
            if tumbles { turns >= 2 } else { turns == 0 },
        );
        if tumbles {
            let series = [Series {
                label: "spin about the middle axis".to_owned(),
                points,
            }];
            bench.plot(
                "v13.svg",
                "A free box tumbles",
                ["time, s", "spin, rad/s"],
                &series,
            )?;
        }
    }
    Ok(())
}

fn stack(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = grounded();
    world.settings_mut().sleep_speed = 0.0;
    for k in 0..STACK {
        let at = Vec3::Y * (0.5 + f32::from(k));
        world.add_visual(body(
            &format!("cube {k}"),
            cuboid(at, Vec3::ONE),
            Behavior::Rigid,
        ))?;
    }
    let mut shown = vec![(picture(&world)?, "0 s".to_owned())];
    let (mut worst, mut aside, mut bad) = (0.0f32, 0.0f32, 0);
    for _ in 0..10 * SECOND {
        bad += world.step(FRAME).non_finite;
        let top = world.surfaces()[usize::from(STACK) - 1].bounds();
        let top = top.map_or(f32::NAN, |b| b.1.y);
        let off = (top / f32::from(STACK) - 1.0).abs();
        // A NaN counts, and stays.
        if off.is_nan() || off > worst {
            worst = off;
        }
        for k in 0..usize::from(STACK) {
            let x = rigid(&world, k).x;
            aside = aside.max(x.x.hypot(x.z));
        }
    }
    shown.push((picture(&world)?, "10 s".to_owned()));
    bench.check(
        Engine,
        format!("a stack of {STACK} cubes, 10 s without sleep: largest error of its height; farthest from the middle; not finite"),
        format!("{:.3} %; {aside:.1e} m; {bad}", 100.0 * worst),
        "at most 1 %; at most 0.1 m; 0",
        worst <= 0.01 && aside <= 0.1 && bad == 0,
    );
    write(bench, "v13-stack.png", &shown)
}
