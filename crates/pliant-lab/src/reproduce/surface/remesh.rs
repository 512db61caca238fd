//! Re-meshing alone: nothing moves but what is out of range.

use super::distance::farthest;
use super::figure;
use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::{Bench, LabError};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::solids::torus;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};
use std::collections::BTreeSet;

/// Frames in which the edges must come into range.
const FRAMES: usize = 20;

/// T8: edges come into range, the shape stays, and vertices that nothing is done to keep their bits.
pub(super) fn in_range(bench: &mut Bench) -> Result<(), LabError> {
    let (coarse, fine) = (figure(bench, 0.1), figure(bench, 0.04));
    let mut pictures = Vec::new();
    for (name, mesh, edge) in [
        ("cow, too coarse", &coarse, 0.05),
        ("cow, too fine", &fine, 0.6),
        ("torus of slivers", &slivers(), 0.05),
    ] {
        pictures.push((
            mesh.clone(),
            format!("{name}: {} triangles", mesh.triangles.len()),
        ));
        let after = remeshed(bench, name, mesh, edge)?;
        let caption = format!("after: {} triangles", after.triangles.len());
        pictures.push((after, caption));
    }
    untouched(bench)?;
    write_sheet(bench, "t8.png", 2, false, &pictures)
}

/// A torus of triangles that are twenty times as long as they are wide.
fn slivers() -> Mesh {
    torus(1.5, 0.6, 1600, 32)
}

/// Re-meshes for twenty frames and checks edges and shape.
fn remeshed(bench: &mut Bench, name: &str, mesh: &Mesh, edge: f32) -> Result<Mesh, LabError> {
    let mut settings = TrackerSettings::new(edge);
    // All that is out of range at first may be done within the frames.
    settings.max_operations = 40_000;
    let mut tracker = Tracker::new(mesh, settings)?;
    let mut unsound = 0;
    for _ in 0..FRAMES {
        tracker.update();
        unsound += usize::from(tracker.mesh().validate(Level::Everything).is_err());
    }
    let after = tracker.mesh().to_mesh();
    bench.check(
        Engine,
        format!("{name}: frames with a broken invariant"),
        unsound.to_string(),
        "0",
        unsound == 0,
    );
    let (before, share) = (in_range_share(mesh, edge), in_range_share(&after, edge));
    bench.check(
        Engine,
        format!("{name}: edges in range after {FRAMES} frames"),
        format!(
            "{:.2} % of {}, from {:.2} %",
            100.0 * share,
            3 * after.triangles.len() / 2,
            100.0 * before
        ),
        "at least 95 %",
        share >= 0.95,
    );
    let away = farthest(&after, mesh, edge).max(farthest(mesh, &after, edge)) / edge;
    bench.check(
        Engine,
        format!("{name}: distance between the shapes before and after"),
        format!("{away:.4} Lmax, Lmax {edge}"),
        "below 0.1 Lmax",
        away < 0.1,
    );
    Ok(after)
}

/// Share of the edges that are neither too long nor too short.
fn in_range_share(mesh: &Mesh, edge: f32) -> f64 {
    let good = mesh
        .triangles
        .iter()
        .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
        .filter(|&(a, b)| {
            let l = mesh.positions[a as usize].distance(mesh.positions[b as usize]);
            (0.1 * edge..=edge).contains(&l)
        })
        .count();
    good as f64 / (3 * mesh.triangles.len()).max(1) as f64
}

/// Half of a torus is drawn out of range: the vertices of the other half keep their bits.
fn untouched(bench: &mut Bench) -> Result<(), LabError> {
    let edge = 0.1;
    let mut mesh = torus(1.5, 0.6, 200, 80);
    for p in &mut mesh.positions {
        if p.x > 0.0 {
            p.x *= 4.0;
        }
    }
    let mut tracker = Tracker::new(&mesh, TrackerSettings::new(edge))?;
    let mut work = 0;
    for _ in 0..FRAMES {
        let report = tracker.update().remesh;
        work += report.splits + report.collapses + report.flips;
    }
    let bits = |p: &Vec3| p.to_array().map(f32::to_bits);
    let after: BTreeSet<[u32; 3]> = tracker
        .mesh()
        .to_mesh()
        .positions
        .iter()
        .map(bits)
        .collect();
    let far = mesh.positions.iter().filter(|p| p.x < -2.0 * edge);
    let (count, moved) = far.fold((0, 0), |(count, moved), p| {
        (count + 1, moved + usize::from(!after.contains(&bits(p))))
    });
    bench.check(
        Engine,
        "half a torus: vertices out of reach that have moved",
        format!("{moved} of {count}, {work} operations elsewhere"),
        "0",
        moved == 0 && count > 0 && work > 0,
    );
    Ok(())
}
