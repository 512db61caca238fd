//! Who touches whom.

use super::worlds::{FRAME, body, weightless};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::{Quat, Vec3};
use pliant::World;
use pliant::random::Random;
use pliant::visual::hull::{Hull, Placed};
use pliant::visual::nasty::{ell, icosphere, sheet};
use pliant::visual::sat::{Feature, Solid, separation};
use pliant::visual::{Behavior, PolygonMesh};
use std::f32::consts::TAU;

/// Poses that are tried.
const POSES: usize = 1000;
/// Frames before each: bodies turn and bend in them.
const FRAMES: usize = 2;

/// Two primitives, each by its body and its number.
type Pair = [(u32, u32); 2];

/// V12.
pub(super) fn equivalence(bench: &mut Bench) -> Result<(), LabError> {
    let mut random = Random::new([12, 0, 0, 0]);
    let (mut pairs, mut meeting, mut missed, mut extra) = (0, 0, 0, 0);
    for k in 0..POSES {
        let mut world = three(&mut random, k)?;
        for _ in 0..FRAMES {
            world.step(FRAME);
        }
        let (found, all) = (world.overlapping_primitives(), brute_force(&world));
        pairs += all.len();
        meeting += usize::from(!all.is_empty());
        let not_in =
            |a: &[Pair], b: &[Pair]| a.iter().filter(|p| b.binary_search(p).is_err()).count();
        missed += not_in(&all, &found);
        extra += not_in(&found, &all);
    }
    bench.check(
        Engine,
        format!("{POSES} poses of three bodies, {meeting} of which overlap: pairs of primitives that overlap; not found by the three stages; found but not so"),
        format!("{pairs}; {missed}; {extra}"),
        "many; 0; 0",
        pairs > 10 * POSES && missed == 0 && extra == 0,
    );
    Ok(())
}

/// A mesh, turned and moved at random.
fn somewhere(random: &mut Random, mut mesh: PolygonMesh) -> PolygonMesh {
    let turn = Quat::from_axis_angle(random.next_direction(), TAU * random.next_f32());
    let to = (random.next_in_cube() - 0.5) * 2.5;
    for p in &mut mesh.positions {
        *p = turn * *p + to;
    }
    mesh
}

/// A hollow ball with bumps, a solid L and a sheet, which is soft in every other pose.
fn three(random: &mut Random, k: usize) -> Result<World, LabError> {
    let mut world = weightless();
    let mut bumpy = icosphere(1);
    for p in &mut bumpy.positions {
        *p *= 0.6 + 0.4 * random.next_f32();
    }
    let meshes = [
        (bumpy, Behavior::Rigid),
        (ell(), Behavior::Rigid),
        (
            sheet(8, 8, 0.25),
            if k.is_multiple_of(2) {
                Behavior::Rigid
            } else {
                Behavior::Soft
            },
        ),
    ];
    for (n, (mesh, behavior)) in meshes.into_iter().enumerate() {
        let mut desc = body(&format!("body {n}"), somewhere(random, mesh), behavior);
        desc.thickness = 0.03;
        desc.spin = random.next_direction() * (20.0 * random.next_f32());
        desc.velocity = random.next_direction();
        world.add_visual(desc)?;
    }
    Ok(world)
}

/// Pairs of primitives of different bodies that overlap, by looking at all of them.
fn brute_force(world: &World) -> Vec<Pair> {
    let mut all: Vec<((u32, u32), Hull, Placed, Vec3)> = Vec::new();
    for at in 0..world.bodies().len() {
        let Some(visual) = world.visual(at) else {
            continue;
        };
        for (k, primitive) in visual.primitives.iter().enumerate() {
            let (hull, pose) = (Hull::new(primitive), visual.pose(k));
            let mut placed = Placed::default();
            hull.place(pose.d, &mut placed);
            all.push(((at as u32, k as u32), hull, placed, pose.x));
        }
    }
    let mut pairs = Vec::new();
    for (n, (p, hull, placed, x)) in all.iter().enumerate() {
        let a = Solid { hull, placed };
        for (q, hull, placed, y) in &all[n + 1..] {
            let b = Solid { hull, placed };
            if p.0 != q.0 && separation(a, b, *y - *x, 0.0, &mut Feature::None).is_some() {
                pairs.push([*p, *q]);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}
