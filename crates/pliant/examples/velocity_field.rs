//! The tracked surface without particles: a ball is carried by a velocity field of one's own, stretched, torn in two and brought
//! back together. Whoever has a fluid or an MPM solver puts its velocity in the place of `flow`.
//!
//! ```text
//! cargo run --release --example velocity_field
//! ```

use glam::Vec3;
use pliant::geometry::solids::sphere;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};

/// Pulls both ends of the body apart while its middle is squeezed; with `back`, brings the halves together as they are.
fn flow(p: Vec3, back: bool) -> Vec3 {
    let apart = 0.5 * (3.0 * p.x).clamp(-1.0, 1.0);
    if back {
        return Vec3::NEG_X * (0.5 * p.x.signum());
    }
    let squeeze = -1.2 * (-4.0 * p.x * p.x).exp();
    Vec3::new(apart, squeeze * p.y, squeeze * p.z)
}

fn main() {
    let mut surface = Tracker::new(&sphere(1.0, 24), TrackerSettings::new(0.15))
        .expect("a sphere is closed and manifold");
    let dt = 1.0 / 60.0;
    let mut most = 0;
    for frame in 0..400 {
        let back = surface.components().len() > 1 || most > 1;
        surface.advect(|p| p + dt * flow(p, back));
        let report = surface.update();
        let census = surface
            .mesh()
            .validate(Level::Everything)
            .expect("the surface stays closed and manifold");
        most = most.max(surface.components().len());
        if frame % 40 == 0 || report.events.resolved > 0 || report.remesh.necks > 0 {
            println!(
                "frame {frame:3}: {} pieces, {} triangles, volume {:.3}, {} necks cut, {} merges or splits",
                surface.components().len(),
                census.triangles,
                census.volume,
                report.remesh.necks,
                report.events.resolved,
            );
        }
        if most > 1 && surface.components().len() == 1 {
            break;
        }
    }
    assert_eq!(most, 2, "the body parts once");
    assert_eq!(surface.components().len(), 1, "and is one again");
    // The mesh as it is now, with all attributes, ready to be drawn or written.
    let mesh = surface.mesh().to_mesh();
    println!("{} vertices", mesh.positions.len());
}
