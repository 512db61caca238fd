//! Cuts by planes: the volume stays, the pieces are closed, and nothing is left on the wrong side.

use crate::motions::{ball, between, check, ramp, ring, together, unit};
use glam::Vec3;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::random::Random;
use pliant::surface::closed_mesh::INNER;
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

/// What of a mesh is not a cap (m²).
fn outer_area(mesh: &ClosedMesh) -> f32 {
    let outer = mesh.triangles().filter(|&t| mesh.material(t) != INNER);
    outer
        .map(|t| {
            let [a, b, c] = mesh.triangle(t).map(|v| mesh.positions()[v as usize]);
            0.5 * (b - a).cross(c - a).length()
        })
        .sum()
}

/// A ball with a hole in its middle.
fn hollow() -> Mesh {
    let mut inner = ball(Vec3::ZERO, 0.5, 8);
    for t in &mut inner.triangles {
        t.swap(1, 2);
    }
    together(&[ball(Vec3::ZERO, 1.0, 16), inner])
}

/// Halves that rest on each other are bent, and pressed into each other by a tenth of an edge: no two meshes of the bent caps agree, and
/// still the halves are neither joined nor tangled, and everything but the caps keeps its surface.
#[test]
fn halves_in_contact_stay_halves() {
    let planes = [Vec3::Y, Vec3::new(0.3, 1.0, 0.2)];
    // With how many times the triangles there may be in the end: the caps of a flat ring and of quarters are large.
    for (name, mesh, cuts, more) in [
        ("ball", ball(Vec3::ZERO, 1.0, 16), &planes[1..], 1.5),
        ("ring", ring(1.2, 0.4, 0.12), &planes[..1], 1.8),
        ("ring across", ring(1.2, 0.4, 0.12), &[Vec3::X], 1.5),
        ("hollow", hollow(), &planes[1..], 1.5),
        (
            "quarters",
            ball(Vec3::ZERO, 1.0, 16),
            &[Vec3::Y, Vec3::X],
            2.0,
        ),
    ] {
        let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
        tracker.update();
        let before = (
            tracker.mesh().triangle_count(),
            outer_area(tracker.mesh()),
            tracker.mesh().volume(),
        );
        for &normal in cuts {
            tracker.cut(Cut::new(Vec3::ZERO, normal)).unwrap();
        }
        update(&mut tracker).unwrap();
        let (pieces, euler) = (tracker.components().len(), tracker.mesh().euler());
        assert_eq!(pieces, 1 << cuts.len(), "{name}");
        for frame in 0..30 {
            let bend = if frame < 15 { 0.01 } else { -0.01 };
            tracker.advect(|p| {
                let press = frame == 0 && p.dot(cuts[0]) > 0.0;
                let pressed = p - cuts[0] * if press { 0.02 } else { 0.0 };
                pressed + Vec3::Y * (bend * (3.0 * p.x).sin() * (2.0 * p.z).cos())
            });
            let report = update(&mut tracker).unwrap();
            let place = format!("{name}, frame {frame}");
            assert_eq!((report.events.crossings, report.rebuilt), (0, 0), "{place}");
            assert_eq!(tracker.components().len(), pieces, "{place}");
            assert_eq!(tracker.mesh().euler(), euler, "{place}");
            let triangles = tracker.mesh().triangle_count();
            let limit = more * before.0 as f64;
            assert!((triangles as f64) < limit, "{place}: {triangles}");
            let kept = outer_area(tracker.mesh()) / before.1;
            assert!(kept > 0.98, "{place}: {kept} of the surface");
            let volume = tracker.mesh().volume() / before.2;
            assert!((volume - 1.0).abs() < 0.005, "{place}: volume {volume}");
        }
    }
}

/// Halves that have come clear of each other merge when they meet again.
#[test]
fn halves_that_were_apart_merge_again() {
    let mesh = ball(Vec3::ZERO, 1.0, 16);
    let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
    tracker.cut(Cut::new(Vec3::ZERO, Vec3::Y)).unwrap();
    update(&mut tracker).unwrap();
    for (by, pieces) in [(0.1, 2), (-0.08, 2), (0.2, 2), (0.2, 2), (-0.47, 1)] {
        tracker.advect(|p| if p.y > 0.0 { p + Vec3::Y * by } else { p });
        for _ in 0..4 {
            assert_eq!(update(&mut tracker).unwrap().rebuilt, 0);
        }
        assert_eq!(tracker.components().len(), pieces, "after {by}");
    }
    // They overlap by 0.05.
    let volume = tracker.mesh().volume();
    assert!((3.85..4.1).contains(&volume), "{volume}");
}

/// Caps have triangles like those of the rest: short rims are joined, no edge is too long, and hardly any triangle is a needle.
#[test]
fn caps_are_well_shaped() {
    for (name, mesh, normal) in [
        ("ball", ball(Vec3::ZERO, 1.0, 24), Vec3::new(0.2, 1.0, 0.1)),
        ("ring", ring(1.2, 0.4, 0.06), Vec3::new(0.1, 1.0, 0.0)),
        ("ring across", ring(1.2, 0.4, 0.06), Vec3::X),
        ("hollow", hollow(), Vec3::new(0.1, 0.2, 1.0)),
    ] {
        let mut mesh = ClosedMesh::new(&mesh).unwrap();
        assert_eq!(mesh.cut(&Cut::new(Vec3::ZERO, normal), 0.015), Ok(true));
        mesh.validate(Level::Everything).unwrap();
        let caps: Vec<u32> = mesh
            .triangles()
            .filter(|&t| mesh.material(t) == INNER)
            .collect();
        let mut needles = 0;
        for &t in &caps {
            let [a, b, c] = mesh.triangle(t).map(|v| mesh.positions()[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            assert!(longest < 0.153, "{name}: an edge of {longest}");
            // Altitude on the longest side.
            let flat = (b - a).cross(c - a).length() / (longest * longest);
            needles += usize::from(flat < 0.1);
        }
        assert!(
            100 * needles <= caps.len(),
            "{name}: {needles} needles of {}",
            caps.len()
        );
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

/// A ring that is cut through once is still one piece: its ends, pressed together, do not grow together.
#[test]
fn the_ends_of_a_ring_stay_apart() {
    let mesh = ring(1.2, 0.4, 0.12);
    let mut tracker = Tracker::new(&mesh, TrackerSettings::new(0.2)).unwrap();
    let cut = Cut {
        blade: Some(Blade {
            along: Vec3::X,
            half: [0.7, 0.7],
        }),
        ..Cut::new(Vec3::X * 1.2, Vec3::Z)
    };
    tracker.cut(cut).unwrap();
    update(&mut tracker).unwrap();
    let mut shut = 0;
    for frame in 0..30 {
        let by = if frame < 12 { -0.01 } else { 0.0 };
        let before = tracker.mesh().positions().to_vec();
        tracker.advect(|p| p + Vec3::Z * (by * ramp(0.2, 0.8, p.x) * p.z.signum()));
        let moved = tracker.mesh().positions().iter().zip(before);
        shut += moved.filter(|(p, q)| p.z * q.z < 0.0).count();
        let report = update(&mut tracker).unwrap();
        assert_eq!((report.events.crossings, report.rebuilt), (0, 0), "{frame}");
        assert_eq!(tracker.components().len(), 1, "frame {frame}");
        assert_eq!(tracker.mesh().euler(), 2, "frame {frame}");
    }
    assert!(shut > 0, "the ends never met");
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
