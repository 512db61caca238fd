//! Plots and pictures of bodies of oriented particles.

use crate::reference::oriented::{Body, Particle};
use crate::reproduce::pictures::{View, write_images};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::{Quat, Vec3};
use pliant::geometry::solids::sphere;
use pliant_draw as draw;
use pliant_scene::picture::body_color;

/// The lighter colour of the checker by which turns are seen.
pub(super) const LIGHT: [u8; 3] = [238, 228, 210];
/// Most marks of a line in a plot.
const MARKS: usize = 60;

/// A line of a plot through every so many points: a mark for each of hundreds would hide the line.
pub(super) fn line(label: impl Into<String>, points: &[(f64, f64)]) -> Series {
    let stride = points.len() / MARKS + 1;
    Series {
        label: label.into(),
        points: points.iter().copied().step_by(stride).collect(),
    }
}

/// Bodies as they are at the given times of a run, which shows every step with its time.
pub(super) fn frames(times: &[f64], run: impl FnOnce(&mut dyn FnMut(f64, &Body))) -> Vec<Body> {
    let mut bodies: Vec<Body> = Vec::new();
    run(&mut |time, body| {
        let due = times.get(bodies.len());
        if due.is_some_and(|due| time > due - 1e-6) {
            bodies.push(body.clone());
        }
    });
    bodies
}

/// A body in a picture.
pub(super) struct Shown {
    body: Body,
    shift: Vec3,
    color: [u8; 3],
}

impl Shown {
    /// A body, shifted aside, in one of the usual colours.
    pub(super) fn new(body: Body, shift: Vec3, color: usize) -> Self {
        Self {
            body,
            shift,
            color: body_color(color),
        }
    }

    /// An ellipsoid for every particle.
    fn objects(&self) -> Vec<draw::Object> {
        let object = |p: &Particle| {
            let (x, q) = (p.pose.x.as_vec3() + self.shift, p.pose.q.as_quat());
            ellipsoid(x, q, p.radii.as_vec3(), self.color)
        };
        self.body.particles.iter().map(object).collect()
    }
}

/// An ellipsoid with a checker that turns with it.
pub(super) fn ellipsoid(x: Vec3, q: Quat, radii: Vec3, color: [u8; 3]) -> draw::Object {
    let ball = sphere(1.0, 12);
    let rest: Vec<Vec3> = ball.positions.iter().map(|y| *y * radii).collect();
    let normal = |y: &Vec3| (q * (*y / radii)).normalize();
    draw::Object {
        positions: rest.iter().map(|y| q * *y + x).collect(),
        triangles: ball.triangles.clone(),
        normals: ball.positions.iter().map(normal).collect(),
        paint: draw::Paint::Checker {
            rest,
            cell: radii.max_element(),
            colors: [color, LIGHT],
        },
        ..draw::Object::default()
    }
}

/// Writes a sheet of pictures of bodies with captions, all seen by one camera that frames them all.
pub(super) fn write_sheet(
    bench: &Bench,
    name: &str,
    columns: usize,
    ground: bool,
    pictures: &[(Vec<Shown>, String)],
) -> Result<(), LabError> {
    let sets = (pictures.iter()).map(|(shown, _)| shown.iter().flat_map(Shown::objects).collect());
    let view = View {
        from: Vec3::new(0.35, 0.4, 1.0),
        ..View::new(ground)
    };
    let images = view.pictures(sets.collect())?;
    let captions: Vec<String> = pictures.iter().map(|(_, c)| c.clone()).collect();
    write_images(bench, name, columns, &images, &captions)
}
