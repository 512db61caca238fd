//! Dents in a plate.

use super::worlds::{body, later, run, weightless};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::{Bench, LabError};
use glam::{DMat3, DVec3, Quat, Vec3};
use pliant::World;
use pliant::geometry::Mesh;
use pliant::visual::nasty::sheet;
use pliant::visual::{
    Behavior, DentOptions, JointDesc, JointKind, Pose, VisualBody, VisualDesc, dent,
};
use std::time::Instant;

/// Quads along a side of the plate, 1024 in all, and their length (m).
const SIDE: u16 = 32;
const QUAD: f32 = 0.05;
const THICKNESS: f32 = 0.02;
/// The ball that hits it.
const RADIUS: f32 = 0.12;
const MASS: f32 = 30.0;
/// How far from the middle the two hits are (m).
const OFF: f32 = 0.3;
/// Change of a dent by another one, as a share of its depth.
const STAYS: f32 = 0.05;
/// Error of mass, centre and inertia, as a share.
const RECOMPUTED: f64 = 1e-6;
/// Longest time of a dent (ms), and how often it is measured.
const TIME: f64 = 10.0;
const REPEATS: usize = 15;

/// V11.
pub(super) fn plate(bench: &mut Bench) -> Result<(), LabError> {
    hits(bench)?;
    in_joints(bench)?;
    time(bench)
}

fn plate_desc() -> VisualDesc {
    let mut mesh = sheet(u32::from(SIDE), u32::from(SIDE), QUAD);
    let half = 0.5 * QUAD * f32::from(SIDE);
    for p in &mut mesh.positions {
        *p -= Vec3::new(half, half, 0.0);
    }
    let mut plate = body("plate", mesh, Behavior::Plastic);
    plate.thickness = THICKNESS;
    plate
}

/// Where the primitives are, from the corner of the plate.
fn shape(world: &World) -> Vec<Pose> {
    let Some(visual) = world.visual(0) else {
        return Vec::new();
    };
    visual.rest.clone()
}

/// Depth of each primitive against its undeformed place (m): in the directions of three corners, so that it does not matter how the whole
/// lies.
fn depths(visual: &VisualBody) -> Vec<f32> {
    let n = usize::from(SIDE);
    let corners = [0, n - 1, n * (n - 1)];
    let now = corners.map(|k| visual.rest[k].x);
    let (u, v) = ((now[1] - now[0]).normalize(), (now[2] - now[0]).normalize());
    let up = u.cross(v).normalize();
    visual.rest.iter().map(|p| up.dot(p.x - now[0])).collect()
}

/// The plate as it is dented, lying down, its depth drawn tenfold: the middles of its primitives.
fn drawn(visual: &VisualBody) -> Mesh {
    let n = u32::from(SIDE);
    let deep = depths(visual);
    let place = |(p, d): (&Pose, &f32)| Vec3::new(p.x.x, 10.0 * d, -p.x.y);
    let mut mesh = Mesh {
        positions: visual.rest.iter().zip(&deep).map(place).collect(),
        ..Mesh::default()
    };
    for k in 0..(n - 1) * (n - 1) {
        let a = k / (n - 1) * n + k % (n - 1);
        mesh.triangles.push([a, a + 1, a + n + 1]);
        mesh.triangles.push([a, a + n + 1, a + n]);
    }
    mesh
}

fn deepest(depths: &[f32]) -> f32 {
    depths.iter().copied().fold(0.0, f32::min)
}

fn hits(bench: &mut Bench) -> Result<(), LabError> {
    let limit = plate_desc().dent_speed;
    let mut shown = Vec::new();
    for factor in [0.5, 2.0] {
        let mut world = weightless();
        world.add_visual(plate_desc())?;
        let was = shape(&world);
        let from = Vec3::new(0.0, 0.0, RADIUS + 0.05);
        world.add_action(later(0.0, from, Vec3::Z * -limit * factor, RADIUS, MASS));
        let bad = run(&mut world, 60);
        let now = shape(&world);
        let moved = was.iter().zip(&now).filter(|(a, b)| a != b).count();
        let Some(visual) = world.visual(0) else {
            continue;
        };
        let depth = -1e3 * deepest(&depths(visual));
        let is_hard = factor > 1.0;
        bench.check(
            Engine,
            format!("a ball hits a plate of 1024 primitives at {factor} × dent_speed: primitives moved; depth after a second; not finite"),
            format!("{moved}; {depth:.2} mm; {bad}"),
            if is_hard { "more than 0; more than 1 mm; 0" } else { "0; 0 mm; 0" },
            bad == 0 && if is_hard { moved > 0 && depth > 1.0 } else { moved == 0 },
        );
        shown.push((drawn(visual), format!("{factor} x dent_speed")));
    }
    // Two hits, one after the other.
    let mut world = weightless();
    let mut desc = plate_desc();
    desc.is_fixed = true;
    world.add_visual(desc)?;
    let from = |x: f32| Vec3::new(x, 0.0, RADIUS + 0.05);
    let fast = Vec3::Z * -4.0 * limit;
    world.add_action(later(0.0, from(-OFF), fast, RADIUS, MASS));
    world.add_action(later(1.0, from(OFF), fast, RADIUS, MASS));
    let bad = run(&mut world, 58);
    let first = world.visual(0).map(depths).unwrap_or_default();
    shown.extend(
        world
            .visual(0)
            .map(|v| (drawn(v), "4 x, held: first hit".to_owned())),
    );
    let bad = bad + run(&mut world, 62);
    let second = world.visual(0).map(depths).unwrap_or_default();
    shown.extend(world.visual(0).map(|v| (drawn(v), "second hit".to_owned())));
    let n = usize::from(SIDE);
    let is_left = |k: usize| k % n < n / 2;
    let depth = -first.iter().copied().fold(0.0, f32::min);
    let change = (0..first.len())
        .filter(|&k| is_left(k) && -first[k] > 0.25 * depth)
        .map(|k| (second[k] - first[k]).abs())
        .fold(0.0, f32::max);
    let other = (0..first.len())
        .filter(|&k| !is_left(k))
        .map(|k| -second[k])
        .fold(0.0, f32::max);
    bench.check(
        Engine,
        format!(
            "a second hit {} m away: depth of the first dent, of the second; largest change of the first; not finite",
            2.0 * OFF
        ),
        format!("{:.2}, {:.2} mm; {:.2} %; {bad}", 1e3 * depth, 1e3 * other, 100.0 * change / depth),
        format!("more than 1 mm each; at most {} %; 0", 100.0 * STAYS),
        depth > 1e-3 && other > 1e-3 && change <= STAYS * depth && bad == 0,
    );
    write_sheet(bench, "v11-dents.png", 2, false, &shown)
}

/// Mass, centre and inertia about the centre of primitives, in f64.
fn recomputed(visual: &VisualBody) -> (f64, DVec3, DMat3) {
    let density = f64::from(visual.rules.density);
    let (mut mass, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    let outer = |a: DVec3| DMat3::from_cols(a * a.x, a * a.y, a * a.z);
    for (p, pose) in visual.primitives.iter().zip(&visual.rest) {
        let m = density * f64::from(p.volume);
        let (x, d) = (pose.x.as_dvec3(), pose.d.as_dmat3());
        mass += m;
        first += m * x;
        second += d * (p.moment.as_dmat3() * density) * d.transpose() + outer(x) * m;
    }
    let center = first / mass;
    let second = second - outer(center) * mass;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    (
        mass,
        center,
        DMat3::from_diagonal(DVec3::splat(trace)) - second,
    )
}

/// A plate that hangs on two fixed joints is hit.
fn in_joints(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    let ids = world.add_visual(plate_desc())?;
    let edge = 0.5 * QUAD * f32::from(SIDE);
    let half = Vec3::new(0.08, 0.3, 0.05);
    let sides = [-1.0f32, 1.0].map(|side| Vec3::X * side * (edge - 0.05));
    for (k, center) in sides.into_iter().enumerate() {
        world.add_joint(JointDesc {
            name: format!("side {k}"),
            kind: JointKind::Fixed,
            a: ids.clone(),
            b: Vec::new(),
            center,
            half,
            rotation: Quat::IDENTITY,
            limits: None,
            motor: None,
        })?;
    }
    let Some(start) = world.visual(0).cloned() else {
        return Ok(());
    };
    let is_held = |k: usize| {
        let c = start.primitives[k].centroid;
        sides.iter().any(|s| (c - *s).abs().cmple(half).all())
    };
    let mass = world.ledger().mass;
    for (k, x) in [0.55f32, 0.0, -0.6].into_iter().enumerate() {
        let from = Vec3::new(x, 0.1, RADIUS + 0.05);
        let at = 0.4 * f64::from(k as u32);
        world.add_action(later(at, from, Vec3::Z * -10.0, RADIUS, MASS));
    }
    let bad = run(&mut world, 90);
    let Some(visual) = world.visual(0) else {
        return Ok(());
    };
    let moved = |k: usize, shift: Vec3| visual.rest[k].x - start.rest[k].x + shift;
    // Body axes are about the centre of mass, which dents move: what is held says how far.
    let held: Vec<usize> = (0..start.rest.len()).filter(|&k| is_held(k)).collect();
    let shift = held.first().map_or(Vec3::ZERO, |&k| -moved(k, Vec3::ZERO));
    let farthest = held
        .iter()
        .map(|&k| moved(k, shift).length())
        .fold(0.0, f32::max);
    let bent = held
        .iter()
        .filter(|&&k| visual.rest[k].d != start.rest[k].d)
        .count();
    let dented = visual.dented.iter().filter(|d| **d > 0.0).count();
    let depth = (0..start.rest.len())
        .map(|k| -moved(k, shift).z)
        .fold(0.0, f32::max);
    bench.check(
        Engine,
        format!("three hits on a plate in two joints: primitives dented, deepest; of {} in the joints' boxes: farthest way, deformed; not finite", held.len()),
        format!("{dented}, {:.2} mm; {farthest:.1e} m, {bent}; {bad}", 1e3 * depth),
        "more than 0, more than 1 mm; at most 1e-6 m (rounding), 0; 0",
        dented > 0 && depth > 1e-3 && farthest <= 1e-6 && bent == 0 && bad == 0,
    );
    let (m, c, inertia) = recomputed(visual);
    let Some(rigid) = visual.rigid else {
        return Ok(());
    };
    let of_mass = (f64::from(rigid.mass) / m - 1.0).abs();
    let kept = (f64::from(rigid.mass) / mass - 1.0).abs();
    let of_center = c.length() / f64::from(edge);
    let largest = inertia
        .to_cols_array()
        .into_iter()
        .map(f64::abs)
        .fold(0.0, f64::max);
    let off = (rigid.inertia.as_dmat3() - inertia).to_cols_array();
    let of_inertia = off.into_iter().map(f64::abs).fold(0.0, f64::max) / largest;
    bench.check(
        Engine,
        "after the dents: change of mass; errors of mass, centre (over half the side) and inertia against f64",
        format!("{kept:.1e}; {of_mass:.1e}, {of_center:.1e}, {of_inertia:.1e}"),
        format!("all at most {RECOMPUTED:.0e}"),
        [kept, of_mass, of_center, of_inertia].iter().all(|e| *e <= RECOMPUTED),
    );
    Ok(())
}

/// How long a dent of a thousand primitives takes.
fn time(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = weightless();
    world.add_visual(plate_desc())?;
    let Some(visual) = world.visual(0) else {
        return Ok(());
    };
    let n = usize::from(SIDE);
    let middle = (n / 2 * n + n / 2) as u32;
    let pushes: Vec<(u32, Vec3)> = [0, 1, SIDE.into(), u32::from(SIDE) + 1]
        .map(|k: u32| (middle + k, Vec3::Z * -0.4 * THICKNESS))
        .to_vec();
    let held = vec![false; visual.primitives.len()];
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        let (mut rest, mut dented) = (visual.rest.clone(), visual.dented.clone());
        let start = Instant::now();
        dent(
            &visual.primitives,
            &visual.graph,
            &mut rest,
            &pushes,
            &held,
            &mut dented,
            &DentOptions::default(),
        );
        times.push(1e3 * start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    bench.check(
        Engine,
        format!(
            "time of a dent among {} primitives: least, median of {REPEATS}",
            visual.primitives.len()
        ),
        format!("{:.2}, {:.2} ms", times[0], times[REPEATS / 2]),
        format!("least at most {TIME} ms"),
        times[0] <= TIME,
    );
    Ok(())
}
