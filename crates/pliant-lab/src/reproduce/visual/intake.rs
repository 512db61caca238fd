//! Meshes of all kinds are hit by a ball.

use super::worlds::{FRAME, body, grounded, not_finite, picture, shot, write};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::World;
use pliant::visual::nasty::{moved, nasty_meshes};
use pliant::visual::{Behavior, PolygonMesh};
use pliant_draw::Image;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Everything that a body may do when it is hit.
const BEHAVIORS: [(Behavior, &str); 5] = [
    (Behavior::Rigid, "rigid"),
    (Behavior::Soft, "soft"),
    (Behavior::Plastic, "plastic"),
    (Behavior::Brittle, "brittle"),
    (Behavior::Ductile, "ductile"),
];
/// Frames of a run, and of one of a mesh of more faces than this.
struct Length {
    frames: usize,
    many: usize,
    fewer: usize,
}
/// Without `--long` and with it: thousands of loose bodies take their time.
const SHORT: Length = Length {
    frames: 60,
    many: 2_000,
    fewer: 10,
};
const LONG: Length = Length {
    frames: 300,
    many: 20_000,
    fewer: 60,
};
/// Cells of the patterns of broken meshes: each fragment that lands hard breaks again, so they are few.
const CELLS: u32 = 6;
/// Radius of the ball in diagonals of the mesh; at least so much, as a smaller one may step over what it should hit (m).
const RADIUS: f32 = 0.15;
const LEAST_RADIUS: f32 = 0.05;
/// Its speed (m/s), and in diagonals a second.
const SPEED: [f32; 2] = [15.0, 4.0];
/// Its density (kg/m³).
const DENSITY: f32 = 1000.0;
/// Where it goes: aslant, so that it meets a sheet in whatever plane.
const WAY: Vec3 = Vec3::new(-0.84, -0.25, -0.48);
/// Change of its velocity, or of that of the mesh, by which it has hit, in its speed; and frames after it should have, until when that is looked for.
const BUMP: f32 = 0.01;
const LATE: usize = 3;
/// How far anything may have come, in what the ball would have: what is light may be thrown ahead of it.
const REACH: f32 = 2.0;
/// Frame of a mesh of one's own of which there is a picture.
const SHOWN: usize = 45;

/// What became of a mesh.
enum End {
    /// It was refused, in so many words.
    Refused(String),
    Ran(Ran),
    Panicked,
}

/// How a run went.
#[derive(Default)]
struct Ran {
    /// Whether the ball has hit it.
    was_hit: bool,
    /// Numbers that were stopped or found not finite.
    bad: usize,
    /// How far the farthest vertex is from where the mesh was, in what may be.
    reach: f32,
    bodies: usize,
    picture: Option<Image>,
}

/// Each mesh, or one's own, is hit whatever it is made of.
pub(super) fn hits(bench: &mut Bench) -> Result<(), LabError> {
    let own = bench.options.mesh.as_ref();
    let meshes = match own {
        Some(mesh) => vec![("mesh", PolygonMesh::from(mesh))],
        None => nasty_meshes(),
    };
    let is_long = bench.options.long || own.is_some();
    let length = if is_long { &LONG } else { &SHORT };
    let mut pictures = Vec::new();
    for (behavior, kind) in BEHAVIORS {
        let started = Instant::now();
        let (mut survived, mut refused) = (0, Vec::new());
        let (mut wrong, mut slowest) = (Vec::new(), (0.0, ""));
        for (name, mesh) in &meshes {
            let frames = if mesh.face_count() > length.many {
                length.fewer
            } else {
                length.frames
            };
            let begun = Instant::now();
            match throw_at(mesh, behavior, frames, own.is_some()) {
                End::Refused(why) if why.is_empty() || why.contains('\n') => {
                    wrong.push(format!("{name}: refused without one clear line"));
                }
                End::Refused(why) => refused.push(format!("{name}: {why}")),
                End::Panicked => wrong.push(format!("{name}: panic")),
                End::Ran(ran) if ran.bad > 0 => {
                    wrong.push(format!("{name}: {} not finite", ran.bad));
                }
                End::Ran(ran) if ran.reach.is_nan() || ran.reach > 1.0 => {
                    wrong.push(format!("{name}: flew {:.1} times too far", ran.reach));
                }
                End::Ran(ran) if !ran.was_hit => wrong.push(format!("{name}: missed")),
                End::Ran(ran) => {
                    survived += 1;
                    let caption = format!("{kind}, {} bodies", ran.bodies);
                    pictures.extend(ran.picture.map(|image| (image, caption)));
                }
            }
            let time = begun.elapsed().as_secs_f64();
            if time > slowest.0 {
                slowest = (time, *name);
            }
        }
        let told = if refused.is_empty() {
            "none".to_owned()
        } else {
            refused.join("; ")
        };
        bench.check(
            Engine,
            format!(
                "{} meshes, {kind}, are hit by a ball: survived; went wrong; {} were refused ({told})",
                meshes.len(),
                refused.len()
            ),
            format!(
                "{survived} in {:.0} s, the slowest is {} with {:.0} s; {}",
                started.elapsed().as_secs_f64(),
                slowest.1,
                slowest.0,
                if wrong.is_empty() {
                    "none".to_owned()
                } else {
                    wrong.join(", ")
                }
            ),
            "all that are not refused; none",
            survived > 0 && survived + refused.len() == meshes.len() && wrong.is_empty(),
        );
    }
    write(bench, "intake.png", &pictures)
}

/// Throws a ball at a mesh above a floor.
fn throw_at(mesh: &PolygonMesh, behavior: Behavior, frames: usize, is_shown: bool) -> End {
    let run = || {
        let mut world = grounded();
        let Some((lo, hi)) = mesh.bounds() else {
            return End::Refused("it has no size".to_owned());
        };
        let size = (hi - lo).length();
        let radius = (RADIUS * size).max(LEAST_RADIUS);
        let mesh = moved(mesh.clone(), Vec3::Y * (2.0 * radius - lo.y));
        let (lo, hi) = mesh.bounds().unwrap_or_default();
        let middle = mesh.faces.iter().nth(mesh.face_count() / 2);
        let corners = middle.unwrap_or_default();
        let sum: Vec3 = corners.iter().map(|&v| mesh.positions[v as usize]).sum();
        let target = sum / corners.len().max(1) as f32;
        let mut desc = body("mesh", mesh, behavior);
        if !is_shown {
            desc.pattern.cells = CELLS;
        }
        if let Err(error) = world.add_visual(desc) {
            return End::Refused(error.to_string());
        }
        // It starts where it is just clear of the mesh.
        let way = WAY.normalize();
        let room = 1.5 * radius;
        let exits = ((lo - room - target) / -way).max((hi + room - target) / -way);
        let (distance, speed) = (exits.min_element(), SPEED[0].max(SPEED[1] * size));
        let mass = DENSITY * 4.0 / 3.0 * std::f32::consts::PI * radius.powi(3);
        let velocity = way * speed;
        world.add_action(shot(target - way * distance, velocity, radius, mass));
        let due = (distance / speed / FRAME) as usize + LATE;
        let mut ran = Ran::default();
        for frame in 0..frames {
            ran.bad += world.step(FRAME).non_finite as usize;
            if frame <= due {
                let ball = world.rigids().v.first().map(|v| *v - velocity);
                let pushed = ball.into_iter().chain([drift(&world)]);
                let sideways = |v: Vec3| v.with_y(0.0).length();
                ran.was_hit |= pushed.map(sideways).any(|v| v > BUMP * speed);
            }
            if is_shown && frame == SHOWN {
                ran.picture = picture(&world).ok();
            }
        }
        let time = frames as f32 * FRAME;
        let farthest = size + time * (speed + time * world.settings().gravity.length());
        ran.reach = reach(&world, target) / (REACH * farthest);
        ran.bad += not_finite(&world);
        ran.bodies = world.bodies().len();
        End::Ran(ran)
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(End::Panicked)
}

/// The mean velocity of all bodies.
fn drift(world: &World) -> Vec3 {
    let ledgers = world.bodies().iter().map(|b| world.body_ledger(b));
    let sum = |(p, m), l: pliant::report::Ledger| (p + l.momentum, m + l.mass);
    let (momentum, mass) = ledgers.fold((glam::DVec3::ZERO, 0.0), sum);
    (momentum / mass).as_vec3()
}

/// The distance of the farthest vertex from a place.
fn reach(world: &World, from: Vec3) -> f32 {
    let meshes = world.surfaces().iter().map(|surface| surface.mesh());
    let far = |p: &Vec3| p.distance(from);
    meshes
        .map(|mesh| mesh.positions.iter().map(far).fold(0.0, f32::max))
        .fold(0.0, f32::max)
}
