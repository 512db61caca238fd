//! Collapsing edges that are too short, and slivers.

use super::super::closed_mesh::{ClosedMesh, next, prev};
use super::{Lengths, RemeshReport, Remesher, ends};
use glam::Vec3;

/// Cosines of how far a normal may turn: for slivers (60°), for short edges (78°).
const TURN_SLIVER: f32 = 0.5;
const TURN_SHORT: f32 = 0.208;
/// The same for edges that collapse along a line (10°).
const TURN_ALONG: f32 = 0.985;
/// Cosine between the normals of neighbours from which on they lie on each other (154°).
const FOLD: f32 = -0.9;
/// Below this share of the shortest length an edge collapses whatever happens to normals and seams.
const FORCED: f32 = 0.3;
/// New edges stay below this share of the longest length, so that they are not split again.
const ROOM: f32 = 0.98;

impl Remesher {
    /// Collapses short edges, shortest first.
    pub(super) fn collapse_short(
        &mut self,
        mesh: &mut ClosedMesh,
        lengths: Lengths,
        left: &mut u32,
        report: &mut RemeshReport,
    ) {
        let short = std::mem::take(&mut self.scan.short);
        for &(_, h) in &short {
            if !mesh.alive(h / 3) || !needs_collapse(mesh, lengths, h) {
                continue;
            }
            if *left == 0 {
                report.postponed += 1;
                continue;
            }
            *left -= 1;
            match plan(mesh, lengths, h) {
                Some((at, s)) => {
                    let a = mesh.origin(h);
                    mesh.collapse(h, at, s);
                    self.touched.add_ring(mesh, a);
                    report.collapses += 1;
                }
                None => report.refused_collapses += 1,
            }
        }
        self.scan.short = short;
    }
}

/// Whether the edge is still short, or still the shortest side of a sliver.
fn needs_collapse(mesh: &ClosedMesh, lengths: Lengths, h: u32) -> bool {
    let thin = |t: u32| {
        let longest2 = mesh.length2(super::longest_of(mesh, t));
        let altitude = 0.05 * lengths.min;
        mesh.area_vector(t).length_squared() < altitude * altitude * longest2
            && super::edge_name(mesh, super::shortest_of(mesh, t)) == super::edge_name(mesh, h)
    };
    mesh.length2(h) < lengths.min * lengths.min || thin(h / 3) || thin(mesh.twin(h) / 3)
}

/// Where the edge collapses to, and the share of the way to its target for attributes; `None` if it must stay.
fn plan(mesh: &ClosedMesh, lengths: Lengths, h: u32) -> Option<(Vec3, f32)> {
    if !mesh.can_collapse(h) {
        return None;
    }
    let (a, b) = ends(mesh, h);
    let (xa, xb) = (mesh.x[a as usize], mesh.x[b as usize]);
    let length = xa.distance(xb);
    let forced = length < FORCED * lengths.min;
    let s = share(mesh, h, forced)?;
    // The rim of a cap stays in its plane, or it would cross the other side of the cut.
    let at = if s == 0.5 && !mesh.is_border(h) {
        volume_keeping(mesh, h, 0.5 * (xa + xb), 0.25 * length)
    } else {
        xa.lerp(xb, s)
    };
    let turn = if length < lengths.min {
        TURN_SHORT
    } else {
        TURN_SLIVER
    };
    let fits = star_allows(mesh, h, a, at, lengths.max, turn, forced)
        && star_allows(mesh, mesh.twin(h), b, at, lengths.max, turn, forced)
        && (forced || !touches_border(mesh, a, b) || !folds(mesh, h, at));
    fits.then_some((at, s))
}

/// Whether a border passes through one of the vertices.
fn touches_border(mesh: &ClosedMesh, a: u32, b: u32) -> bool {
    mesh.ring(a).chain(mesh.ring(b)).any(|k| mesh.is_border(k))
}

/// Whether the surface would lie on itself if edge `h` collapsed to `at`: a triangle beside a cap that gets its third corner on the rim
/// would lie in the plane of the cap.
fn folds(mesh: &ClosedMesh, h: u32, at: Vec3) -> bool {
    let g = mesh.twin(h);
    let (a, b) = (mesh.origin(h), mesh.origin(g));
    let after = |t: u32| {
        let [p, q, r] = mesh.triangle(t).map(|v| {
            if v == a || v == b {
                at
            } else {
                mesh.x[v as usize]
            }
        });
        (q - p).cross(r - p)
    };
    let folded = |s: u32, t: u32| {
        let (m, n) = (after(s), after(t));
        m.dot(n) < FOLD * (m.length_squared() * n.length_squared()).sqrt()
    };
    let beyond = |k: u32| mesh.twin(k) / 3;
    // The triangles that the two which vanish have kept from each other, and those around both ends with what is outside of them.
    folded(beyond(next(h)), beyond(prev(h)))
        || folded(beyond(next(g)), beyond(prev(g)))
        || mesh
            .ring(a)
            .chain(mesh.ring(b))
            .filter(|k| k / 3 != h / 3 && k / 3 != g / 3)
            .any(|k| folded(k / 3, beyond(next(k))))
}

/// Where an edge collapses to if it stays on its line and hardly bends the surface, and the share of the way to its target.
pub(crate) fn collapse_along(mesh: &ClosedMesh, h: u32, max_edge: f32) -> Option<(Vec3, f32)> {
    if !mesh.can_collapse(h) {
        return None;
    }
    let (a, b) = ends(mesh, h);
    let s = share(mesh, h, false)?;
    let at = mesh.x[a as usize].lerp(mesh.x[b as usize], s);
    let fits = star_allows(mesh, h, a, at, max_edge, TURN_ALONG, false)
        && star_allows(mesh, mesh.twin(h), b, at, max_edge, TURN_ALONG, false);
    fits.then_some((at, s))
}

/// The share of the way to its target that an edge collapses to, or `None` if a seam forbids it.
fn share(mesh: &ClosedMesh, h: u32, forced: bool) -> Option<f32> {
    let (a, b) = ends(mesh, h);
    // Seams stay where they are: an edge between a seam and the open chart goes to the seam, one on a seam slides along it.
    let seams = |v: u32| mesh.ring(v).filter(|&k| mesh.is_seam(k)).count();
    Some(match (seams(a), seams(b)) {
        (0, 0) => 0.5,
        (_, 0) => 0.0,
        (0, _) => 1.0,
        (on_a, on_b) if mesh.is_seam(h) => match (on_a == 2, on_b == 2) {
            (true, true) => 0.5,
            (false, true) => 0.0,
            (true, false) => 1.0,
            (false, false) if forced => 0.0,
            (false, false) => return None,
        },
        _ if forced => 0.0,
        _ => return None,
    })
}

/// Moves `middle` along the normal of the two stars so that their volume does not change, by at most `limit`.
///
/// With the origin in `middle` the new star has the volume p·S/6, S = Σ u×v over the rim, so p = 6V S/|S|².
fn volume_keeping(mesh: &ClosedMesh, h: u32, middle: Vec3, limit: f32) -> Vec3 {
    let g = mesh.twin(h);
    let (mut volume, mut rim) = (0.0, Vec3::ZERO);
    for (start, skip) in [(h, NO_SKIP), (g, h)] {
        for k in mesh.outgoing(start) {
            let t = k / 3;
            // The two triangles at the edge belong to both stars.
            if skip != NO_SKIP && (t == h / 3 || t == g / 3) {
                continue;
            }
            let [p, u, v] = [k, next(k), prev(k)].map(|k| mesh.at(k) - middle);
            volume += p.dot(u.cross(v));
            if t != h / 3 && t != g / 3 {
                rim += u.cross(v);
            }
        }
    }
    let s2 = rim.length_squared();
    if s2 <= 0.0 {
        return middle;
    }
    let offset = rim * (volume / s2);
    let length = offset.length();
    if !length.is_finite() {
        middle
    } else if length > limit {
        middle + offset * (limit / length)
    } else {
        middle + offset
    }
}

const NO_SKIP: u32 = u32::MAX;

/// Whether the triangles around `v` (an end of `h`) that survive keep their side and the length of their edges.
fn star_allows(
    mesh: &ClosedMesh,
    h: u32,
    v: u32,
    at: Vec3,
    max_edge: f32,
    turn: f32,
    forced: bool,
) -> bool {
    let far = ROOM * max_edge;
    let (left, right) = (h / 3, mesh.twin(h) / 3);
    mesh.ring(v).all(|k| {
        let t = k / 3;
        if t == left || t == right {
            return true;
        }
        let (u, w) = (mesh.at(next(k)), mesh.at(prev(k)));
        if u.distance_squared(at) > far * far {
            return false;
        }
        let old = mesh.area_vector(t);
        let new = (u - at).cross(w - at);
        let norm2 = old.length_squared() * new.length_squared();
        forced || norm2 <= 0.0 || old.dot(new) >= turn * norm2.sqrt()
    })
}
