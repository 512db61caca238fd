//! Re-meshing alone.

use crate::motions::ball;
use glam::Vec3;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerSettings};

/// A ball that is too coarse and one that is too fine both end up in range, with their shape.
#[test]
fn edges_come_into_range_and_the_shape_stays() {
    for (segments, edge) in [(8, 0.12), (16, 0.6)] {
        let mut tracker =
            Tracker::new(&ball(Vec3::ZERO, 1.0, segments), TrackerSettings::new(edge)).unwrap();
        let before = tracker.mesh().volume();
        for _ in 0..20 {
            tracker.update();
            tracker.mesh().validate(Level::Everything).unwrap();
        }
        let mesh = tracker.mesh().to_mesh();
        let in_range = mesh
            .triangles
            .iter()
            .flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])])
            .filter(|&(a, b)| {
                let l = mesh.positions[a as usize].distance(mesh.positions[b as usize]);
                l <= edge && l >= 0.1 * edge
            })
            .count();
        assert!(in_range as f32 > 0.95 * 3.0 * mesh.triangles.len() as f32);
        let furthest = mesh
            .positions
            .iter()
            .map(|p| (p.length() - 1.0).abs())
            .fold(0.0, f32::max);
        assert!(furthest < 0.1 * edge, "{furthest}");
        let exact = 4.0 / 3.0 * std::f64::consts::PI;
        assert!((mesh.volume() - exact).abs() <= 1.05 * (before - exact).abs());
    }
}
