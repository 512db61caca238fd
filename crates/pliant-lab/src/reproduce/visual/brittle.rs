//! What shatters.

use super::worlds::{
    FRAME, body, cuboid, imbalance, picture, run, shot, visuals, weightless, write,
};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};
use pliant::World;
use pliant::dynamics::{Action, ActionKind};
use pliant::visual::{Behavior, PatternKind};

/// Largest change of momentum, as a share.
const KEPT: f64 = 1e-6;
/// The patterns that are tried.
const PATTERNS: [(PatternKind, &str); 4] = [
    (PatternKind::Voronoi, "shards"),
    (PatternKind::Glass, "glass"),
    (PatternKind::Splinters, "splinters"),
    (PatternKind::Bricks, "bricks"),
];

/// V7.
pub(super) fn shatters(bench: &mut Bench) -> Result<(), LabError> {
    for (pattern, name) in PATTERNS {
        flying(bench, pattern, name)?;
    }
    shot_pane(bench)
}

/// A pane that flies and tumbles and breaks by itself.
fn flying(bench: &mut Bench, pattern: PatternKind, name: &str) -> Result<(), LabError> {
    let mut world = weightless();
    let mut pane = body(
        "pane",
        cuboid(Vec3::new(0.3, 0.2, -0.1), Vec3::new(1.0, 1.4, 0.05)),
        Behavior::Brittle,
    );
    pane.pattern.kind = pattern;
    pane.pattern.cells = 40;
    pane.velocity = Vec3::new(3.0, 1.0, -2.0);
    pane.spin = Vec3::new(0.5, 2.0, 1.0);
    world.add_visual(pane)?;
    run(&mut world, 10);
    let kind = ActionKind::Fracture {
        body: None,
        at: center(&world).as_vec3(),
        pattern: None,
    };
    // One frame passes in either world; only one breaks.
    let mut whole = world.clone();
    world.add_action(Action {
        at: world.time(),
        kind,
    });
    run(&mut whole, 1);
    run(&mut world, 1);
    let (before, after) = (whole.ledger(), world.ledger());
    let middle = center(&whole);
    let about = |l: &pliant::report::Ledger| l.angular_momentum - middle.cross(l.momentum);
    let share = |a: DVec3, b: DVec3| (a - b).length() / a.length();
    let linear = share(before.momentum, after.momentum);
    let angular = share(about(&before), about(&after));
    let mass = (after.mass / before.mass - 1.0).abs();
    let loose = visuals(&world)
        .filter(|v| v.graph.components().1 != 1)
        .count();
    bench.check(
        Engine,
        format!("a tumbling pane breaks by {name}: fragments; change of mass, momentum, angular momentum about its centre; fragments that are not connected"),
        format!(
            "{}; {mass:.1e}, {linear:.1e}, {angular:.1e}; {loose}",
            world.bodies().len()
        ),
        format!("at least 20; at most {KEPT:.0e} each; 0"),
        world.bodies().len() >= 20 && mass <= KEPT && linear <= KEPT && angular <= KEPT && loose == 0,
    );
    Ok(())
}

/// A pane that a ball goes through.
fn shot_pane(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    let mut pane = body(
        "pane",
        cuboid(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.02)),
        Behavior::Brittle,
    );
    pane.pattern.kind = PatternKind::Glass;
    pane.pattern.cells = 60;
    world.add_visual(pane)?;
    world.add_action(shot(Vec3::new(0.1, 0.1, 1.0), Vec3::Z * -20.0, 0.1, 5.0));
    run(&mut world, 1);
    let before = world.ledger();
    let mut shown = Vec::new();
    let mut first: Option<f64> = None;
    let change = |world: &World| {
        (world.ledger().momentum - before.momentum).length() / before.momentum.length()
    };
    for frame in 1..60 {
        world.step(FRAME);
        if world.bodies().len() > 1 && first.is_none() {
            first = Some(change(&world));
        }
        if [3, 8, 20].contains(&frame) {
            shown.push((picture(&world)?, format!("{:.2} s", world.time())));
        }
    }
    let loose = visuals(&world)
        .filter(|v| v.graph.components().1 != 1)
        .count();
    let first = first.unwrap_or(f64::NAN);
    let later = change(&world);
    bench.check(
        Engine,
        "a ball goes through a pane: fragments; change of momentum when it breaks; fragments that are not connected; their edges that do not close",
        format!("{}; {first:.1e}; {loose}; {}", world.bodies().len(), imbalance(&world).0),
        format!("at least 20; at most {KEPT:.0e}; 0; 0"),
        world.bodies().len() >= 20 && first <= KEPT && loose == 0 && imbalance(&world).0 == 0,
    );
    bench.check(
        Engine,
        "the same a second later, after all collisions: change of momentum",
        format!("{later:.1e}"),
        "at most 1e-5",
        later <= 1e-5,
    );
    write(bench, "v7-glass.png", &shown)
}

/// Where the first body is.
fn center(world: &World) -> DVec3 {
    let rigid = world.visual(0).and_then(|v| v.rigid);
    rigid.map_or(DVec3::ZERO, |rigid| rigid.x.as_dvec3())
}
