//! A wooden toy: ten rigid parts on ball joints.

use glam::{Quat, Vec3};
use pliant::OrientedDesc;
use pliant::geometry::solids;

use super::BODY_COLOR;
use super::workshop::{Workshop, egg, joint, moved, rounded_box};

const WOOD: [u8; 4] = [214, 170, 112, 255];
const DARK: [u8; 4] = [42, 36, 34, 255];

/// A part: middle, half of its sides, colour, and the joints that it hangs on.
struct Limb {
    at: [f32; 3],
    half: [f32; 3],
    color: [u8; 4],
    joints: &'static [usize],
}

const JOINTS: [[f32; 3]; 9] = [
    [0.0, 0.86, 0.0],
    [0.21, 0.78, 0.0],
    [-0.21, 0.78, 0.0],
    [0.47, 0.78, 0.0],
    [-0.47, 0.78, 0.0],
    [0.09, 0.44, 0.0],
    [-0.09, 0.44, 0.0],
    [0.09, 0.22, 0.0],
    [-0.09, 0.22, 0.0],
];

const LIMBS: [Limb; 9] = [
    limb([0.0, 1.0, 0.0], [0.13, 0.13, 0.13], WOOD, &[0]),
    limb([0.34, 0.78, 0.0], [0.12, 0.055, 0.055], BODY_COLOR, &[1, 3]),
    limb(
        [-0.34, 0.78, 0.0],
        [0.12, 0.055, 0.055],
        BODY_COLOR,
        &[2, 4],
    ),
    limb([0.61, 0.78, 0.0], [0.13, 0.05, 0.05], WOOD, &[3]),
    limb([-0.61, 0.78, 0.0], [0.13, 0.05, 0.05], WOOD, &[4]),
    limb([0.09, 0.33, 0.0], [0.065, 0.10, 0.065], BODY_COLOR, &[5, 7]),
    limb(
        [-0.09, 0.33, 0.0],
        [0.065, 0.10, 0.065],
        BODY_COLOR,
        &[6, 8],
    ),
    limb([0.09, 0.11, 0.03], [0.065, 0.11, 0.10], WOOD, &[7]),
    limb([-0.09, 0.11, 0.03], [0.065, 0.11, 0.10], WOOD, &[8]),
];

const fn limb(at: [f32; 3], half: [f32; 3], color: [u8; 4], joints: &'static [usize]) -> Limb {
    Limb {
        at,
        half,
        color,
        joints,
    }
}

pub(super) fn make(mut shop: Workshop) -> OrientedDesc {
    let joints = JOINTS.map(|x| shop.particle(joint(x.into(), 0.03, 0.15)));
    let part = |x: Vec3, half: Vec3| egg(x, Quat::IDENTITY, half, 600.0 * half.element_product());
    // The trunk is two particles, so that it is not round.
    let trunk = [0.55, 0.75].map(|y| {
        let half = Vec3::new(0.17, 0.14, 0.11);
        shop.particle(part(Vec3::Y * y, half))
    });
    shop.rigid(&trunk, &[0, 1, 2, 5, 6].map(|j: usize| joints[j]));
    let shirt = moved(
        rounded_box(Vec3::new(0.18, 0.22, 0.115), 0.07, shop.parts(6, 2)),
        Quat::IDENTITY,
        Vec3::Y * 0.65,
    );
    let home = shop.nearest_of(trunk.to_vec());
    shop.show(&shirt, BODY_COLOR, home);
    let mut parts = Vec::new();
    for limb in &LIMBS {
        let (at, half) = (Vec3::from_array(limb.at), Vec3::from_array(limb.half));
        let own = shop.particle(part(at, half * 1.08));
        let held: Vec<u32> = limb.joints.iter().map(|&j| joints[j]).collect();
        shop.rigid(&[own], &held);
        let round = 0.6 * half.min_element();
        let block = moved(
            rounded_box(half, round, shop.parts(4, 2)),
            Quat::IDENTITY,
            at,
        );
        shop.show(&block, limb.color, |_| own);
        parts.push(own);
    }
    let head = parts[0];
    for side in [-1.0, 1.0] {
        let eye = Vec3::new(0.05 * side, 1.03, 0.125);
        shop.show(
            &moved(solids::sphere(0.022, shop.parts(4, 1)), Quat::IDENTITY, eye),
            DARK,
            |_| head,
        );
    }
    shop.finish()
}
