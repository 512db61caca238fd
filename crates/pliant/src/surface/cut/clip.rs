//! The cut by a whole plane, which keeps the volume.

use super::super::closed_mesh::{ClosedMesh, NONE};
use super::super::remesh::collapse_along;
use super::super::surgery::Surgery;
use super::{CutLimits, CutOutcome, Place, close_flat};
use glam::Vec3;

/// A vertex that is nearer to the plane, along the surface, than this share of its shortest edge is put on it.
const SNAP: f64 = 0.1;
/// Least sine of the angle to the plane for which the way along the surface is measured: what lies in the plane up to rounding is put
/// on it, but a cap beside it is not flattened.
const LEAST_SLOPE: f64 = 0.02;
/// Squared sine of the angle to the plane from which on a surface is steep: a vertex slides no farther than twice its distance.
const STEEP: f64 = 0.25;
/// Edges along the plane that are shorter than this share of the longest edge are collapsed.
const RIM: f32 = 0.15;
/// Caps are moved away from the plane by this share of the shortest edge.
const PART: f64 = 0.01;

/// Side of a vertex that takes no part.
const OTHER: i8 = 2;

/// Cuts the surface along the plane.
pub(super) fn cut(
    mesh: &mut ClosedMesh,
    surgery: &mut Surgery,
    place: &Place,
    chosen: impl Fn(&ClosedMesh, u32) -> bool,
    limits: CutLimits,
) -> CutOutcome {
    let mut sides = sides(mesh, place, chosen);
    if !sides.contains(&1) || !sides.contains(&-1) {
        return CutOutcome::Missed;
    }
    let crossed: Vec<(u32, u32)> = half_edges(mesh)
        .filter(|&h| sides[mesh.origin(h) as usize] == 1 && sides[mesh.target(h) as usize] == -1)
        .map(|h| (mesh.origin(h), mesh.target(h)))
        .collect();
    if crossed.is_empty() && parted(mesh, place, &sides).is_empty() {
        return CutOutcome::Missed;
    }
    // Every crossed edge adds two triangles, and as a side of both caps about two more.
    if mesh.triangle_count() + 4 * crossed.len() > limits.triangles {
        return CutOutcome::Refused;
    }
    let snapped: Vec<(u32, Vec3)> = (0..mesh.x.len() as u32)
        .filter(|&v| sides[v as usize] == 0 && mesh.out[v as usize] != NONE)
        .map(|v| (v, mesh.x[v as usize]))
        .collect();
    let places: Vec<Vec3> = snapped
        .iter()
        .map(|&(v, _)| landing(mesh, place, v))
        .collect();
    for (&(v, _), to) in snapped.iter().zip(places) {
        mesh.move_vertex(v, to);
    }
    for (a, b) in crossed {
        split(mesh, place, &mut sides, a, b);
    }
    let edges = parted(mesh, place, &sides);
    let edges = if merge_short(mesh, &edges, limits.max_edge) {
        parted(mesh, place, &sides)
    } else {
        edges
    };

    // Vertices beside the plane that the cut does not pass through go back to where they were.
    let mut rim: Vec<u32> = edges
        .iter()
        .flat_map(|&h| [mesh.origin(h), mesh.target(h)])
        .collect();
    rim.sort_unstable();
    rim.dedup();
    for (v, x) in snapped {
        if rim.binary_search(&v).is_err() {
            mesh.x[v as usize] = x;
        }
    }

    part_along(mesh, surgery, place, &sides, &edges, limits)
}

/// Parts the surface along `edges`, which lie in the plane, and gives both sides a cap.
fn part_along(
    mesh: &mut ClosedMesh,
    surgery: &mut Surgery,
    place: &Place,
    sides: &[i8],
    edges: &[u32],
    limits: CutLimits,
) -> CutOutcome {
    for slits in [true, false] {
        let loops = surgery.open(mesh, &[], edges);
        let (above, below): (Vec<Vec<u32>>, Vec<Vec<u32>>) = loops
            .iter()
            .cloned()
            .partition(|edges| label(mesh, place, sides, edges[0] / 3) > 0);
        let lower = close_flat(mesh, surgery, place, &below, false, slits);
        let upper = lower.is_some().then_some(());
        let upper = upper.and_then(|()| close_flat(mesh, surgery, place, &above, true, slits));
        if let (Some(lower), Some(upper)) = (lower, upper) {
            let away = PART * f64::from(limits.min_edge) * place.normal;
            part(mesh, surgery, &lower, (-away).as_vec3());
            part(mesh, surgery, &upper, away.as_vec3());
            surgery.commit(mesh);
            return CutOutcome::Cut {
                loops: loops.len(),
                caps: [lower, upper],
            };
        }
        surgery.roll_back(mesh);
    }
    CutOutcome::Refused
}

fn half_edges(mesh: &ClosedMesh) -> impl Iterator<Item = u32> + '_ {
    mesh.triangles().flat_map(|t| 3 * t..3 * t + 3)
}

/// On which side every vertex lies: 1, −1, or 0 for those that are put on the plane. So will be those that the cut makes in slots that
/// are free now.
fn sides(mesh: &ClosedMesh, place: &Place, chosen: impl Fn(&ClosedMesh, u32) -> bool) -> Vec<i8> {
    (0..mesh.x.len() as u32)
        .map(|v| {
            if mesh.out[v as usize] == NONE {
                return 0;
            }
            if !chosen(mesh, v) {
                return OTHER;
            }
            let height = place.height(mesh.x[v as usize]);
            let length = |h: u32| {
                let (a, b) = (mesh.at(h), mesh.x[mesh.target(h) as usize]);
                a.as_dvec3().distance(b.as_dvec3())
            };
            // Any edge bounds the shortest one, so far vertices look at one only.
            let near = height.abs() < SNAP * length(mesh.out[v as usize]) && {
                let along = height.abs() / slope(mesh, place, v).max(LEAST_SLOPE);
                mesh.ring(v).all(|h| along < SNAP * length(h))
            };
            if (near && place.onto(mesh.x[v as usize]).is_finite()) || height == 0.0 {
                0
            } else if height > 0.0 {
                1
            } else {
                -1
            }
        })
        .collect()
}

/// Sine of the angle between the plane and the surface at a vertex; one where it has no normal.
fn slope(mesh: &ClosedMesh, place: &Place, v: u32) -> f64 {
    let normal = super::direction(mesh.vertex_normal(v).as_dvec3());
    normal.map_or(1.0, |n| n.cross(place.normal).length())
}

/// Where a vertex beside the plane is put on it. It slides across its normal, which to first order leaves the volume as it is;
/// where the surface is nearly parallel to the plane it takes the shortest way.
fn landing(mesh: &ClosedMesh, place: &Place, v: u32) -> Vec3 {
    let x = mesh.x[v as usize];
    let straight = place.onto(x);
    let normal = mesh.vertex_normal(v).as_dvec3();
    let Some(normal) = super::direction(normal) else {
        return straight;
    };
    let slide = place.normal - place.normal.dot(normal) * normal;
    let steep = slide.dot(place.normal);
    if steep < STEEP {
        return straight;
    }
    let to = (x.as_dvec3() - place.height(x) / steep * slide).as_vec3();
    if to.is_finite() { to } else { straight }
}

/// The side of a triangle that the plane does not cross. One in the plane lies on the side that it is the border of.
fn label(mesh: &ClosedMesh, place: &Place, sides: &[i8], t: u32) -> i8 {
    let corners = mesh.triangle(t);
    let mut at_plane = true;
    for v in corners {
        match sides.get(v as usize).copied().unwrap_or(0) {
            0 => {}
            OTHER => return 0,
            side => {
                at_plane = false;
                if side > 0 {
                    return 1;
                }
            }
        }
    }
    if !at_plane {
        return -1;
    }
    let [a, b, c] = corners.map(|v| place.onto(mesh.x[v as usize]).as_dvec3());
    if (b - a).cross(c - a).dot(place.normal) > 0.0 {
        -1
    } else {
        1
    }
}

/// The edges between the two sides, as half-edges of the upper one. Crossed triangles count as upper.
fn parted(mesh: &ClosedMesh, place: &Place, sides: &[i8]) -> Vec<u32> {
    let labels: Vec<i8> = (0..mesh.material.len() as u32)
        .map(|t| {
            if mesh.alive(t) {
                label(mesh, place, sides, t)
            } else {
                0
            }
        })
        .collect();
    half_edges(mesh)
        .filter(|&h| labels[h as usize / 3] == 1 && labels[mesh.twin(h) as usize / 3] == -1)
        .collect()
}

/// Splits the edge from `a`, above the plane, to `b`, below it.
fn split(mesh: &mut ClosedMesh, place: &Place, sides: &mut Vec<i8>, a: u32, b: u32) {
    let h = mesh.half_edge(a, b);
    if h == NONE {
        return;
    }
    let (p, q) = (mesh.x[a as usize], mesh.x[b as usize]);
    let (over, under) = (place.height(p), place.height(q));
    let s = over / (over - under);
    let at = p.as_dvec3().lerp(q.as_dvec3(), s);
    let m = mesh.split_at(h, at.as_vec3(), s as f32);
    if sides.len() <= m as usize {
        sides.resize(m as usize + 1, 0);
    }
    sides[m as usize] = 0;
}

/// Collapses the short edges among those that will be parted, so that both rims come out alike and without chains of tiny edges. They
/// stay in the plane. Returns whether there were any.
fn merge_short(mesh: &mut ClosedMesh, edges: &[u32], max_edge: f32) -> bool {
    let shortest = RIM * max_edge;
    let mut short: Vec<(f32, u32, u32)> = edges
        .iter()
        .map(|&h| (mesh.length2(h), mesh.origin(h), mesh.target(h)))
        .filter(|e| e.0 < shortest * shortest)
        .collect();
    short.sort_unstable_by(|a, b| {
        a.0.total_cmp(&b.0)
            .then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
    let mut any = false;
    for (_, a, b) in short {
        if mesh.out[a as usize] == NONE || mesh.out[b as usize] == NONE {
            continue;
        }
        let h = mesh.half_edge(a, b);
        if h != NONE
            && mesh.length2(h) < shortest * shortest
            && let Some((at, s)) = collapse_along(mesh, h, max_edge)
        {
            mesh.collapse(h, at, s);
            any = true;
        }
    }
    any
}

/// Moves a cap away from the plane.
fn part(mesh: &mut ClosedMesh, surgery: &mut Surgery, triangles: &[u32], by: Vec3) {
    let mut vertices: Vec<u32> = triangles.iter().flat_map(|&t| mesh.triangle(t)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    for v in vertices {
        let to = mesh.x[v as usize] + by;
        if to.is_finite() {
            surgery.move_vertex(mesh, v, to);
        }
    }
}
