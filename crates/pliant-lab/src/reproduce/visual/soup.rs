//! Meshes that are none.

use super::worlds::{FRAME, SECOND, body, grounded, not_finite, visuals};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::visual::nasty::{moved, nasty_meshes, soup};
use pliant::visual::{Behavior, PolygonMesh};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Triangles of the soup.
const TRIANGLES: u32 = 10_000;
/// Frames of a drop, and of a long one: ten seconds. Thousands of loose bodies are slow when they land, and so is what shatters.
const FRAMES: [usize; 2] = [30, 10 * SECOND];
/// Cells of the patterns: each fragment that lands hard breaks again, so they are few.
const CELLS: u32 = 6;

/// What became of a mesh.
enum End {
    /// It was refused, in so many words.
    Refused(String),
    /// It fell: primitives, numbers that were stopped or found not finite.
    Fell(usize, usize),
    Panicked,
}

/// V4.
#[expect(
    clippy::unnecessary_wraps,
    reason = "all experiments have one signature"
)]
pub(super) fn falls(bench: &mut Bench) -> Result<(), LabError> {
    let frames = FRAMES[usize::from(bench.options.long)];
    let seconds = frames as f64 / SECOND as f64;
    for (size, what) in [(0.04, "apart"), (0.15, "in a heap")] {
        let mesh = soup(TRIANGLES, size, 4);
        let ended = drop(&mesh, Behavior::Rigid, frames);
        let (told, pass) = match ended {
            End::Fell(primitives, bad) => (
                format!("{primitives} primitives, {bad} numbers that are not finite"),
                bad == 0,
            ),
            End::Refused(why) => (why, false),
            End::Panicked => ("panic".to_owned(), false),
        };
        bench.check(
            Engine,
            format!("{TRIANGLES} loose triangles, {what}, fall for {seconds} s"),
            told,
            "0 numbers that are not finite",
            pass,
        );
    }
    let behaviors = [
        (Behavior::Rigid, "rigid"),
        (Behavior::Soft, "soft"),
        (Behavior::Brittle, "brittle"),
        (Behavior::Ductile, "ductile"),
    ];
    for (behavior, name) in behaviors {
        let (mut fell, mut refused, mut bad) = (0, 0, Vec::new());
        for (mesh_name, mesh) in nasty_meshes() {
            match drop(&mesh, behavior, frames) {
                End::Fell(_, 0) => fell += 1,
                End::Refused(_) => refused += 1,
                End::Fell(_, count) => bad.push(format!("{mesh_name}: {count} not finite")),
                End::Panicked => bad.push(format!("{mesh_name}: panic")),
            }
        }
        bench.check(
            Engine,
            format!(
                "broken meshes, {name}, fall for {seconds} s: fell; refused with a reason; went wrong",
            ),
            format!(
                "{fell}; {refused}; {}",
                if bad.is_empty() {
                    "none".to_owned()
                } else {
                    bad.join(", ")
                }
            ),
            "at least one; any; none",
            fell > 0 && bad.is_empty(),
        );
    }
    Ok(())
}

/// Drops a mesh on a floor.
fn drop(mesh: &PolygonMesh, behavior: Behavior, frames: usize) -> End {
    let fall = || {
        let mut world = grounded();
        let lift = mesh.bounds().map_or(0.0, |(lo, _)| 0.3 - lo.y);
        let mut desc = body("mesh", moved(mesh.clone(), Vec3::Y * lift), behavior);
        desc.pattern.cells = CELLS;
        if let Err(error) = world.add_visual(desc) {
            return End::Refused(error.to_string());
        }
        let mut bad = 0;
        for _ in 0..frames {
            bad += world.step(FRAME).non_finite as usize;
        }
        let primitives = visuals(&world).map(|v| v.primitives.len()).sum();
        End::Fell(primitives, bad + not_finite(&world))
    };
    catch_unwind(AssertUnwindSafe(fall)).unwrap_or(End::Panicked)
}
