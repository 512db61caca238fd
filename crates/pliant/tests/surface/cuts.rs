//! Cuts by planes: the volume stays, the pieces are closed, and nothing is left on the wrong side.

use crate::motions::{ball, between, check, ring, together, unit};
use glam::Vec3;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::random::Random;
use pliant::surface::validate::Level;
use pliant::surface::{Blade, ClosedMesh, Cut, Tracker, TrackerReport, TrackerSettings};

/// A body to be cut, with its longest edge.
fn body(seed: u64) -> (Mesh, f32) {
    match seed % 3 {
        0 => {
            let cow = Shape::Figure {
                figure: Figure::Cow,
                center: Vec3::ZERO,
            };
            (mesh_shape(&cow, 0.32).expect("a cow has a surface"), 0.5)
        }
        1 => {
            let tube = between(seed, 1, 0.3, 0.5);
            (ring(1.2, tube, 0.2), 0.3)
        }
        _ => {
            let mut inner = ball(Vec3::X * between(seed, 2, 0.0, 0.2), 0.5, 4);
            for t in &mut inner.triangles {
                t.swap(1, 2);
            }
            (together(&[ball(Vec3::ZERO, 1.0, 8), inner]), 0.3)
        }
    }
}

/// A plane that may hold vertices or faces, or touch the surface only.
fn plane(mesh: &ClosedMesh, random: &mut Random) -> Cut {
    let vertices: Vec<u32> = mesh.vertices().collect();
    let triangles: Vec<u32> = mesh.triangles().collect();
    if vertices.is_empty() {
        return Cut::new(Vec3::ZERO, Vec3::X);
    }
    let mut vertex = || {
        let v = vertices[random.next_below(vertices.len() as u32) as usize];
        mesh.positions()[v as usize]
    };
    let (a, b, c) = (vertex(), vertex(), vertex());
    let middle = (a + b + c) / 3.0;
    match random.next_below(8) {
        0 => Cut::new(a, random.next_direction()),
        1 => Cut::new(a, (b - a).cross(c - a)),
        2 => {
            // In a face.
            let t = triangles[random.next_below(triangles.len() as u32) as usize];
            let [a, b, c] = mesh.triangle(t).map(|v| mesh.positions()[v as usize]);
            Cut::new(a, (b - a).cross(c - a))
        }
        3 => {
            // At the farthest vertex.
            let n = random.next_direction();
            let far = vertices
                .iter()
                .map(|&v| mesh.positions()[v as usize])
                .max_by(|p, q| p.dot(n).total_cmp(&q.dot(n)));
            Cut::new(far.unwrap_or(a), n)
        }
        4 => Cut::new(
            middle,
            [Vec3::X, Vec3::Y, Vec3::Z][random.next_below(3) as usize],
        ),
        _ => Cut::new(middle, random.next_direction()),
    }
}

/// Area of the section and how far the volume may change for the parted layers.
fn area(mesh: &ClosedMesh) -> f64 {
    mesh.to_mesh().area()
}

/// Cuts a mesh again and again, without anything else happening to it.
fn cut_alone(seed: u64) -> Result<(), String> {
    let (mesh, edge) = body(seed);
    let mut mesh = ClosedMesh::new(&mesh).map_err(|e| e.to_string())?;
    let start = mesh.volume();
    let mut random = Random::new([seed, 3, 0, 0]);
    let count = 1 + (unit(seed, 4) * 20.0) as usize;
    for k in 0..count {
        let cut = plane(&mesh, &mut random);
        let n = cut.normal.normalize_or_zero();
        let before = (mesh.volume(), area(&mesh));
        if mesh.cut(&cut, 0.1 * edge).is_err() {
            continue;
        }
        let census = mesh
            .validate(Level::Everything)
            .map_err(|e| format!("cut {k}: {e}"))?;
        // The layers between the caps are gone.
        let layers = 0.5 * (area(&mesh) - before.1).max(0.0) * 0.002 * f64::from(edge);
        let change = (census.volume + layers - before.0).abs() / start;
        if change > 0.001 {
            return Err(format!("cut {k}: volume {} → {}", before.0, census.volume));
        }
        // No triangle reaches from one side to the other.
        for t in mesh.triangles() {
            let heights = mesh.triangle(t).map(|v| {
                let p = mesh.positions()[v as usize];
                (p - cut.point).dot(n)
            });
            let (low, high) = heights
                .iter()
                .fold((0.0f32, 0.0f32), |(l, h), &x| (l.min(x), h.max(x)));
            if low < -0.1 * edge && high > 0.1 * edge {
                return Err(format!("cut {k}: triangle {t} from {low} to {high}"));
            }
        }
    }
    Ok(())
}

fn update(tracker: &mut Tracker) -> Result<TrackerReport, String> {
    let report = tracker.update();
    tracker
        .mesh()
        .validate(Level::Everything)
        .map_err(|e| e.to_string())?;
    Ok(report)
}

/// Cuts a tracked surface, several planes a frame, while it is carried along.
fn cut_tracked(seed: u64) -> Result<(), String> {
    let (mesh, edge) = body(seed);
    let mut settings = TrackerSettings::new(edge);
    settings.particle_radius = 0.5 * edge;
    let mut tracker = Tracker::new(&mesh, settings).map_err(|e| e.to_string())?;
    let mut random = Random::new([seed, 5, 0, 0]);
    let count = 1 + (unit(seed, 6) * 20.0) as usize;
    let mut asked = 0;
    let drift = random.next_direction() * 0.02 * edge;
    while asked < count {
        let together = 1 + random.next_below(3) as usize;
        for _ in 0..together.min(count - asked) {
            let cut = plane(tracker.mesh(), &mut random);
            // Three vertices in a line have no plane.
            let _ = tracker.cut(cut);
            asked += 1;
        }
        tracker.advect(|p| p + drift);
        update(&mut tracker).map_err(|e| format!("after {asked} cuts: {e}"))?;
        for _ in 0..random.next_below(3) {
            update(&mut tracker).map_err(|e| format!("after {asked} cuts: {e}"))?;
        }
    }
    Ok(())
}

#[test]
fn planes_cut_without_losing_volume() {
    check(20, cut_alone);
}

#[test]
fn tracked_surfaces_are_cut() {
    check(20, cut_tracked);
}

/// The halves of a body at rest stay apart, and keep their volume.
#[test]
fn halves_at_rest_stay_halves() {
    for (mesh, normal, sheets) in [
        (ring(1.2, 0.4, 0.12), Vec3::Y, 2),
        (ring(1.2, 0.4, 0.12), Vec3::X, 2),
        (ball(Vec3::ZERO, 1.0, 16), Vec3::new(0.2, 1.0, 0.1), 2),
    ] {
        let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
        tracker.update();
        let before = tracker.mesh().volume();
        tracker.cut(Cut::new(Vec3::ZERO, normal)).unwrap();
        let report = update(&mut tracker).unwrap();
        assert_eq!((report.cuts.cuts, report.cuts.pieces), (1, sheets - 1));
        for frame in 0..12 {
            let report = update(&mut tracker).unwrap();
            assert_eq!(report.events.crossings, 0, "frame {frame}");
            assert_eq!(tracker.components().len(), sheets, "frame {frame}");
        }
        let after = tracker.mesh().volume();
        assert!((after / before - 1.0).abs() < 2e-3, "{before} {after}");
        // The caps were refined like everything else.
        assert!(tracker.mesh().longest_edge() < 0.2001);
    }
}

/// A blade that goes in half way leaves one sound piece, one that passes through leaves two.
#[test]
fn blades_part_or_leave_a_groove() {
    for (reach, pieces) in [(0.5, 1), (3.0, 2)] {
        let mesh = ball(Vec3::ZERO, 1.0, 16);
        let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
        let cut = Cut {
            blade: Some(Blade {
                along: Vec3::Y,
                half: [reach, 3.0],
            }),
            ..Cut::new(Vec3::new(0.01, 1.0, 0.0), Vec3::X)
        };
        tracker.cut(cut).unwrap();
        let report = update(&mut tracker).unwrap();
        assert_eq!(report.cuts.cuts, 1);
        for _ in 0..6 {
            update(&mut tracker).unwrap();
        }
        assert_eq!(tracker.components().len(), pieces);
    }
}

/// Slabs that are too thin to be anything are dropped, others are kept; either way the surface is sound.
#[test]
fn crumbs_are_dropped_and_counted() {
    let mesh = ball(Vec3::ZERO, 1.0, 16);
    let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
    tracker.cut(Cut::new(Vec3::Y * 0.97, Vec3::Y)).unwrap();
    let report = update(&mut tracker).unwrap();
    assert_eq!(report.cuts.cuts, 1);
    assert_eq!(report.components.crumbs, 1);
    assert_eq!(tracker.components().len(), 1);
    for k in 0..8 {
        let height = 0.01 * k as f32;
        tracker.cut(Cut::new(Vec3::Y * height, Vec3::Y)).unwrap();
        update(&mut tracker).unwrap();
    }
    assert!(tracker.components().len() >= 2);
}
