//! A chain of 600 links in a coil: each link is one particle with a rotation and shares a joint with the next [MC11, simplified chain].

use glam::{Mat3, Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::Mesh;

use super::workshop::{Bond, Workshop, egg, joint, moved};

const LINKS: u32 = 600;
/// From joint to joint (m).
const PITCH: f32 = 0.1;
/// Semi-axes of the middle line of a link, and its thickness (m).
const LINK: (f32, f32, f32) = (0.066, 0.042, 0.016);

pub(super) fn make(mut shop: Workshop) -> OrientedDesc {
    let places = coil();
    let joints: Vec<u32> = places
        .iter()
        .map(|&x| shop.particle(joint(x, LINK.2, 0.05)))
        .collect();
    let link = link_mesh(&shop);
    for i in 0..LINKS as usize {
        let (a, b) = (places[i], places[i + 1]);
        let ahead = (b - a).normalize_or(Vec3::X);
        let level = ahead.cross(Vec3::Y).normalize_or(Vec3::Z);
        let flat = Quat::from_mat3(&Mat3::from_cols(ahead, level.cross(ahead), level));
        // Every other link stands upright.
        let roll = if i % 2 == 0 { 0.25 } else { 0.75 } * std::f32::consts::PI;
        let axes = (flat * Quat::from_rotation_x(roll)).normalize();
        let radii = Vec3::new(LINK.0 + LINK.2, LINK.1 + LINK.2, LINK.2);
        let middle = a.midpoint(b);
        let own = shop.particle(egg(middle, axes, radii, 0.15));
        let ends = [joints[i], joints[i + 1]];
        let bond = Bond {
            joints: &ends,
            lead: Some(own),
            stiffness: 1.0,
        };
        shop.group(&[own, ends[0], ends[1]], bond);
        let steel = [158, 163, 172, 255];
        shop.show(&moved(link.clone(), axes, middle), steel, |_| own);
    }
    shop.finish()
}

/// The places of the joints: a coil that starts above the origin and widens as it goes down.
fn coil() -> Vec<Vec3> {
    let at = |angle: f32| {
        let turns = angle / std::f32::consts::TAU;
        let (sin, cos) = libm::sincosf(angle);
        let radius = 0.45 + 0.11 * turns;
        Vec3::new(radius * cos, -0.24 * turns, radius * sin)
    };
    let mut angle = 0.0;
    let mut places = vec![at(0.0)];
    while places.len() <= LINKS as usize {
        let last = places[places.len() - 1];
        // The next place on the coil at the distance of a joint, by bisection.
        let (mut near, mut far) = (angle, angle + 0.5);
        for _ in 0..30 {
            let middle = 0.5 * (near + far);
            if at(middle).distance(last) < PITCH {
                near = middle;
            } else {
                far = middle;
            }
        }
        angle = far;
        places.push(at(angle));
    }
    places
}

/// A link along x, flat across z.
fn link_mesh(shop: &Workshop) -> Mesh {
    Mesh::ring(shop.parts(20, 6), shop.parts(6, 3), |u, v| {
        let (sin, cos) = libm::sincosf(std::f32::consts::TAU * u);
        let (up, out) = libm::sincosf(std::f32::consts::TAU * v);
        let away = Vec3::new(cos / LINK.0, sin / LINK.1, 0.0).normalize_or(Vec3::X);
        Vec3::new(LINK.0 * cos, LINK.1 * sin, 0.0) + LINK.2 * (out * away + up * Vec3::Z)
    })
}
