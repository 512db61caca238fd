//! What holds a closed soft shell, a tyre or a ball, in its form.
//!
//! A load on a sheet of primitives goes from group to group, one ring an iteration: the finer the sheet the softer it is, and a tyre of
//! thousands of primitives folds up under its car. So a closed shell of many primitives has coarse groups besides, as that of a few hundred
//! primitives would have: cells of about a dozen primitives, each with the cells around it. Departs from \[MCM16 §3.3\], whose groups are a
//! primitive and its neighbours only. A shell that has a hole has none, so a tyre that bursts goes flat; nor has an open sheet, which is to bend.

use super::links::LinkGraph;
use super::primitive::{FaceTag, Primitive};
use crate::oriented::GroupDesc;
use std::collections::VecDeque;

/// Primitives a cell, and most cells: a shell of more primitives has larger cells, and is no softer.
const CELL: usize = 12;
const MOST: usize = 256;
/// Shells of fewer primitives are coarse themselves.
const FEW: usize = 400;

/// Whether the outer faces close: whether every edge is there once in each direction.
fn is_closed(primitives: &[Primitive]) -> bool {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for p in primitives {
        for f in (0..p.faces.rows()).filter(|&f| p.tags[f] == FaceTag::Outer) {
            let row = p.faces.row(f);
            let next = row.iter().cycle().skip(1);
            let gid = |k: &u32| p.gids[*k as usize];
            edges.extend(row.iter().zip(next).map(|(a, b)| (gid(a), gid(b))));
        }
    }
    edges.sort_unstable();
    let is_single = edges.windows(2).all(|e| e[0] != e[1]);
    let has_other = |&(a, b): &(u32, u32)| edges.binary_search(&(b, a)).is_ok();
    !edges.is_empty() && is_single && edges.iter().all(has_other)
}

/// Cells of linked primitives of about the same size: for each primitive its cell, and how many there are. Each new cell begins at the primitive
/// that is the most links away from all before it.
fn cells(graph: &LinkGraph, count: usize, wanted: usize) -> (Vec<u32>, u32) {
    let mut cell = vec![u32::MAX; count];
    let mut hops = vec![u32::MAX; count];
    let mut made = 0;
    let mut queue = VecDeque::new();
    while (made as usize) < wanted {
        // Of those equally far the lowest.
        let seed = (0..count).max_by_key(|&k| (hops[k], std::cmp::Reverse(k)));
        let Some(seed) = seed.filter(|&k| hops[k] > 0) else {
            break;
        };
        (hops[seed], cell[seed]) = (0, made);
        queue.push_back(seed);
        while let Some(k) = queue.pop_front() {
            for (n, _) in graph.neighbors(k as u32) {
                let n = n as usize;
                if hops[k] + 1 < hops[n] {
                    (hops[n], cell[n]) = (hops[k] + 1, made);
                    queue.push_back(n);
                }
            }
        }
        made += 1;
    }
    (cell, made)
}

/// The coarse groups of a shell; none if it is open or has few primitives.
pub(super) fn coarse_groups(
    primitives: &[Primitive],
    graph: &LinkGraph,
    stiffness: f32,
) -> Vec<GroupDesc> {
    let count = primitives.len();
    if count < FEW || !is_closed(primitives) {
        return Vec::new();
    }
    let (cell, made) = cells(graph, count, (count / CELL).min(MOST));
    let mut near: Vec<Vec<u32>> = (0..made).map(|c| vec![c]).collect();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); made as usize];
    for k in 0..count as u32 {
        let own = cell[k as usize];
        // What no cell reached is a piece of its own, left to its rings.
        let Some(own_members) = members.get_mut(own as usize) else {
            continue;
        };
        own_members.push(k);
        for (n, _) in graph.neighbors(k) {
            let other = cell[n as usize];
            if other != u32::MAX {
                near[own as usize].push(other);
            }
        }
    }
    let group = |mut near: Vec<u32>| {
        near.sort_unstable();
        near.dedup();
        let mut particles: Vec<u32> = near
            .iter()
            .flat_map(|&c| members[c as usize].iter().copied())
            .collect();
        particles.sort_unstable();
        GroupDesc {
            particles,
            stiffness,
            joints: Vec::new(),
            lead: None,
            flows: true,
        }
    };
    near.into_iter().map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::super::intake::{IntakeOptions, intake};
    use super::super::links::find_links;
    use super::super::nasty::{cube, sheet};
    use super::super::polygons::PolygonMesh;
    use super::*;

    fn shell(mesh: &PolygonMesh) -> (Vec<Primitive>, LinkGraph) {
        let options = IntakeOptions {
            thickness: vec![0.01],
            detect_convex: false,
            ..IntakeOptions::default()
        };
        let all = intake(mesh, &options).unwrap().primitives;
        let graph = find_links(&all);
        (all, graph)
    }

    /// A shell is closed, one with a hole and a sheet are not.
    #[test]
    fn closed() {
        let (all, _) = shell(&cube(0.0, 1.0));
        assert_eq!(all.len(), 6);
        assert!(is_closed(&all) && !is_closed(&all[1..]) && !is_closed(&[]));
        assert!(!is_closed(&shell(&sheet(3, 3, 0.1)).0));
    }

    /// Cells hold every primitive once and are connected; those of a sheet of 30 × 30 are near a dozen each.
    #[test]
    fn cells_of_a_sheet() {
        let (all, graph) = shell(&sheet(30, 30, 0.1));
        let (cell, made) = cells(&graph, all.len(), all.len() / CELL);
        assert_eq!(made, 75);
        let mut sizes = vec![0; made as usize];
        for &c in &cell {
            sizes[c as usize] += 1;
        }
        assert!(sizes.iter().all(|s| (4..=36).contains(s)), "{sizes:?}");
        // Asked for more cells than there are primitives, each is one.
        assert_eq!(cells(&graph, all.len(), 5000).1, 900);
        assert!(coarse_groups(&all, &graph, 1.0).is_empty());
    }
}
