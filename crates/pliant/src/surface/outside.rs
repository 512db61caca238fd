//! The winding number just outside a part of the surface.

use super::closed_mesh::ClosedMesh;
use super::patches::Patches;
use super::rays::{crossing_along, turned};
use glam::{DVec3, Vec3};

/// Rays that vote.
const RAYS: usize = 3;
/// Triangles that vote on a large part.
const VOTES: usize = 15;

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

/// [`winding_outside`] asked of triangles all over a part of the surface: the middle of their answers. It says what most of a large part is, even if a
/// crossing that nobody knows of parts a corner of it from the rest.
pub(crate) fn winding_outside_all_over(
    mesh: &ClosedMesh,
    patches: &Patches,
    triangles: &[u32],
) -> i32 {
    let step = triangles.len().div_ceil(VOTES).max(1);
    let mut answers: Vec<i32> = triangles
        .iter()
        .skip(step / 2)
        .step_by(step)
        .map(|&t| winding_outside(mesh, patches, &[t]))
        .collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solids::sphere;

    /// A ball within a ball: the inner one is buried once. A corner that says otherwise is outvoted.
    #[test]
    fn most_of_a_part_decides() {
        let mut two = sphere(1.0, 8);
        let (first, n) = (two.triangles.len() as u32, two.positions.len() as u32);
        let inner = sphere(0.5, 8);
        two.positions.extend(&inner.positions);
        let moved = inner.triangles.iter().map(|t| t.map(|v| v + n));
        two.triangles.extend(moved);
        let mut mesh = ClosedMesh::new(&two).unwrap();
        let patches = Patches::build(&mut mesh);
        let outer: Vec<u32> = (0..first).collect();
        let buried: Vec<u32> = (first..2 * first).collect();
        assert_eq!(winding_outside_all_over(&mesh, &patches, &outer), 0);
        assert_eq!(winding_outside_all_over(&mesh, &patches, &buried), 1);
        let mut mixed = outer;
        mixed[..20].copy_from_slice(&buried[..20]);
        assert_eq!(winding_outside(&mesh, &patches, &mixed[..20]), 1);
        assert_eq!(winding_outside_all_over(&mesh, &patches, &mixed), 0);
        assert_eq!(winding_outside_all_over(&mesh, &patches, &[]), 0);
    }
}
