//! Pictures of the report.

use super::{Bench, LabError};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant_draw as draw;

/// How pictures that belong together are taken.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// Direction from what is seen to the camera.
    pub(super) from: Vec3,
    /// Whether there is a floor.
    pub(super) ground: bool,
    /// Width and height of a picture (pixels).
    pub(super) size: [usize; 2],
}

impl View {
    /// The usual view.
    pub(super) fn new(ground: bool) -> Self {
        Self {
            from: Vec3::new(0.55, 0.45, 1.0),
            ground,
            size: [480, 360],
        }
    }

    /// A picture of each set of objects, all by one camera that frames them all.
    pub(super) fn pictures(
        &self,
        sets: Vec<Vec<draw::Object>>,
    ) -> Result<Vec<draw::Image>, LabError> {
        let points: Vec<Vec3> = (sets.iter().flatten())
            .flat_map(|object| object.positions.iter().copied())
            .collect();
        let [width, height] = self.size;
        let aspect = width as f32 / height as f32;
        let camera = draw::Camera::framing_points(&points, self.from, aspect);
        let bounds = (points.iter().map(|&p| (p, p))).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let picture = |objects| {
            let scene = draw::Scene {
                objects,
                ground: self.ground.then(draw::Ground::default),
                camera,
                stage: bounds,
                ..draw::Scene::default()
            };
            Ok(draw::render(
                &scene,
                width,
                height,
                &draw::Quality::default(),
            )?)
        };
        sets.into_iter().map(picture).collect()
    }
}

/// Writes pictures with captions side by side.
pub(super) fn write_images(
    bench: &Bench,
    name: &str,
    columns: usize,
    images: &[draw::Image],
    captions: &[String],
) -> Result<(), LabError> {
    let captions: Vec<&str> = captions.iter().map(String::as_str).collect();
    draw::contact_sheet(images, columns, &captions).write_png(bench.path(name))?;
    Ok(())
}

/// Writes a sheet of pictures of surfaces with captions, all seen by one camera that frames them all.
pub(super) fn write_sheet(
    bench: &Bench,
    name: &str,
    columns: usize,
    ground: bool,
    pictures: &[(Mesh, String)],
) -> Result<(), LabError> {
    let object = |mesh: &Mesh| draw::Object {
        positions: mesh.positions.clone(),
        triangles: mesh.triangles.clone(),
        paint: draw::Paint::Plain([203, 124, 92]),
        ..draw::Object::default()
    };
    let sets = pictures.iter().map(|(mesh, _)| vec![object(mesh)]);
    let images = View::new(ground).pictures(sets.collect())?;
    let captions: Vec<String> = pictures.iter().map(|(_, c)| c.clone()).collect();
    write_images(bench, name, columns, &images, &captions)
}
