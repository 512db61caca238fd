//! Gids of pieces after a cut.
//!
//! \[MCM16 §3.6\] groups vertices by equal undeformed position. Departs from it: inner vertices of one gid are not in the same place, seams that
//! have torn must not heal, and chains of nearly equal places have no end. So vertices that survive keep their gid; made ones are equal if
//! their keys are (the edge or face that was cut, and the planes), also between primitives; and within one primitive, if they are in the
//! same place, as where three cells meet and each names two other planes.

use glam::DVec3;

use super::clip::{Piece, VertexKey};

/// Vertices of one primitive are in the same place within this share of the body's diagonal.
const SAME_PLACE: f64 = 4e-6;

/// A vertex of a piece.
struct Instance {
    piece: usize,
    vertex: usize,
    parent: u32,
    at: DVec3,
}

/// Sets of vertices that become one; each knows the gid that it has to keep, if any.
struct Classes {
    parent: Vec<u32>,
    gid: Vec<Option<u32>>,
}

impl Classes {
    fn find(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            self.parent[v as usize] = self.parent[self.parent[v as usize] as usize];
            v = self.parent[v as usize];
        }
        v
    }

    /// Joins two sets, unless they have to keep different gids.
    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        let (keep, drop) = (a.min(b), a.max(b));
        let gids = (self.gid[keep as usize], self.gid[drop as usize]);
        if keep == drop || matches!(gids, (Some(x), Some(y)) if x != y) {
            return;
        }
        self.parent[drop as usize] = keep;
        self.gid[keep as usize] = gids.0.or(gids.1);
    }
}

/// Gives every vertex of the pieces (parent, cell, piece, volume given) a gid, new ones from `gid_count` on, and puts vertices that are one
/// in exactly the same place where they are as good as there. `size` is the body's diagonal (m).
pub(super) fn assign_gids(
    pieces: &mut [(u32, u32, Piece, f64)],
    gid_count: &mut u32,
    size: f64,
) -> Vec<Vec<u32>> {
    let mut all: Vec<Instance> = Vec::new();
    for (k, (parent, _, piece, _)) in pieces.iter().enumerate() {
        let places = piece.shape.verts.iter().enumerate();
        all.extend(places.map(|(vertex, &at)| Instance {
            piece: k,
            vertex,
            parent: *parent,
            at,
        }));
    }
    let key = |i: usize| &pieces[all[i].piece].2.vertex_keys[all[i].vertex];
    let mut classes = Classes {
        parent: (0..all.len() as u32).collect(),
        gid: (0..all.len())
            .map(|i| match key(i) {
                VertexKey::Gid(g) => Some(*g),
                VertexKey::Made { .. } => None,
            })
            .collect(),
    };
    join_places(&all, SAME_PLACE * size, &mut classes);
    // Before keys join primitives: the places within one are now the same bits.
    let place = share_places(&all, &mut classes, SAME_PLACE * size);
    let mut by_key: Vec<u32> = (0..all.len() as u32).collect();
    // Inside of a primitive nothing is shared with others.
    let full = |i: u32| {
        let k = key(i as usize);
        let alone = matches!(k, VertexKey::Made { feature, .. } if feature.is_empty());
        (
            k,
            if alone {
                all[i as usize].parent
            } else {
                u32::MAX
            },
        )
    };
    by_key.sort_by(|&a, &b| full(a).cmp(&full(b)).then(a.cmp(&b)));
    for group in by_key.chunk_by(|&a, &b| full(a) == full(b)) {
        group[1..].iter().for_each(|&i| classes.join(group[0], i));
    }
    let place = share_across(&all, place, &mut classes, SAME_PLACE * size);
    let gids = number(&all, &mut classes, pieces.len(), gid_count);
    for (instance, at) in all.iter().zip(place) {
        pieces[instance.piece].2.shape.verts[instance.vertex] = at;
    }
    gids
}

/// Joins vertices of one primitive that are in the same place, found by sorting along x.
fn join_places(all: &[Instance], tolerance: f64, classes: &mut Classes) {
    let mut from = 0;
    for group in all.chunk_by(|a, b| a.parent == b.parent) {
        let mut order: Vec<usize> = (from..from + group.len()).collect();
        from += group.len();
        order.sort_by(|&a, &b| all[a].at.x.total_cmp(&all[b].at.x).then(a.cmp(&b)));
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[k + 1..] {
                if all[j].at.x - all[i].at.x > tolerance {
                    break;
                }
                // Two vertices of one piece are two, however close.
                if all[i].piece != all[j].piece && all[i].at.distance(all[j].at) <= tolerance {
                    classes.join(i as u32, j as u32);
                }
            }
        }
    }
}

/// The place of each vertex: that of the first one of its class within the tolerance.
fn share_places(all: &[Instance], classes: &mut Classes, tolerance: f64) -> Vec<DVec3> {
    (0..all.len())
        .map(|i| {
            let root = all[classes.find(i as u32) as usize].at;
            if root.distance(all[i].at) <= 2.0 * tolerance {
                root
            } else {
                all[i].at
            }
        })
        .collect()
}

/// The same across primitives, where inner vertices of one class may be in several places.
fn share_across(
    all: &[Instance],
    place: Vec<DVec3>,
    classes: &mut Classes,
    tolerance: f64,
) -> Vec<DVec3> {
    let mut members: Vec<(u32, u32)> = (0..all.len() as u32)
        .map(|i| (classes.find(i), i))
        .collect();
    members.sort_unstable();
    let mut out = place;
    for group in members.chunk_by(|a, b| a.0 == b.0) {
        let mut distinct: Vec<DVec3> = Vec::new();
        for &(_, i) in group {
            let at = out[i as usize];
            match distinct.iter().find(|d| d.distance(at) <= tolerance) {
                Some(known) => out[i as usize] = *known,
                None => distinct.push(at),
            }
        }
    }
    out
}

/// Numbers the classes in the order of their first vertices.
fn number(
    all: &[Instance],
    classes: &mut Classes,
    pieces: usize,
    gid_count: &mut u32,
) -> Vec<Vec<u32>> {
    let mut gids: Vec<Vec<u32>> = vec![Vec::new(); pieces];
    for i in 0..all.len() {
        let root = classes.find(i as u32) as usize;
        let mut fresh = || {
            *gid_count += 1;
            *gid_count - 1
        };
        let gid = match classes.gid[root] {
            Some(gid) => gid,
            None => *classes.gid[root].insert(fresh()),
        };
        let own = &mut gids[all[i].piece];
        // No gid twice in a primitive: the second of two that are as good as one gets its own.
        let gid = if own.contains(&gid) { fresh() } else { gid };
        own.push(gid);
    }
    gids
}
