//! Vertices of pieces on edges of neighbours that were not cut there.

use glam::Vec3;

use super::links::LinkGraph;
use super::primitive::{Primitive, diagonal};

/// A vertex is on an edge within this share of the body's diagonal.
const ON_EDGE: f32 = 4e-6;
/// Nearer to an end of the edge than this share of it, a vertex is the end.
const END: f32 = 1e-4;

/// A vertex of a neighbour on an edge of a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Junction {
    /// The edge's ends, ascending vertices of the primitive.
    ends: [u32; 2],
    /// Where it is, from the first end to the second.
    share: f32,
    /// The neighbour's vertex.
    pub(super) gid: u32,
}

impl Junction {
    /// Its place on the undeformed primitive.
    pub(super) fn place(&self, p: &Primitive) -> Vec3 {
        let [a, b] = self.ends.map(|v| p.verts[v as usize]);
        a.lerp(b, self.share)
    }
}

/// The junctions of each primitive, along its edges in order. Only primitives that were cut, and their neighbours, can have any.
pub(super) fn junctions(primitives: &[Primitive], graph: &LinkGraph) -> Vec<Vec<Junction>> {
    let tolerance = ON_EDGE * diagonal(primitives);
    let mut out = vec![Vec::new(); primitives.len()];
    if primitives.iter().all(|p| p.depth == 0) {
        return out;
    }
    let mut foreign: Vec<(u32, Vec3)> = Vec::new();
    for (k, p) in primitives.iter().enumerate() {
        let cut_near = graph
            .neighbors(k as u32)
            .filter(|(q, _)| p.depth > 0 || primitives[*q as usize].depth > 0);
        foreign.clear();
        // The box of the primitive leaves little over.
        let (lo, hi) = p.bounds();
        let near = |v: Vec3| (lo - v).max(v - hi).max_element() <= tolerance;
        for (q, _) in cut_near {
            let q = &primitives[q as usize];
            let all = q.gids.iter().zip(&q.verts);
            let own = all.filter(|(g, v)| near(**v) && !p.has_gid(**g));
            foreign.extend(own.map(|(&g, &v)| (g, v)));
        }
        foreign.sort_by_key(|x| x.0);
        foreign.dedup_by_key(|x| x.0);
        if !foreign.is_empty() {
            out[k] = on_edges(p, &foreign, tolerance);
        }
    }
    out
}

/// The vertices that lie on edges of a primitive.
fn on_edges(p: &Primitive, foreign: &[(u32, Vec3)], tolerance: f32) -> Vec<Junction> {
    let mut found: Vec<Junction> = Vec::new();
    for face in p.faces.iter() {
        for (i, j) in super::polyhedron::edges(face).filter(|(i, j)| i < j) {
            let (a, b) = (p.verts[i as usize], p.verts[j as usize]);
            let e = b - a;
            for &(gid, v) in foreign {
                let share = (v - a).dot(e) / e.length_squared().max(f32::MIN_POSITIVE);
                let inside = share > END && share < 1.0 - END;
                // A vertex near two edges is on the first.
                let known = |x: &Junction| x.gid == gid;
                if inside && a.lerp(b, share).distance(v) <= tolerance && !found.iter().any(known) {
                    let ends = [i, j];
                    found.push(Junction { ends, share, gid });
                }
            }
        }
    }
    found.sort_by(|x, y| x.ends.cmp(&y.ends).then(x.share.total_cmp(&y.share)));
    found
}

/// Makes `ring` that of a face with the junctions on its edges: gids and undeformed places.
pub(super) fn refine_ring(
    p: &Primitive,
    face: usize,
    extras: &[Junction],
    ring: &mut Vec<(u32, Vec3)>,
) {
    ring.clear();
    for (i, j) in super::polyhedron::edges(p.faces.row(face)) {
        ring.push((p.gids[i as usize], p.verts[i as usize]));
        if extras.is_empty() {
            continue;
        }
        let ends = [i.min(j), i.max(j)];
        let on = extras.iter().filter(|x| x.ends == ends);
        let place = |x: &Junction| (x.gid, x.place(p));
        if i < j {
            ring.extend(on.map(place));
        } else {
            ring.extend(on.rev().map(place));
        }
    }
}
