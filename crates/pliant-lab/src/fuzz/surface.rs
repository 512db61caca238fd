//! Cases for the tracked surface: a small mesh and a few violent operations on it.
//!
//! Nothing is expected of the result but that it is a surface: closed, manifold, oriented, finite and not too large, whatever was done
//! to it. How long a case takes is measured by those who run it.

use super::bytes::Bytes;
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::geometry::solids::{octahedron, sphere, tetrahedron, torus};
use pliant::random::Random;
use pliant::surface::validate::Level;
use pliant::surface::{Blade, Carriers, Cut, Tracker, TrackerSettings};

/// Triangles that a case starts with at most.
const START: usize = 120;
/// Operations of a case.
const OPERATIONS: usize = 8;
/// Triangles at which the tracker stops to split edges.
const MAX_TRIANGLES: usize = 400;
/// Triangles that a surface may ever have. Caps, bridges and new extractions come on top of the limit for splits.
const TOO_MANY: usize = 8 * MAX_TRIANGLES;
/// Length of a string that most cases can be written with.
pub const CASE_BYTES: usize = 160;

/// The random byte string of a seed.
pub fn random_case(seed: u64) -> Vec<u8> {
    let mut random = Random::new([seed, pliant::random::name_key("fuzz surface"), 0, 0]);
    (0..CASE_BYTES)
        .map(|_| random.next_below(256) as u8)
        .collect()
}

/// Runs the case that a byte string stands for. The error says after which operation which invariant was broken.
///
/// # Panics
/// Where the tracker does: that is what is looked for.
pub fn run_case(bytes: &[u8]) -> Result<(), String> {
    let mut bytes = Bytes(bytes);
    let mesh = start(&mut bytes);
    let edge_length = bytes.choose(&[0.3, 0.6, 0.15, 1.0, 0.05, 3.0, 1e-3, 30.0, 1e-6, 1e6]);
    let flags = bytes.byte();
    let settings = TrackerSettings {
        particle_radius: [2.0, 0.5, 8.0, 1e-3][usize::from(flags >> 1 & 3)] * edge_length,
        keep_volume: flags & 1 != 0,
        merge_delay: u32::from(flags >> 4 & 1) * 2,
        max_operations: 250,
        max_triangles: MAX_TRIANGLES,
        ..TrackerSettings::new(edge_length)
    };
    let mut tracker = Tracker::new(&mesh, settings).map_err(|e| format!("at the start: {e}"))?;
    if flags & 8 != 0 {
        tracker.refine();
    }
    check(&tracker).map_err(|e| format!("at the start: {e}"))?;
    for number in 1..=OPERATIONS {
        if bytes.is_empty() {
            break;
        }
        let name = operate(&mut tracker, &mut bytes, edge_length)
            .map_err(|e| format!("operation {number}: {e}"))?;
        update(&mut tracker, &mut bytes, settings.particle_radius);
        check(&tracker).map_err(|e| format!("operation {number} ({name}): {e}"))?;
    }
    Ok(())
}

/// One to three solids apart, across each other, inside each other, or one the copy of the other.
fn start(bytes: &mut Bytes) -> Mesh {
    let mut all = Mesh::default();
    for _ in 0..=bytes.below(3) {
        let mut solid = match bytes.below(6) {
            0 => tetrahedron(1.0),
            1 => octahedron(1.0),
            2 => sphere(1.0, 2),
            3 => sphere(1.0, 3),
            4 => torus(1.0, 0.4, 3, 3),
            _ => torus(
                1.0,
                0.4,
                3 + u32::from(bytes.below(4)),
                3 + u32::from(bytes.below(3)),
            ),
        };
        let (center, scale) = match bytes.below(4) {
            0 => (Vec3::ZERO, 1.0),
            1 => (Vec3::ZERO, bytes.choose(&[0.5, 0.9, 2.0, 1.0 - 1e-6])),
            _ => (2.0 * bytes.vector(), bytes.choose(&[1.0, 0.5, 2.0, 0.1])),
        };
        for p in &mut solid.positions {
            *p = center + scale * *p;
        }
        if bytes.below(5) == 4 {
            solid.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        if all.triangles.len() + solid.triangles.len() > START {
            break;
        }
        let first = all.positions.len() as u32;
        all.positions.extend(solid.positions);
        all.triangles
            .extend(solid.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

/// Does the next operation to the surface. Returns its name, or what went wrong in the operation itself.
fn operate(
    tracker: &mut Tracker,
    bytes: &mut Bytes,
    edge_length: f32,
) -> Result<&'static str, String> {
    match bytes.below(12) {
        0 => {
            let reach = edge_length * bytes.choose(&[1.0, 0.1, 5.0, 0.5]);
            let seed = u64::from(bytes.byte());
            tracker.advect(|p| p + reach * noise(p, seed));
            Ok("move")
        }
        1 => {
            let reach = bytes.choose(&[0.3, 0.1, 1.0, 3.0]);
            let seed = u64::from(bytes.byte());
            tracker.advect(|p| p + reach * noise(p, seed));
            Ok("move far")
        }
        2 => {
            let bad = bytes.choose(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
            let wall = bytes.signed();
            let asked = tracker.mesh().positions().iter().filter(|p| p.x > wall);
            let asked = asked.count();
            let refused = tracker.advect(|p| {
                if p.x > wall {
                    Vec3::new(p.x, bad, p.z)
                } else {
                    p
                }
            });
            if refused == asked {
                Ok("not finite")
            } else {
                Err(format!("{refused} of {asked} places were refused"))
            }
        }
        3 => {
            let (center, target) = (bytes.vector(), bytes.vector());
            let half = Vec3::splat(bytes.choose(&[0.5, 0.2, 1.0, 3.0]));
            tracker.advect(|p| {
                if (p - center).abs().cmple(half).all() {
                    target
                } else {
                    p
                }
            });
            Ok("collapse a box")
        }
        4 | 5 => {
            plane(tracker, bytes);
            Ok("cut by a plane")
        }
        6 => {
            let cut = Cut {
                blade: Some(Blade {
                    along: bytes.vector(),
                    half: [0.3, 1.0].map(|h| h * bytes.choose(&[1.0, 0.1, 3.0, 0.0, 1e6])),
                }),
                ..Cut::new(bytes.vector(), bytes.vector())
            };
            // A blade without extent or direction is refused, and that is right.
            let _ = tracker.cut(cut);
            Ok("cut by a blade")
        }
        7 => {
            let scale = bytes.choose(&[1e-6, 1e6, 1e-20, 1e20, -1.0, 0.0, 0.5, 2.0, 1e3, 1e-3]);
            tracker.advect(|p| scale * p);
            Ok("scale")
        }
        8 => {
            let axis = usize::from(bytes.below(3));
            let scale = bytes.choose(&[0.0, 1e-3, -1.0, 10.0, 1e-7]);
            tracker.advect(|mut p| {
                p[axis] *= scale;
                p
            });
            Ok("flatten")
        }
        9 => {
            let step = bytes.choose(&[0.5, 0.25, 1.0, 2.0]);
            tracker.advect(|p| step * (p / step).round());
            Ok("round")
        }
        10 => {
            // What lies on one side comes to lie on what is on the other.
            let axis = usize::from(bytes.below(3));
            tracker.advect(|mut p| {
                p[axis] = p[axis].abs();
                p
            });
            Ok("fold")
        }
        _ => Ok("stand still"),
    }
}

/// Asks for cuts by one or two planes, also through vertices and along triangles.
fn plane(tracker: &mut Tracker, bytes: &mut Bytes) {
    let mesh = tracker.mesh();
    let triangle = mesh.triangles().nth(usize::from(bytes.byte()));
    let corners = triangle.map(|t| mesh.triangle(t).map(|v| mesh.positions()[v as usize]));
    let cut = match (bytes.below(5), corners) {
        (0, Some([a, ..])) => Cut::new(a, bytes.vector()),
        (1, Some([a, b, c])) => Cut::new(a, (b - a).cross(c - a)),
        (2, Some([a, b, c])) => Cut::new(a, (b - a).cross(Vec3::X + c)),
        (3, _) => Cut::new(Vec3::ZERO, Vec3::AXES[usize::from(bytes.below(3))]),
        _ => Cut::new(bytes.vector(), bytes.vector()),
    };
    let components = (bytes.below(4) == 3).then(|| vec![0, 2]);
    let cut = Cut { components, ..cut };
    // A plane without direction is refused, and that is right.
    if bytes.below(4) == 3 {
        let _ = tracker.cut(cut.clone());
    }
    let _ = tracker.cut(cut);
}

/// A vector up to one long that depends on a place and a seed only.
fn noise(p: Vec3, seed: u64) -> Vec3 {
    let [x, y, z] = p.to_array().map(|c| u64::from(c.to_bits()));
    let mut random = Random::new([seed, x, y, z]);
    random.next_direction() * random.next_f32()
}

/// Repairs the surface, sometimes as one that few particles carry.
fn update(tracker: &mut Tracker, bytes: &mut Bytes, radius: f32) {
    let kind = bytes.byte();
    if kind < 192 {
        tracker.update();
        return;
    }
    let all = tracker.mesh().positions();
    let every = usize::from(kind - 190);
    let positions: Vec<Vec3> = all.iter().copied().step_by(every).collect();
    let components: Vec<u32> = if kind.is_multiple_of(2) {
        Vec::new()
    } else {
        let some = (0..all.len() as u32).step_by(every);
        some.map(|v| tracker.mesh().component_of(v)).collect()
    };
    tracker.update_carried(&Carriers {
        positions: &positions,
        components: &components,
        radius,
        guess: &[],
    });
}

fn check(tracker: &Tracker) -> Result<(), String> {
    let mesh = tracker.mesh();
    let census = mesh
        .validate(Level::Everything)
        .map_err(|e| e.to_string())?;
    if census.triangles > TOO_MANY || mesh.positions().len() > TOO_MANY {
        return Err(format!("{} triangles are too many", census.triangles));
    }
    Ok(())
}
