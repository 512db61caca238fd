//! Whole figures that are covered by one call, bent and twisted by 90°, and drawn at a limb.
//!
//! What is good enough was written down before anything was measured. It follows from what a beam does whose ends are moved alike (`pose.rs`):
//! its skin grows by a known factor at most. Particles are far coarser than triangles, and groups share a bend unevenly, so twice that growth
//! is allowed. Nothing may be folded over or flattened where the beam is not, but for specks that are not seen; and as a beam gains
//! outside of a bend what it loses inside, volume beside the skin must stay what it is on average.

mod measure;
mod pose;

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::{View, write_images};
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use measure::{Measured, Probes, measure};
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::oriented::OrientedDesc;
use pliant::{Settings, World};
use pliant_draw as draw;
use pliant_scene::picture::body_color;
use pose::{Kind, Pose};

/// Particles of a figure.
const PARTICLES: usize = 300;
/// Longest side of a figure (m).
const SIZE: f32 = 2.0;
/// Edges of the built-in figures, in their longest side.
const EDGE: f32 = 0.012;
/// Share of the way to their goals that particles go in an iteration, and iterations: few whole ways leave the last groups more of a say than the
/// first, and it is the covering and the skin that are looked at here, not the order of groups.
const STIFFNESS: f32 = 0.1;
const ITERATIONS: u32 = 10;
/// Frames in which ends are moved, and in which they are held thereafter.
const FRAMES: [usize; 2] = [60, 60];
/// Largest growth of a triangle in any direction, in that of a beam.
const GROWTH: f32 = 2.0;
/// Largest share of the skin that may be folded over, or flattened, where a beam's is not.
const FOLDED: f32 = 0.005;
const FLATTENED: f32 = 0.02;
/// Mean of the volume beside the skin over that at rest, between the ends.
const VOLUME: [f32; 2] = [0.85, 1.15];

/// Bends, twists and draws each figure.
pub(super) fn figures(bench: &mut Bench) -> Result<(), LabError> {
    let figures = match &bench.options.mesh {
        Some(mesh) => vec![("mesh".to_owned(), mesh.clone())],
        None => [Figure::Golem, Figure::Bunny, Figure::Cow]
            .into_iter()
            .map(|figure| Ok((figure.name().to_owned(), built_in(figure)?)))
            .collect::<Result<_, LabError>>()?,
    };
    let (mut images, mut captions) = (Vec::new(), Vec::new());
    for (k, (name, mesh)) in figures.iter().enumerate() {
        let mesh = fitted(mesh);
        let mut shown = vec![mesh.clone()];
        captions.push(format!("{name}, {PARTICLES} particles"));
        for kind in Kind::ALL {
            let (now, measured) = run(&mesh, kind)?;
            check(bench, &format!("{name}, {}", kind.name()), &measured);
            shown.push(now);
            captions.push(kind.name().to_owned());
        }
        images.extend(pictures(&mesh, &shown, body_color(k))?);
    }
    write_images(bench, "bends.png", 1 + Kind::ALL.len(), &images, &captions)
}

/// A built-in figure.
fn built_in(figure: Figure) -> Result<Mesh, LabError> {
    let center = Vec3::ZERO;
    let shape = Shape::Figure { figure, center };
    let (lo, hi) = figure.bounds();
    let made = mesh_shape(&shape, EDGE * (hi - lo).max_element());
    made.map_err(|error| pliant::BuildError::Parameter(error.to_string()).into())
}

/// The mesh in its usual size, around the origin.
fn fitted(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    if let Some((lo, hi)) = mesh.bounds() {
        let scale = SIZE / (hi - lo).max_element();
        let middle = 0.5 * (lo + hi);
        let places = mesh.positions.iter_mut();
        places.for_each(|y| *y = (*y - middle) * scale);
    }
    mesh
}

/// What has become of a mesh when it is moved so, and how good that is.
fn run(mesh: &Mesh, kind: Kind) -> Result<(Mesh, Measured), LabError> {
    let mut desc = OrientedDesc::covering("figure", mesh.clone(), PARTICLES, 1000.0, 1)?;
    desc.material.stiffness = STIFFNESS;
    let probes = Probes::new(&mut desc);
    let pose = Pose::new(kind, mesh);
    let rest: Vec<Vec3> = desc.particles.iter().map(|p| p.x).collect();
    let mut world = World::new(Settings {
        gravity: Vec3::ZERO,
        substeps: 4,
        iterations: ITERATIONS,
        ..Settings::default()
    });
    world.add_oriented(desc)?;
    for frame in 1..=FRAMES.iter().sum() {
        let share = (frame as f32 / FRAMES[0] as f32).min(1.0);
        for (i, &rest) in rest.iter().enumerate() {
            if let Some((x, turn)) = pose.held(rest, share) {
                let points = world.points_mut();
                points.inv_mass[i] = 0.0;
                points.x[i] = x;
                points.pred[i].set_position(x);
                points.rotation[i] = turn;
                world.oriented_mut().held[i] = true;
            }
        }
        world.step(1.0 / 60.0);
    }
    let mut now = world.surfaces()[0].mesh().into_owned();
    let measured = measure(mesh, &now.positions, &probes, &pose);
    now.positions.truncate(mesh.positions.len());
    Ok((now, measured))
}

fn check(bench: &mut Bench, what: &str, measured: &Measured) {
    let Measured {
        growth,
        folded,
        flattened,
        volume,
        beam,
    } = *measured;
    bench.check(
        Engine,
        format!("{what}: largest growth of a triangle; a beam's is {beam:.2}"),
        format!("{growth:.2}"),
        format!("at most {:.2}", GROWTH * beam),
        growth <= GROWTH * beam,
    );
    bench.check(
        Engine,
        format!("{what}: skin folded over, flattened to a quarter, where a beam's is not"),
        format!("{:.2} %, {:.2} %", 100.0 * folded, 100.0 * flattened),
        format!("at most {} %, {} %", 100.0 * FOLDED, 100.0 * FLATTENED),
        folded <= FOLDED && flattened <= FLATTENED,
    );
    bench.check(
        Engine,
        format!("{what}: mean volume beside the skin between the ends, over that at rest"),
        format!("{volume:.3}"),
        format!("{} to {}", VOLUME[0], VOLUME[1]),
        (VOLUME[0]..=VOLUME[1]).contains(&volume),
    );
}

/// Pictures of a figure at rest and as it was moved.
fn pictures(rest: &Mesh, shown: &[Mesh], color: [u8; 3]) -> Result<Vec<draw::Image>, LabError> {
    let object = |mesh: &Mesh| draw::Object {
        positions: mesh.positions.clone(),
        triangles: mesh.triangles.clone(),
        normals: mesh.vertex_normals(),
        paint: draw::Paint::Checker {
            rest: rest.positions.clone(),
            cell: 0.05 * SIZE,
            colors: [color, super::pictures::LIGHT],
        },
        ..draw::Object::default()
    };
    let view = View {
        size: [560, 520],
        ..View::new(false)
    };
    view.pictures(shown.iter().map(|mesh| vec![object(mesh)]).collect())
}
