//! Leaves out triangles that are no triangles, and those that are there already.

use crate::geometry::topology::DisjointSets;

use super::{Draft, edge_key};

/// Leaves out triangles that name a vertex twice.
pub(super) fn drop_degenerate(draft: &mut Draft) {
    let keep: Vec<bool> = draft
        .mesh
        .triangles
        .iter()
        .map(|&[a, b, c]| a != b && b != c && c != a)
        .collect();
    draft.report.degenerate_triangles += keep.iter().filter(|&&k| !k).count();
    draft.retain(&keep);
}

/// Triangles over the same three vertices.
struct Stack {
    key: [u32; 3],
    /// The one that stays if one does.
    chosen: u32,
    /// As many face one way as the other.
    balanced: bool,
}

/// Leaves one triangle of those over the same three vertices, facing as most of them do.
///
/// If as many face either way, they may be the wall between two solids that were put together. Such walls vanish as a
/// whole: where all around the wall the surface goes on without it.
pub(super) fn drop_duplicates(draft: &mut Draft) {
    let mut keyed: Vec<([u32; 3], u32)> = (0u32..)
        .zip(&draft.mesh.triangles)
        .map(|(t, &corners)| (sorted(corners), t))
        .collect();
    keyed.sort_unstable();
    if keyed.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return;
    }
    let stacks: Vec<Stack> = keyed
        .chunk_by(|a, b| a.0 == b.0)
        .map(|stack| {
            let even = |t: u32| is_even(draft.mesh.triangles[t as usize]);
            let even_count = stack.iter().filter(|(_, t)| even(*t)).count();
            let mostly_even = 2 * even_count > stack.len();
            let balanced = 2 * even_count == stack.len();
            let chosen = stack
                .iter()
                .find(|(_, t)| balanced || even(*t) == mostly_even);
            Stack {
                key: stack[0].0,
                chosen: chosen.unwrap_or(&stack[0]).1,
                balanced,
            }
        })
        .collect();
    let vanishes = walls(&stacks);
    let mut keep = vec![false; draft.mesh.triangles.len()];
    for (stack, vanishes) in stacks.iter().zip(vanishes) {
        keep[stack.chosen as usize] = !vanishes;
    }
    draft.report.duplicate_triangles = keep.iter().filter(|&&k| !k).count();
    draft.retain(&keep);
}

/// For each stack whether it is part of a wall between solids.
fn walls(stacks: &[Stack]) -> Vec<bool> {
    let mut sides: Vec<(u64, u32)> = (0u32..)
        .zip(stacks)
        .flat_map(|(number, stack)| {
            let [a, b, c] = stack.key;
            [(a, b), (b, c), (a, c)].map(|(a, b)| (edge_key(a, b), number))
        })
        .collect();
    sides.sort_unstable();
    let balanced = |side: &(u64, u32)| stacks[side.1 as usize].balanced;
    let mut regions = DisjointSets::new(stacks.len());
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let mut of_wall = edge.iter().filter(|s| balanced(s)).map(|s| s.1);
        if let Some(first) = of_wall.next() {
            of_wall.for_each(|other| regions.join(first, other));
        }
    }
    let region = regions.into_labels();
    let mut has_rim = vec![false; stacks.len()];
    let mut needed = vec![false; stacks.len()];
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let walls = edge.iter().filter(|s| balanced(s)).count();
        let others = edge.len() - walls;
        for side in edge.iter().filter(|s| balanced(s)) {
            let region = region[side.1 as usize] as usize;
            if others >= 2 && others % 2 == 0 {
                has_rim[region] = true;
            } else if others > 0 || walls == 1 {
                needed[region] = true;
            }
        }
    }
    (0..stacks.len())
        .map(|s| {
            let region = region[s] as usize;
            stacks[s].balanced && has_rim[region] && !needed[region]
        })
        .collect()
}

fn sorted(mut corners: [u32; 3]) -> [u32; 3] {
    corners.sort_unstable();
    corners
}

/// Whether the corners go up, in the direction of the triangle from its lowest one.
pub(super) fn is_even([a, b, c]: [u32; 3]) -> bool {
    // Of the three steps around, two go up or one does.
    [a < b, b < c, c < a].iter().filter(|&&up| up).count() == 2
}
