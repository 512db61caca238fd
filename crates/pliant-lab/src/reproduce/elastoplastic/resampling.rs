//! What must hold of re-sampling: I6 to I8, I10 and I11.

use super::figure::{self, Pose, clay};
use crate::reference::linear::signed_svd;
use crate::reference::resample::rest_map;
use crate::reproduce::check::Solver::{Engine, Reference};
use crate::reproduce::{Bench, LabError};
use glam::{DMat3, DVec3, Mat3, Vec3};
use pliant::dynamics::{Action, ActionKind};
use pliant::geometry::Shape;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::resample::Recluster;
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};
use std::collections::BTreeMap;

/// Particle radius of the bar.
const R: f32 = 0.1;
const FRAME: f32 = 1.0 / 60.0;

/// A bar of 30 × 8 × 8 r whose surface is tracked.
fn bar(material: Material, change: impl FnOnce(&mut BodyDesc)) -> Result<World, LabError> {
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    });
    let half = Vec3::new(15.0, 4.0, 4.0) * R;
    let center = Vec3::ZERO;
    let mesh = mesh_shape(&Shape::Box { center, half }, R).unwrap_or_default();
    let mut desc = BodyDesc::new("bar", mesh, R);
    desc.surface = SurfaceKind::Tracked {
        edge_length: R,
        keep_volume: false,
    };
    desc.material = material;
    change(&mut desc);
    world.add_body(desc)?;
    Ok(world)
}

fn putty() -> Material {
    Material {
        plastic_yield: 1e-4,
        plastic_flow: 0.9,
        ..Material::default()
    }
}

/// Draws both ends apart.
fn pull(world: &mut World, by: f32) {
    for side in [-1.0, 1.0] {
        let at = Vec3::X * side * 15.0 * R;
        let to = at + Vec3::X * side * by;
        let kind = ActionKind::pull(at, 4.0 * R, to, 1.5);
        world.add_action(Action { at: 0.0, kind });
    }
}

/// I6 and I7: rest positions are centred, rows and columns of the membership agree, every particle finds a cluster.
pub(super) fn bookkeeping(bench: &mut Bench) -> Result<(), LabError> {
    let mut world = bar(putty(), |_| ())?;
    pull(&mut world, 2.5);
    let patience = world.bodies()[0].resampling.min_memberships + 2;
    let (mut worst, mut unlike, mut free, mut seeded) = (0.0_f64, 0, 0, 0);
    let mut waiting: BTreeMap<u64, u32> = BTreeMap::new();
    for _ in 0..120 {
        seeded += world.step(FRAME).resampled[0].particles_added;
        worst = worst.max(off_center(&world));
        unlike += asymmetric(&world);
        let alone = |i: &usize| world.groups().of_mover.row(*i).is_empty();
        let ids = (0..world.points().len()).filter(alone);
        waiting = ids
            .map(|i| world.points().id[i])
            .map(|id| (id, waiting.get(&id).map_or(1, |n| n + 1)))
            .collect();
        free += waiting.values().filter(|&&n| n > patience).count();
    }
    bench.check(
        Engine,
        "particles seeded while the bar was drawn out",
        seeded.to_string(),
        "at least 100",
        seeded >= 100,
    );
    bench.at_most(
        Engine,
        "I6: Σ w q over Σ w and the cluster radius, all clusters and frames",
        worst,
        1e-5,
    );
    bench.check(
        Engine,
        "I6: memberships that only one side knows",
        unlike.to_string(),
        "0",
        unlike == 0,
    );
    bench.check(
        Engine,
        "I7: particles without a cluster for more than five frames",
        free.to_string(),
        "0",
        free == 0,
    );
    Ok(())
}

/// Largest |Σ w q| / (Σ w · radius).
fn off_center(world: &World) -> f64 {
    let (points, groups) = (world.points(), world.groups());
    let of = |k: usize| {
        let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
        for (i, q) in groups.members(k) {
            let w = f64::from(points.pred[i as usize].0[3]);
            sum += w * q.as_dvec3();
            weight += w;
        }
        sum.length() / (weight * f64::from(groups.radius[k]))
    };
    (0..groups.len()).map(of).fold(0.0, f64::max)
}

/// Memberships in the rows of particles that clusters do not have, and the other way round.
fn asymmetric(world: &World) -> usize {
    let groups = world.groups();
    let mut pairs: Vec<(u32, u32)> = (0..groups.len())
        .flat_map(|k| groups.members(k).map(move |(i, _)| (i, k as u32)))
        .collect();
    pairs.sort_unstable();
    let known = |i: u32, k: u32| groups.of_mover.row(i as usize).contains(&k);
    let rows: usize = (0..world.points().len())
        .map(|i| groups.of_mover.row(i).len())
        .sum();
    pairs.iter().filter(|&&(i, k)| !known(i, k)).count() + rows.abs_diff(pairs.len())
}

/// I8: a body that only bends is left alone, to the last bit.
pub(super) fn elastic_is_left_alone(bench: &mut Bench) -> Result<(), LabError> {
    let run = |recluster: Recluster| -> Result<World, LabError> {
        let mut world = bar(Material::elastic(0.9), |desc| {
            desc.resampling.recluster = recluster;
        })?;
        pull(&mut world, 0.8);
        for _ in 0..150 {
            world.step(FRAME);
        }
        Ok(world)
    };
    let (with, without) = (run(Recluster::World)?, run(Recluster::Off)?);
    let (a, b) = (with.points(), without.points());
    let bits = |v: &Vec3| v.to_array().map(f32::to_bits);
    let same = a.id == b.id
        && a.x.iter().map(bits).eq(b.x.iter().map(bits))
        && a.v.iter().map(bits).eq(b.v.iter().map(bits))
        && with.groups().len() == without.groups().len();
    bench.check(
        Engine,
        "an elastic bar, stretched and let go, with and without re-sampling, 150 frames",
        if same { "equal bits" } else { "different" },
        "equal bits",
        same,
    );
    Ok(())
}

/// I10: replacing all clusters at once leaves the goals where they are.
pub(super) fn replaced_at_once(bench: &mut Bench) -> Result<(), LabError> {
    // One cluster in numbers of 64 bits.
    let f_e = DMat3::from_rotation_z(0.7)
        * DMat3::from_rotation_x(0.4)
        * DMat3::from_diagonal(DVec3::new(1.2, 0.93, 0.9));
    let plastic = DMat3::from_diagonal(DVec3::new(1.25, 0.8, 1.0));
    let rest = super::small::lattice(5, 4, 3);
    let turn = polar(f_e);
    let w = rest_map(&[(1.0, f_e)]);
    let new: Vec<DVec3> = rest.iter().map(|q| w * f_e * plastic * *q).collect();
    let moment = rest
        .iter()
        .zip(&new)
        .fold(DMat3::ZERO, |m, (q, n)| m + outer(f_e * plastic * *q, *n));
    let new_turn = polar(moment);
    let change = rest.iter().zip(&new).map(|(q, n)| {
        let old_goal = turn * plastic * *q;
        (new_turn * *n - old_goal).length()
    });
    bench.at_most(
        Reference,
        "largest change of a goal of one strained, turned cluster, r",
        change.fold(0.0, f64::max) / super::small::R,
        1e-6,
    );

    let strain = Mat3::from_quat(glam::Quat::from_rotation_z(0.7))
        * Mat3::from_diagonal(Vec3::new(1.2, 0.93, 0.9));
    let plastic = Mat3::from_diagonal(Vec3::new(1.1, 0.95, 1.0 / (1.1 * 0.95)));
    let (largest, _, replaced) = replace_all(|x| strain * plastic * x, plastic)?;
    bench.check(
        Engine,
        "clusters replaced in one frame",
        format!("{} of {}", replaced.0, replaced.1),
        "all, more than 20",
        replaced.0 == replaced.1 && replaced.0 > 20,
    );
    // In numbers of 32 bits a coordinate of 2 m alone is rounded by 1e-6 r.
    bench.at_most(
        Engine,
        "largest change of a goal in a strained, turned bar, r",
        largest,
        5e-6,
    );
    // Bent to an eighth of a circle: the outer fibres are stretched by a tenth.
    let radius = 30.0 * R / std::f32::consts::FRAC_PI_4;
    let bend = |x: Vec3| {
        let (sin, cos) = (x.x / radius).sin_cos();
        Vec3::new((radius - x.y) * sin, radius - (radius - x.y) * cos, x.z)
    };
    let (_, rms, _) = replace_all(bend, Mat3::IDENTITY)?;
    bench.at_most(
        Engine,
        "root mean square change of the goals in a bent bar, r",
        rms,
        0.05,
    );
    Ok(())
}

fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

fn polar(m: DMat3) -> DMat3 {
    let svd = signed_svd(m);
    svd.u * svd.v.transpose()
}

/// Deforms a bar, replaces all its clusters in one frame, and compares the goals of every new cluster with those that a cluster of the
/// same particles would give that had been there from the start. Tells the largest and the root mean square change of a particle's mean
/// goal, in r, and how many clusters of how many went.
///
/// The same particles, because a strained cluster pulls towards its own centre: another choice of members has other goals.
fn replace_all(
    deform: impl Fn(Vec3) -> Vec3,
    plastic: Mat3,
) -> Result<(f64, f64, (usize, usize)), LabError> {
    let mut world = bar(putty(), |desc| {
        desc.resampling.remove_strain = 0.0;
        desc.resampling.seed_strain = f32::INFINITY;
        desc.resampling.fade_frames = 0;
    })?;
    let points = world.points_mut();
    let rest: BTreeMap<u64, DVec3> = points
        .id
        .iter()
        .zip(&points.x)
        .map(|(id, x)| (*id, x.as_dvec3()))
        .collect();
    for i in 0..points.len() {
        points.x[i] = deform(points.x[i]);
        let to = points.x[i];
        points.pred[i].set_position(to);
    }
    let groups = world.groups_mut();
    groups.f_p.fill(plastic);
    groups.yielding.fill(true);
    for k in 0..groups.len() {
        groups.center[k] = deform(groups.center[k]);
    }
    let count = world.groups().len();
    // A step of no length only re-samples.
    let done = world.step(0.0).resampled[0];
    // A particle goes to the mean of its goals.
    let mut moved = vec![(DVec3::ZERO, 0.0); world.points().len()];
    for k in 0..world.groups().len() {
        for (i, d) in changes(&world, k, &rest, plastic.as_dmat3()) {
            moved[i].0 += d / f64::from(R);
            moved[i].1 += 1.0;
        }
    }
    let moved = moved.iter().map(|(d, n)| d.length() / f64::max(*n, 1.0));
    let largest = moved.clone().fold(0.0, f64::max);
    let mean_square = moved.map(|d| d * d).sum::<f64>() / world.points().len() as f64;
    let replaced = (done.groups_removed as usize, count);
    Ok((largest, mean_square.sqrt(), replaced))
}

/// Per member of cluster `k`: its goal less that which its particles' rest positions and `plastic` give.
fn changes(
    world: &World,
    k: usize,
    rest: &BTreeMap<u64, DVec3>,
    plastic: DMat3,
) -> Vec<(usize, DVec3)> {
    let (points, groups) = (world.points(), world.groups());
    let weight = |i: usize| f64::from(points.pred[i].0[3]);
    let members: Vec<(usize, DVec3)> = groups
        .members(k)
        .map(|(i, q)| (i as usize, q.as_dvec3()))
        .collect();
    let total: f64 = members.iter().map(|m| weight(m.0)).sum();
    let mean = |place: &dyn Fn(usize) -> DVec3| {
        let weighted = members.iter().map(|m| weight(m.0) * place(m.0));
        weighted.sum::<DVec3>() / total
    };
    let place = |i: usize| points.x[i].as_dvec3();
    let rest = |i: usize| rest.get(&points.id[i]).copied().unwrap_or_default();
    let (center, rest_center) = (mean(&place), mean(&rest));
    // Goals of the rest shape q ↦ shape(i, q), which is fitted to where the particles are.
    let goals = |shape: &dyn Fn(usize, DVec3) -> DVec3| -> Vec<DVec3> {
        let moment = members.iter().fold(DMat3::ZERO, |sum, &(i, q)| {
            sum + outer(weight(i) * (place(i) - center), shape(i, q))
        });
        let turn = polar(moment);
        members.iter().map(|&(i, q)| turn * shape(i, q)).collect()
    };
    let new = goals(&|_, q| groups.f_p[k].as_dmat3() * q);
    let old = goals(&|i, _| plastic * (rest(i) - rest_center));
    let index = members.iter().map(|m| m.0);
    index
        .zip(new.iter().zip(&old).map(|(a, b)| *a - *b))
        .collect()
}

/// I11: twice as fine, with twice the substeps, is the same drop.
///
/// K pulls each particle by its distance from the goal, which for a given strain is half as long in a cluster half as large: the modulus
/// of a material goes with K r². So the fine figure needs four times the K of the coarse one.
pub(super) fn refined(bench: &mut Bench) -> Result<(), LabError> {
    const STIFFNESS: f32 = 0.9;
    for (plastic_yield, flow) in [(1e-4, 0.5), (1e-2, 0.9)] {
        let drop = |r: f32, substeps: u32, stiffness: f32| -> Result<f64, LabError> {
            let settings = Settings {
                substeps,
                ..Settings::default()
            };
            let material = Material {
                stiffness,
                ..clay(plastic_yield, flow, 0.0)
            };
            let dropped = figure::drop_at(bench, Pose::Back, material, settings, r)?;
            Ok(dropped.height)
        };
        let coarse = drop(figure::R, 4, 0.25 * STIFFNESS)?;
        let fine = drop(0.5 * figure::R, 8, STIFFNESS)?;
        bench.check(
            Engine,
            format!("height after a drop at r and r/2, yield {plastic_yield}, flow {flow}"),
            format!("{coarse:.3} and {fine:.3} of the start"),
            "within 10 %",
            (fine / coarse - 1.0).abs() < 0.1,
        );
    }
    Ok(())
}
