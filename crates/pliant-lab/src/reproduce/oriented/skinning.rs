//! A tube that is carried by a rod.

use super::skins;
use super::stepper::{particles, put};
use crate::reference::oriented::Body;
use crate::reference::oriented::experiments::larger;
use crate::reference::oriented::experiments::skinning::{AROUND, COUNT, motion, rod, run, tube};
use crate::reference::oriented::skin::{Blend, Distance};
use crate::reproduce::check::Solver::{self, Engine, Reference};
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};
use pliant::geometry::Mesh;
use pliant::oriented::OrientedDesc;
use pliant::{Settings, World, state};

/// Largest distance from the rest mesh at rest (m).
const REST: f64 = 1e-6;
/// Largest distance from the mesh that was moved itself (m).
const RIGID: f64 = 1e-5;
/// Least distance from the axis of a tube that is twisted by 150°, over its radius, if twists keep it.
const KEPT: f64 = 0.99;

/// E10.
pub(super) fn carried(bench: &mut Bench) -> Result<(), LabError> {
    by_reference(bench);
    by_engine(bench)?;
    skins::compare(bench)
}

fn by_engine(bench: &mut Bench) -> Result<(), LabError> {
    let mut at_rest = Vec::new();
    for (blend, name) in [
        (state::Blend::Linear, "linear"),
        (state::Blend::Dual, "dual quaternion"),
    ] {
        let mut world = world(blend)?;
        let mesh = skin(&mut world);
        check_rest(bench, Engine, name, error(&mesh, |x| x));
        at_rest.push(mesh);
        let motion = motion();
        for (i, p) in rod().particles.iter().enumerate() {
            let mut moved = *p;
            moved.pose = motion.after(&p.rest);
            // q and −q are one turn: half of the particles get the other sign.
            moved.pose.q = if i % 2 == 0 {
                moved.pose.q
            } else {
                -moved.pose.q
            };
            put(&mut world, i, &moved);
        }
        let error = error(&skin(&mut world), |x| motion.apply(x));
        check_rigid(bench, Engine, name, error);
    }
    let pairs = at_rest[0].iter().zip(&at_rest[1]);
    let apart = pairs.map(|(a, b)| f64::from(a.distance(*b)));
    let what = "both skins: apart at rest by no more than, m";
    bench.at_most(Engine, what, apart.fold(0.0, larger), REST);
    Ok(())
}

fn check_rest(bench: &mut Bench, solver: Solver, skin: &str, error: f64) {
    let what = format!("{skin} skin: largest error at rest, m");
    bench.at_most(solver, &what, error, REST);
}

fn check_rigid(bench: &mut Bench, solver: Solver, skin: &str, error: f64) {
    let what = format!("{skin} skin: largest error after a rigid motion of all particles, m");
    bench.at_most(solver, &what, error, RIGID);
}

fn by_reference(bench: &mut Bench) {
    for (distance, metric) in [
        (Distance::Euclidean, "nearest in metres"),
        (Distance::Ellipsoid, "nearest in radii"),
    ] {
        let blends = [Blend::Linear, Blend::DualQuaternion];
        let [linear, dual] = blends.map(|blend| run(blend, distance));
        for (carried, name) in [(linear, "linear"), (dual, "dual quaternion")] {
            let skin = format!("{name}, {metric},");
            check_rest(bench, Reference, &skin, carried.rest);
            check_rigid(bench, Reference, &skin, carried.rigid);
        }
        let what = format!("both skins, {metric}: apart at rest by no more than, m");
        bench.at_most(Reference, &what, linear.rest + dual.rest, REST);
        bench.check(
            Reference,
            format!("radius of a tube twisted by 150°, {metric}: by dual quaternions, linear"),
            format!("{:.4}, {:.4}", dual.twisted_radius, linear.twisted_radius),
            format!("at least {KEPT}, less than that"),
            dual.twisted_radius >= KEPT && linear.twisted_radius < KEPT,
        );
    }
}

/// A world of the rod with the tube around it.
fn world(blend: state::Blend) -> Result<World, LabError> {
    let body: Body = rod();
    let (around, rings) = (AROUND as u32, (tube().len() / AROUND) as u32);
    let mut mesh = Mesh {
        positions: tube().iter().map(|(x, _)| x.as_vec3()).collect(),
        ..Mesh::default()
    };
    for ring in 0..rings - 1 {
        for side in 0..around {
            let corner = |ring: u32, side: u32| ring * around + side % around;
            let (a, b) = (corner(ring, side), corner(ring + 1, side));
            let (c, d) = (corner(ring, side + 1), corner(ring + 1, side + 1));
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    world.add_oriented(OrientedDesc {
        mesh,
        blend,
        ..OrientedDesc::new(
            "rod",
            particles(&body),
            (1..COUNT as u32).map(|i| [i - 1, i]).collect(),
        )
    })?;
    Ok(world)
}

/// Where the vertices of the tube are.
fn skin(world: &mut World) -> Vec<Vec3> {
    // A step of no length carries the mesh and does nothing else.
    world.step(0.0);
    world.surfaces()[0].mesh().positions.clone()
}

/// Largest distance of the carried tube from where `goal` takes that at rest (m).
fn error(positions: &[Vec3], goal: impl Fn(DVec3) -> DVec3) -> f64 {
    let rest = tube();
    if positions.len() != rest.len() {
        return f64::NAN;
    }
    let off = positions.iter().zip(&rest);
    off.map(|(y, (x, _))| y.as_dvec3().distance(goal(*x)))
        .fold(0.0, larger)
}
