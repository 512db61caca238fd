//! What the worlds of the experiments have in common.

use crate::reproduce::Bench;
use crate::reproduce::LabError;
use crate::reproduce::pictures::write_images;
use glam::Vec3;
use pliant::dynamics::grab::Grip;
use pliant::dynamics::{Action, ActionKind, Collider, PathKey};
use pliant::state::Surface;
use pliant::visual::nasty::cube;
use pliant::visual::{Behavior, PolygonMesh, VisualBody, VisualDesc};
use pliant::{Settings, World};
use pliant_draw::Image;
use pliant_scene::picture::{Looks, Snapshot, still};

/// Length of a frame (s).
pub(super) const FRAME: f32 = 1.0 / 60.0;
/// Frames of a second.
pub(super) const SECOND: usize = 60;
/// Width of a picture (pixels).
const WIDTH: usize = 480;

/// An empty world with a floor.
pub(super) fn grounded() -> World {
    let mut world = World::new(Settings::default());
    world.add_collider(Collider::floor(0.0));
    world
}

/// An empty world where nothing falls.
pub(super) fn weightless() -> World {
    World::new(Settings {
        gravity: Vec3::ZERO,
        ..Settings::default()
    })
}

/// A body of a mesh.
pub(super) fn body(name: &str, mesh: PolygonMesh, behavior: Behavior) -> VisualDesc {
    VisualDesc {
        behavior,
        ..VisualDesc::new(name, mesh)
    }
}

/// A box of this size about a place.
pub(super) fn cuboid(center: Vec3, size: Vec3) -> PolygonMesh {
    let mut mesh = cube(-0.5, 0.5);
    for p in &mut mesh.positions {
        *p = *p * size + center;
    }
    mesh
}

/// A ball that is shot at once.
pub(super) fn shot(from: Vec3, velocity: Vec3, radius: f32, mass: f32) -> Action {
    later(0.0, from, velocity, radius, mass)
}

/// A ball that is shot at a time.
pub(super) fn later(at: f64, from: Vec3, velocity: Vec3, radius: f32, mass: f32) -> Action {
    let kind = ActionKind::Shoot {
        from,
        velocity,
        radius,
        mass,
        until: 1e3,
    };
    Action { at, kind }
}

/// A hand that closes around a box at once and carries what it holds to a place within a time.
pub(super) fn pull(at: Vec3, half: Vec3, to: Vec3, time: f64) -> Action {
    let kind = ActionKind::Pull {
        grip: Grip::Box { at, half },
        path: vec![PathKey { time, position: to }],
        until: 1e3,
    };
    Action { at: 0.0, kind }
}

/// Goes on by so many frames; returns the numbers that were not finite.
pub(super) fn run(world: &mut World, frames: usize) -> u32 {
    (0..frames).map(|_| world.step(FRAME).non_finite).sum()
}

/// The bodies of visual geometry.
pub(super) fn visuals(world: &World) -> impl Iterator<Item = &VisualBody> {
    (0..world.bodies().len()).filter_map(|k| world.visual(k))
}

/// Vertices and places that are not finite.
pub(super) fn not_finite(world: &World) -> usize {
    let meshes = world.surfaces().iter().map(|s| {
        let mesh = s.mesh();
        mesh.positions.iter().filter(|p| !p.is_finite()).count()
    });
    let poses = visuals(world).flat_map(|v| &v.rest);
    meshes.sum::<usize>()
        + poses
            .filter(|p| !(p.x.is_finite() && p.d.is_finite()))
            .count()
}

/// The sum of the directed edges that do not close, over all bodies, and how many meshes that was of.
pub(super) fn imbalance(world: &World) -> (usize, usize) {
    let welded = world.surfaces().iter().filter_map(|surface| match surface {
        Surface::Welded(welded) => Some(welded.imbalance()),
        _ => None,
    });
    welded.fold((0, 0), |(sum, count), open| (sum + open, count + 1))
}

/// A picture of a world.
pub(super) fn picture(world: &World) -> Result<Image, LabError> {
    let snapshot = Snapshot::of(world, None);
    Ok(still(&snapshot, &Looks::of_world(world), WIDTH)?)
}

/// Writes pictures of worlds side by side.
pub(super) fn write(
    bench: &Bench,
    name: &str,
    pictures: &[(Image, String)],
) -> Result<(), LabError> {
    let (images, captions): (Vec<Image>, Vec<String>) = pictures.iter().cloned().unzip();
    write_images(bench, name, images.len().min(3), &images, &captions)
}
