//! Cuts by planes: the pieces are closed and keep the volume.

use super::figure;
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::repair::repair;
use pliant::geometry::solids::{sphere, torus};
use pliant::geometry::topology::MeshReport;
use pliant::random::Random;
use pliant::surface::ClosedMesh;
use pliant::surface::cut::Cut;
use pliant::surface::validate::Level;

/// Planes that each body is cut by, one after the other.
const PLANES: u64 = 20;
/// Shortest edge as a share of the mean one: caps get edges like those of the body.
const SHORTEST: f32 = 0.15;
/// How far the pieces are moved out of the middle in the picture.
const APART: f32 = 0.35;

/// T6: three bodies are cut by random planes.
pub(super) fn by_planes(bench: &mut Bench) -> Result<(), LabError> {
    let (figure, _) = repair(&figure(bench, 0.04)).map_err(pliant::BuildError::from)?;
    let mut pictures = Vec::new();
    for (name, mesh) in [
        ("figure", figure),
        ("torus", torus(1.5, 0.6, 96, 48)),
        ("hollow ball", hollow()),
    ] {
        let pieces = cut_up(bench, name, &mesh)?;
        let caption = format!("{name}: {} triangles", pieces.triangles.len());
        pictures.push((pieces, caption));
    }
    write_sheet(bench, "t6.png", 3, false, &pictures)
}

/// A ball with a cavity.
fn hollow() -> Mesh {
    let (mut mesh, inner) = (sphere(1.5, 48), sphere(0.9, 48));
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(inner.positions);
    mesh.triangles.extend(
        inner
            .triangles
            .iter()
            .map(|t| [t[0], t[2], t[1]].map(|v| first + v)),
    );
    mesh
}

/// Cuts a body by random planes through its middle half. Returns the pieces, moved apart.
fn cut_up(bench: &mut Bench, name: &str, mesh: &Mesh) -> Result<Mesh, LabError> {
    let (lo, hi) = mesh.bounds().unwrap_or_default();
    let (middle, size) = (0.5 * (lo + hi), hi - lo);
    let mut body = ClosedMesh::new(mesh)?;
    let min_edge = SHORTEST * MeshReport::with_limit(mesh, 0).mean_edge;
    let start = body.volume();
    let mut random = Random::new([PLANES, 6, 0, 0]);
    let (mut worst, mut unsound, mut made) = (0.0_f64, 0, 0);
    for _ in 0..PLANES {
        let normal = random.next_direction();
        let place = Vec3::from_array(std::array::from_fn(|_| random.next_f32() - 0.5));
        let before = body.volume();
        let cut = Cut::new(middle + 0.5 * size * place, normal);
        made += usize::from(body.cut(&cut, min_edge) == Ok(true));
        worst = worst.max((body.volume() - before).abs() / start);
        unsound += usize::from(body.validate(Level::Everything).is_err());
    }
    let census = body.validate(Level::Everything);
    let sheets = census.map_or(0, |census| census.sheets);
    bench.check(
        Engine,
        format!("{name}: cuts that were made, and cuts that left a broken invariant"),
        format!("{made} of {PLANES} and {unsound}; {sheets} closed sheets"),
        format!("{PLANES} and 0"),
        made == PLANES as usize && unsound == 0,
    );
    bench.check(
        Engine,
        format!("{name}: volume of the pieces against the whole, worst cut"),
        format!("{:.4} %", 100.0 * worst),
        "within 0.1 %",
        worst <= 1e-3,
    );
    Ok(apart(&body.to_mesh(), middle))
}

/// Every piece moved away from the middle.
fn apart(mesh: &Mesh, middle: Vec3) -> Mesh {
    let pieces = mesh.pieces();
    let mut sums = vec![(Vec3::ZERO, 0.0); pieces.len()];
    for (p, &piece) in mesh.positions.iter().zip(&pieces) {
        let sum = &mut sums[piece as usize];
        sum.0 += *p;
        sum.1 += 1.0;
    }
    let mut moved = mesh.clone();
    for (p, &piece) in moved.positions.iter_mut().zip(&pieces) {
        let (sum, count) = sums[piece as usize];
        *p += APART * (sum / count - middle);
    }
    moved
}
