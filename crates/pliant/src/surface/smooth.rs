//! What flows loses its roughness.
//!
//! Particles carry no detail finer than their distance; after much flow, each vertex has a history of its own, and the surface would be
//! rough as bark. Vertices that stand out from their neighbours go back towards them, by as much as the material flowed. What is at
//! rest, or only bends, keeps every detail.

use super::closed_mesh::{ClosedMesh, MOVED, NONE};
use glam::Vec3;
use rayon::prelude::*;

/// Share of its roughness that a vertex loses for a plastic strain of one.
const RATE: f32 = 20.0;
/// Largest share in a frame.
const MOST: f32 = 0.5;
/// How far a vertex may stand out from its neighbours, as part of the mean distance to them: round things are not rough.
const FREE: f32 = 0.1;

/// Moves the vertices that stand out, along their normals, so that textures stay where they are. `flow` tells the plastic strain of this
/// frame at a vertex.
pub(crate) fn smooth(mesh: &mut ClosedMesh, flow: impl Fn(u32) -> f32 + Sync) {
    let moves: Vec<(u32, Vec3)> = (0..mesh.x.len() as u32)
        .into_par_iter()
        .with_min_len(512)
        .filter(|&v| mesh.out[v as usize] != NONE)
        .filter_map(|v| {
            let share = (RATE * flow(v)).min(MOST);
            if share < 1e-3 {
                return None;
            }
            step(mesh, v, share).map(|to| (v, to))
        })
        .collect();
    for (v, to) in moves {
        mesh.x[v as usize] = to;
        mesh.vertex_flags[v as usize] |= MOVED;
    }
}

/// Where vertex `v` goes.
fn step(mesh: &ClosedMesh, v: u32, share: f32) -> Option<Vec3> {
    let x = mesh.x[v as usize];
    let (mut normal, mut middle, mut length, mut count) = (Vec3::ZERO, Vec3::ZERO, 0.0, 0.0);
    let first = mesh.ring(v).next()?;
    let mut last = mesh.x[mesh.target(first) as usize] - x;
    let begin = last;
    for h in mesh.ring(v).skip(1) {
        let edge = mesh.x[mesh.target(h) as usize] - x;
        normal += last.cross(edge);
        middle += last;
        length += last.length();
        count += 1.0;
        last = edge;
    }
    normal += last.cross(begin);
    middle += last;
    length += last.length();
    count += 1.0;
    let normal = normal.normalize_or_zero();
    let out = normal.dot(middle) / count;
    let free = FREE * length / count;
    let excess = if out > free {
        out - free
    } else if out < -free {
        out + free
    } else {
        return None;
    };
    let to = x + normal * (share * excess);
    to.is_finite().then_some(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::testing;

    /// A spike goes back into the surface where it flows, and stays where it does not.
    #[test]
    fn spikes_go_where_it_flows() {
        let mut mesh = ClosedMesh::new(&testing::sphere(8)).unwrap();
        let round = mesh.x.clone();
        mesh.x[0] *= 1.3;
        let spiky = mesh.x.clone();
        smooth(&mut mesh, |_| 0.0);
        assert_eq!(mesh.x, spiky);
        for _ in 0..20 {
            smooth(&mut mesh, |_| 0.05);
        }
        assert!(mesh.x[0].length() < 1.07, "{}", mesh.x[0].length());
        let moved = mesh.x.iter().zip(&round).skip(1);
        let most = moved.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(most < 0.1, "what is around it hardly moves: {most}");
    }
}
