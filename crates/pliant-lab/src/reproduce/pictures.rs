//! Pictures of the report.

use super::{Bench, LabError};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant_draw as draw;

/// A picture of a surface, by a camera that frames the given box.
fn picture(mesh: &Mesh, lo: Vec3, hi: Vec3, ground: bool) -> Result<draw::Image, LabError> {
    let object = draw::Object {
        positions: mesh.positions.clone(),
        triangles: mesh.triangles.clone(),
        paint: draw::Paint::Plain([203, 124, 92]),
        ..draw::Object::default()
    };
    let scene = draw::Scene {
        objects: vec![object],
        ground: ground.then(draw::Ground::default),
        camera: draw::Camera::framing(lo, hi, Vec3::new(0.55, 0.45, 1.0), 4.0 / 3.0),
        ..draw::Scene::default()
    };
    Ok(draw::render(&scene, 480, 360, &draw::Quality::default())?)
}

/// Writes a sheet of pictures of surfaces with captions, all seen by one camera that frames them all.
pub(super) fn write_sheet(
    bench: &Bench,
    name: &str,
    columns: usize,
    ground: bool,
    pictures: &[(Mesh, String)],
) -> Result<(), LabError> {
    let boxes = pictures.iter().filter_map(|(mesh, _)| mesh.bounds());
    let (lo, hi) = boxes
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default();
    let images: Vec<draw::Image> = pictures
        .iter()
        .map(|(mesh, _)| picture(mesh, lo, hi, ground))
        .collect::<Result<_, _>>()?;
    let captions: Vec<&str> = pictures
        .iter()
        .map(|(_, caption)| caption.as_str())
        .collect();
    draw::contact_sheet(&images, columns, &captions).write_png(bench.path(name))?;
    Ok(())
}
