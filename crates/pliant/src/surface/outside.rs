//! The winding number just outside a part of the surface.

use super::closed_mesh::ClosedMesh;
use super::patches::Patches;
use super::rays::{crossing_along, turned};
use glam::{DVec3, Vec3};

/// Rays that vote.
const RAYS: usize = 3;

/// The winding number just outside of `triangles`, which must lie in one region: nothing crosses the surface between them.
///
/// It is 0 on the boundary of the union, more where other material buries the surface, less where it is turned inside out. Rays
/// start at the three triangles that are seen largest along an axis, ignore the triangle they start from, and run along that axis,
/// so that no offset is needed; the middle of the three answers counts. Pieces that a cut holds apart do not see each other.
pub(crate) fn winding_outside(mesh: &ClosedMesh, patches: &Patches, triangles: &[u32]) -> i32 {
    let mut best: Vec<(f32, u32, usize)> = Vec::with_capacity(RAYS + 1);
    // The sides of a cut may overlap where they touch, so others are asked if there are any.
    let whole = triangles.iter().any(|&t| mesh.scar[t as usize] == 0);
    for &t in triangles {
        if whole && mesh.scar[t as usize] != 0 {
            continue;
        }
        let n = mesh.area_vector(t);
        let size = n.abs();
        let axis = if size.z >= size.x && size.z >= size.y {
            2
        } else {
            usize::from(size.x < size.y)
        };
        let seen = size[axis];
        if best.len() < RAYS || seen > best[RAYS - 1].0 {
            let at = best.partition_point(|b| b.0 >= seen);
            best.insert(at, (seen, t, axis));
            best.truncate(RAYS);
        }
    }
    let mut answers: Vec<i32> = Vec::with_capacity(RAYS);
    for (_, t, axis) in best {
        let answer = outside_of(mesh, patches, t, axis);
        // Two that agree are the middle, whatever the third says.
        if answers.contains(&answer) {
            return answer;
        }
        answers.push(answer);
    }
    answers.sort_unstable();
    answers.get(answers.len() / 2).copied().unwrap_or(0)
}

/// The winding number just outside of triangle `t`, by a ray along `axis`.
fn outside_of(mesh: &ClosedMesh, patches: &Patches, t: u32, axis: usize) -> i32 {
    let [a, b, c] = mesh.points(t).map(Vec3::as_dvec3);
    let start = (a + b + c) / 3.0;
    let outward = (b - a).cross(c - a)[axis] > 0.0;
    let p = turned(start, axis);
    let (lo, hi) = line_box(start, axis);
    let mut above = 0;
    let own = mesh.piece(t);
    patches.for_each_in_box(mesh, lo, hi, |s| {
        if s != t && !mesh.pieces_apart(own, mesh.piece(s)) {
            above += crossing_along(&mesh.x, &mesh.corner, s, p, axis);
        }
    });
    if outward { above } else { above - 1 }
}

/// A box around the ray from `start` along `axis` that surely holds it after rounding.
fn line_box(start: DVec3, axis: usize) -> (Vec3, Vec3) {
    let p = start.as_vec3();
    let (mut lo, mut hi) = (p, p);
    for k in 0..3 {
        lo[k] = p[k].next_down();
        hi[k] = p[k].next_up();
    }
    hi[axis] = f32::MAX;
    (lo, hi)
}

/// The sheets that the first corner of triangle `t` lies in, by a ray that counts crossings per sheet; its own is left out.
pub(crate) fn containing(
    mesh: &ClosedMesh,
    patches: &Patches,
    t: u32,
    sheet: impl Fn(u32) -> u32,
) -> Vec<u32> {
    let [a, b, c] = mesh.points(t).map(Vec3::as_dvec3);
    let start = (a + b + c) / 3.0;
    let (lo, hi) = line_box(start, 2);
    let own = sheet(t);
    let mut counts: Vec<(u32, i32)> = Vec::new();
    patches.for_each_in_box(mesh, lo, hi, |s| {
        let name = sheet(s);
        let crossed = crossing_along(&mesh.x, &mesh.corner, s, start, 2);
        if name != own && crossed != 0 {
            match counts.iter_mut().find(|c| c.0 == name) {
                Some(count) => count.1 += crossed,
                None => counts.push((name, crossed)),
            }
        }
    });
    counts.retain(|c| c.1 > 0);
    counts.into_iter().map(|c| c.0).collect()
}
