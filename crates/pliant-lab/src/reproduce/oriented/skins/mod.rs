//! The same particles, skinned by where they are and by how they are turned.
//!
//! A bar of twenty particles is bent and twisted by the engine, and so is a rope of a single row. What positions alone can make of it is
//! drawn beside what the engine's skins make of it.

mod measure;
mod model;
mod positions;

use super::pictures::{LIGHT, ellipsoid};
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::{View, write_images};
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use measure::Measured;
use model::{Model, Pose};
use pliant::geometry::Mesh;
use pliant::state::Blend;
use pliant_draw as draw;
use pliant_scene::picture::body_color;

/// How far ends are bent (degrees).
const BEND: f32 = 90.0;
/// How far ends are turned about the axis (degrees).
const TWIST: f32 = 135.0;
/// How much of the twist the ends of a skin must show at least (degrees). Not all of it: beside the last particle its neighbours carry them, too.
const TOLD: f32 = 0.5 * TWIST;
/// Largest growth of a triangle: outside of a bend of 90° that is about as tight as the bar is thick, the surface becomes twice as long.
const STRETCH: f32 = 2.5;
/// How much less lines may be kinked than by positions alone.
const SMOOTHER: f32 = 0.75;
/// Least volume over that at rest, if a twist keeps it.
const KEPT: f64 = 0.99;

/// One row of the sheet.
struct Row {
    name: &'static str,
    model: Model,
    /// Bend and twist of the ends (degrees).
    ends: [f32; 2],
}

/// A row as it has come out.
struct Skins {
    pose: Pose,
    /// By positions, linear, dual.
    meshes: [Mesh; 3],
    measured: [Measured; 3],
}

impl Row {
    fn new(name: &'static str, model: Model, ends: [f32; 2]) -> Self {
        Self { name, model, ends }
    }

    fn skins(&self) -> Result<Skins, LabError> {
        let [bend, twist] = self.ends;
        let (pose, linear) = self.model.run(bend, twist, Blend::Linear)?;
        let (_, dual) = self.model.run(bend, twist, Blend::Dual)?;
        let meshes = [self.model.by_positions(&pose), linear, dual];
        let measured = std::array::from_fn(|k| self.model.measure(&pose, &meshes[k]));
        Ok(Skins {
            pose,
            meshes,
            measured,
        })
    }
}

/// Draws the skins of a bar and a rope that are bent and twisted, and measures them.
pub(super) fn compare(bench: &mut Bench) -> Result<(), LabError> {
    let rows = [
        Row::new("bar of 20, bent by 90", Model::bar(), [BEND, 0.0]),
        Row::new("bar, twisted by 135", Model::bar(), [0.0, TWIST]),
        Row::new("rope of 6, bent by 90", Model::rope(), [BEND, 0.0]),
        Row::new("rope, twisted by 135", Model::rope(), [0.0, TWIST]),
    ];
    let (mut images, mut captions) = (Vec::new(), Vec::new());
    let view = View {
        from: Vec3::new(0.2, 0.3, 1.0),
        size: [420, 260],
        ..View::new(false)
    };
    for (k, row) in rows.iter().enumerate() {
        let skins = row.skins()?;
        check_all(bench, row, &skins);
        match k {
            0 | 1 => check_kinks(bench, row, &skins),
            2 => check_folds(bench, row, &skins),
            _ => check_twist(bench, row, &skins),
        }
        images.extend(view.pictures(objects(&row.model, &skins, body_color(k / 2)))?);
        let names = [row.name, "by positions", "linear", "dual quaternions"];
        captions.extend(names.map(str::to_owned));
    }
    write_images(bench, "e10.png", 4, &images, &captions)
}

/// Skins that know turns are never folded over, and nothing of them is torn to many times its size.
fn check_all(bench: &mut Bench, row: &Row, skins: &Skins) {
    let [positions, linear, dual] = skins.measured;
    bench.check(
        Engine,
        format!(
            "{}: triangles folded over, largest growth of a triangle; by positions alone {}, {:.1}",
            row.name, positions.flipped, positions.stretch
        ),
        format!(
            "linear {}, {:.1}; dual {}, {:.1}",
            linear.flipped, linear.stretch, dual.flipped, dual.stretch
        ),
        format!("none, at most {STRETCH}"),
        [linear, dual]
            .iter()
            .all(|m| m.flipped == 0 && m.stretch <= STRETCH),
    );
}

/// Tetrahedra are straight, so what they carry is bent at their faces only.
fn check_kinks(bench: &mut Bench, row: &Row, skins: &Skins) {
    let [positions, linear, dual] = skins.measured.map(|m| m.kink);
    bench.check(
        Engine,
        format!("{}: turns of its lines from edge to edge, root mean square; by positions alone {positions:.2}°", row.name),
        format!("linear {linear:.2}°, dual {dual:.2}°"),
        format!("at most {SMOOTHER} of that"),
        linear <= SMOOTHER * positions && dual <= SMOOTHER * positions,
    );
}

/// Pieces of a row turn what is beside them as one, so their ends overlap inside of a bend. If they did not, it would not say much that
/// other skins do not.
fn check_folds(bench: &mut Bench, row: &Row, skins: &Skins) {
    let flipped = skins.measured[0].flipped;
    bench.check(
        Engine,
        format!("{}: triangles folded over by positions alone", row.name),
        flipped.to_string(),
        "some",
        flipped > 0,
    );
}

/// Places in a row do not tell a twist.
fn check_twist(bench: &mut Bench, row: &Row, skins: &Skins) {
    let [positions, linear, dual] = skins.meshes.each_ref().map(|mesh| row.model.twist(mesh));
    bench.check(
        Engine,
        format!(
            "{}: turn of the skin's ends by positions alone, linear, dual",
            row.name
        ),
        format!("{positions:.1}°, {linear:.1}°, {dual:.1}°"),
        format!("none, at least {TOLD:.0}°"),
        positions.abs() < 0.1 && linear >= TOLD && dual >= TOLD,
    );
    let [_, linear, dual] = skins.measured.map(|m| m.volume);
    bench.check(
        Engine,
        format!(
            "{}: volume over that at rest by dual quaternions, linear",
            row.name
        ),
        format!("{dual:.4}, {linear:.4}"),
        format!("at least {KEPT}, less than that"),
        dual >= KEPT && linear < KEPT,
    );
}

/// What is in the pictures of a row: the particles, then each skin.
fn objects(model: &Model, skins: &Skins, color: [u8; 3]) -> Vec<Vec<draw::Object>> {
    let pose = &skins.pose;
    let particles =
        (pose.x.iter().zip(&pose.turn)).map(|(&x, &q)| ellipsoid(x, q, model.radii(), color));
    let skin = |mesh: &Mesh| draw::Object {
        positions: mesh.positions.clone(),
        triangles: mesh.triangles.clone(),
        paint: draw::Paint::Checker {
            rest: model.mesh().positions.clone(),
            cell: model.checker(),
            colors: [color, LIGHT],
        },
        ..draw::Object::default()
    };
    let skinned = skins.meshes.iter().map(|mesh| vec![skin(mesh)]);
    std::iter::once(particles.collect())
        .chain(skinned)
        .collect()
}
