//! Hanging a mesh on oriented particles \[MC11\].

use super::OrientedDesc;
use crate::state::{SKIN_INFLUENCES, Skin, Skinned, Surface};
use glam::Vec3;
use rayon::prelude::*;

/// Where weights end if there is no particle beyond those that carry a vertex, in the distance of the farthest.
const BEYOND: f32 = 1.5;

/// Hangs the mesh of a body on its particles, the first of which is point `first`.
///
/// A vertex hangs on the nearest of the particle that it belongs to and those that are connected to it; the distance is measured in the
/// particle's semi-axes, so a long one carries what is beside it. Weights (1 − (d/d′)²)², with d′ the distance of the nearest one that carries it no
/// more, vanish where a particle stops to carry: the skin has no seams.
pub(crate) fn bind(desc: &OrientedDesc, first: usize) -> Surface {
    if desc.mesh.triangles.is_empty() {
        return Surface::None;
    }
    let count = desc.particles.len() as u32;
    let mut ring: Vec<Vec<u32>> = (0..count).map(|i| vec![i]).collect();
    for &[a, b] in &desc.edges {
        ring[a as usize].push(b);
        ring[b as usize].push(a);
    }
    let all: Vec<u32> = (0..count).collect();
    let near = |vertex: usize| match desc.home.get(vertex) {
        Some(&home) => &ring[home as usize],
        None => &all,
    };
    let hang = |(vertex, y): (usize, &Vec3)| hang(desc, near(vertex), *y, first);
    let positions = &desc.mesh.positions;
    Surface::Skinned(Skinned {
        rest: positions.clone(),
        skin: positions.par_iter().enumerate().map(hang).collect(),
        mesh: desc.mesh.clone(),
    })
}

/// Hangs the place `y` on the nearest of `near`.
fn hang(desc: &OrientedDesc, near: &[u32], y: Vec3, first: usize) -> Skin {
    let distance = |&i: &u32| {
        let particle = &desc.particles[i as usize];
        ((particle.axes.conjugate() * (y - particle.x)) / particle.radii).length()
    };
    let mut near: Vec<(f32, u32)> = near.iter().map(|i| (distance(i), *i)).collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let carriers = &near[..near.len().min(SKIN_INFLUENCES)];
    let end = match near.get(SKIN_INFLUENCES) {
        Some(next) => next.0,
        None => BEYOND * carriers[carriers.len() - 1].0,
    };
    let raw = |d: f32| {
        let share = (1.0 - (d / end).powi(2)).max(0.0);
        share * share
    };
    let total: f32 = carriers.iter().map(|c| raw(c.0)).sum();
    let mut skin = Skin {
        point: [first as u32 + carriers[0].1; SKIN_INFLUENCES],
        ..Skin::default()
    };
    for (a, &(d, i)) in carriers.iter().enumerate() {
        skin.point[a] = first as u32 + i;
        skin.weight[a] = raw(d) / total;
        skin.local[a] = y - desc.particles[i as usize].x;
    }
    // All at the same distance, or right on a particle.
    if !(total > 0.0 && skin.weight.iter().all(|w| w.is_finite())) {
        skin.weight = [1.0, 0.0, 0.0, 0.0];
    }
    skin
}
