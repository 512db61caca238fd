//! Boxes of joints in meshes \[MCM16 Fig. 4\]: the name says which joint, the box where it is and how it lies.

use glam::{Mat3, Quat, Vec3};

use crate::file::{JointKind, unknown};

/// Corners may be off a box by this share of its diagonal.
const SLACK: f32 = 1e-3;
/// By how much the longest side of a box must be longer than the others, if the joint has an axis.
const LONGER: f32 = 1.01;

/// A joint that a mesh has.
#[derive(Clone, Debug)]
pub(super) struct JointBox {
    /// Its name, without `joint.`.
    pub(super) name: String,
    pub(super) kind: JointKind,
    /// What follows the kind: the two things, and perhaps a number.
    pub(super) things: String,
    /// Centre (m).
    pub(super) center: Vec3,
    /// Half of its sides (m).
    pub(super) half: Vec3,
    pub(super) rotation: Quat,
}

/// Sides whose sines of elevation differ by less are equally upright.
const LEVEL: f32 = 1e-2;

/// The joint of a name without `joint.`, and of the corners of its box; `turn` is how the mesh was turned when it was placed.
///
/// The x axis goes along the longest side, the y axis along that of the others which is more upright in the mesh, or the longer one, each the way that its
/// largest coordinate in the mesh grows. So joints of equal boxes are alike, whatever order their corners come in.
pub(super) fn joint_box(name: &str, corners: &[Vec3], turn: Quat) -> Result<JointBox, String> {
    const KINDS: [(&str, JointKind); 5] = [
        ("fixed", JointKind::Fixed),
        ("ball", JointKind::Ball),
        ("hinge", JointKind::Hinge),
        ("slide", JointKind::Slide),
        ("wheel", JointKind::Wheel),
    ];
    let shown = format!("joint.{name}");
    let Some((kind, things)) = name.split_once('.') else {
        return Err(format!(
            "the part `{shown}` names no joint, expected `joint.TYPE.A.B`"
        ));
    };
    let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == kind) else {
        let complaint = unknown("type of joint", kind, KINDS.map(|(known, _)| known));
        return Err(format!("the part `{shown}`: {complaint}"));
    };
    if name.ends_with('*') {
        return Err(format!(
            "the name `{shown}` ends in `*`, which stands for anything in actions, expected another one"
        ));
    }
    let Some((center, sides)) = sides(corners) else {
        return Err(format!(
            "the part `{shown}` is no box, expected eight corners at right angles"
        ));
    };
    let back = turn.inverse();
    let mut sides = sides.map(|side| {
        // Signs and what is upright are those of the mesh as it was made.
        let own = back * side;
        let largest = own[own.abs().max_position()];
        if largest < 0.0 { -side } else { side }
    });
    sides.sort_by(|a, b| b.length_squared().total_cmp(&a.length_squared()));
    let has_axis = !matches!(kind, JointKind::Fixed | JointKind::Ball);
    if has_axis && sides[0].length() < LONGER * sides[1].length() {
        return Err(format!(
            "the box `{shown}` has no longest side, expected one: that is the axis"
        ));
    }
    let upright = |side: Vec3| (back * side).y.abs() / side.length();
    if upright(sides[2]) > upright(sides[1]) + LEVEL {
        sides.swap(1, 2);
    }
    let half = Vec3::from_array(sides.map(Vec3::length));
    let [x, y] = [sides[0] / half.x, sides[1] / half.y];
    Ok(JointBox {
        name: name.to_owned(),
        kind,
        things: things.to_owned(),
        center,
        half,
        rotation: Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize(),
    })
}

/// The centre of a box and half of each of its sides, if the corners are those of one.
fn sides(corners: &[Vec3]) -> Option<(Vec3, [Vec3; 3])> {
    let (lo, hi) = corners
        .iter()
        .map(|&p| (p, p))
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let slack = SLACK * (hi - lo).length();
    let mut distinct: Vec<Vec3> = Vec::new();
    for &p in corners {
        if !distinct.iter().any(|q| q.distance(p) <= slack) {
            if distinct.len() == 8 {
                return None;
            }
            distinct.push(p);
        }
    }
    let &[first, ref others @ ..] = &distinct[..] else {
        return None;
    };
    if others.len() != 7 {
        return None;
    }
    let center = distinct.iter().sum::<Vec3>() / 8.0;
    // Of the ways from a corner to the others the two shortest are sides; the third side is across both.
    let mut ways: Vec<Vec3> = others.iter().map(|&p| p - first).collect();
    ways.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    let (a, b) = (ways[0], ways[1]);
    let across = a.cross(b).normalize_or_zero();
    let farthest = ways.iter().map(|way| across.dot(*way));
    let c = across * farthest.reduce(|m, d| if d.abs() > m.abs() { d } else { m })?;
    let is_corner = |p: Vec3| distinct.iter().any(|q| q.distance(p) <= slack);
    let all = (0..8u32).map(|k| {
        let pick = |bit: u32, side: Vec3| if k >> bit & 1 == 1 { side } else { Vec3::ZERO };
        first + pick(0, a) + pick(1, b) + pick(2, c)
    });
    let flat = [a, b, c].iter().any(|side| side.length() <= 2.0 * slack);
    let square = a.dot(b).abs() <= SLACK * a.length() * b.length() * 10.0;
    let whole = all.into_iter().all(is_corner);
    (!flat && square && whole).then(|| (center, [a, b, c].map(|side| 0.5 * side)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(turn: Quat, half: Vec3, order: &[usize]) -> Vec<Vec3> {
        let at = |k: &usize| {
            let sign = |bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            Vec3::ONE + turn * (half * Vec3::new(sign(0), sign(1), sign(2)))
        };
        order.iter().map(at).collect()
    }

    /// The axes of a box are the same in whatever order its corners come, and turn with the mesh.
    #[test]
    fn boxes_have_axes() {
        let half = Vec3::new(0.1, 0.3, 0.2);
        let orders = [[0, 1, 2, 3, 4, 5, 6, 7], [6, 3, 0, 5, 1, 7, 2, 4]];
        for turn in [Quat::IDENTITY, Quat::from_rotation_z(0.4)] {
            for order in &orders {
                let found = joint_box("wheel.a.b.2", &corners(turn, half, order), turn).unwrap();
                assert_eq!(
                    (found.kind, found.things.as_str()),
                    (JointKind::Wheel, "a.b.2")
                );
                assert!(found.center.distance(Vec3::ONE) < 1e-5);
                assert!(
                    found.half.distance(Vec3::new(0.3, 0.2, 0.1)) < 1e-5,
                    "{}",
                    found.half
                );
                let x = found.rotation * Vec3::X;
                assert!(x.distance(turn * Vec3::Y) < 1e-4, "{x}");
            }
        }
        // Of the two shorter sides the upright one is y.
        let flat = Vec3::new(0.1, 0.2, 0.5);
        let found = joint_box(
            "wheel.a.b",
            &corners(Quat::IDENTITY, flat, &orders[0]),
            Quat::IDENTITY,
        );
        let found = found.unwrap();
        assert!((found.rotation * Vec3::Y).distance(Vec3::Y) < 1e-5);
        assert!((found.rotation * Vec3::X).distance(Vec3::Z) < 1e-5);
    }

    /// What is no box and what is no joint is told.
    #[test]
    fn mistakes_are_told() {
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        let told = |name: &str, half: Vec3, order: &[usize]| {
            joint_box(name, &corners(Quat::IDENTITY, half, order), Quat::IDENTITY).unwrap_err()
        };
        let half = Vec3::new(0.1, 0.2, 0.3);
        assert!(told("hinge.a.b", half, &all[..7]).contains("is no box"));
        assert!(told("hinge.a.b", Vec3::splat(0.1), &all).contains("no longest side"));
        assert!(told("hing.a.b", half, &all).contains("did you mean `hinge`"));
        assert!(told("hinge", half, &all).contains("names no joint"));
    }
}
