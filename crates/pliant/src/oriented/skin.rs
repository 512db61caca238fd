//! Hanging a mesh on oriented particles \[MC11\].

use super::OrientedDesc;
use crate::state::{Carriers, Hanging, SKIN_INFLUENCES, Skinned, Surface};
use glam::Vec3;
use rayon::prelude::*;

/// Where weights end if there is no particle beyond those that carry a vertex, in the distance of the farthest.
const BEYOND: f32 = 1.5;

/// Hangs the mesh of a body on its particles, the first of which is point `first`.
///
/// A vertex hangs on the nearest among the particles around the one that it belongs to: those of its group, of theirs, and farther ones if
/// these are too few. At the end of a rope they are, and weights would jump from one particle's vertices to the next one's. Others are not
/// asked, or parts that lie side by side would pull at each other's skins. Distances are measured in the particles' semi-axes, so a long one
/// carries what is beside it. Weights (1 − (d/d′)²)², with d′ the distance of the nearest one that carries it no more, vanish where a
/// particle stops to carry: the skin has no seams.
pub(crate) fn bind(desc: &OrientedDesc, first: usize) -> Surface {
    if desc.mesh.triangles.is_empty() {
        return Surface::None;
    }
    let around = around(desc);
    let turning = |i: &u32| desc.particles[*i as usize].turns;
    let all: Vec<u32> = (0..desc.particles.len() as u32).filter(turning).collect();
    let hang = |(vertex, &y): (usize, &Vec3)| {
        let home = match desc.home.get(vertex) {
            Some(&home) => home,
            None => nearest(desc, &all, y),
        };
        hang(desc, &around[home as usize], y, first)
    };
    let positions = &desc.mesh.positions;
    Surface::Skinned(Box::new(Skinned {
        rest: positions.clone(),
        carriers: positions.par_iter().enumerate().map(hang).collect(),
        mesh: desc.mesh.clone(),
        hanging: Hanging::Motions(desc.blend),
    }))
}

/// For each particle those that may carry what belongs to it: one more than do, if there are so many.
fn around(desc: &OrientedDesc) -> Vec<Vec<u32>> {
    let count = desc.particles.len() as u32;
    let mut ring: Vec<Vec<u32>> = (0..count).map(|i| vec![i]).collect();
    for group in desc.all_groups() {
        if let Some(lead) = group.lead {
            let turning = |i: &u32| desc.particles[*i as usize].turns;
            let members = group.particles.into_iter().filter(turning);
            ring[lead as usize].extend(members);
        }
    }
    let wider = |own: &[u32]| {
        let mut wider: Vec<u32> = own.iter().flat_map(|&i| ring[i as usize].clone()).collect();
        wider.sort_unstable();
        wider.dedup();
        wider
    };
    let enough = |own: &Vec<u32>| {
        let mut near = wider(own);
        while near.len() <= SKIN_INFLUENCES {
            let more = wider(&near);
            if more.len() == near.len() {
                break;
            }
            near = more;
        }
        near
    };
    ring.iter().map(enough).collect()
}

/// How far `y` is from a particle, in its semi-axes.
fn distance(desc: &OrientedDesc, i: u32, y: Vec3) -> f32 {
    let particle = &desc.particles[i as usize];
    ((particle.axes.conjugate() * (y - particle.x)) / particle.radii).length()
}

/// The particle of `among` that is nearest to `y`; the first if there is none.
fn nearest(desc: &OrientedDesc, among: &[u32], y: Vec3) -> u32 {
    let far = |i: &u32| distance(desc, *i, y);
    let nearest = among.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
    nearest.copied().unwrap_or(0)
}

/// Hangs the place `y` on the nearest of `near`.
fn hang(desc: &OrientedDesc, near: &[u32], y: Vec3, first: usize) -> Carriers {
    let mut near: Vec<(f32, u32)> = near.iter().map(|&i| (distance(desc, i, y), i)).collect();
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
    let mut skin = Carriers {
        point: [first as u32 + carriers[0].1; SKIN_INFLUENCES],
        ..Carriers::default()
    };
    for (a, &(d, i)) in carriers.iter().enumerate() {
        skin.point[a] = first as u32 + i;
        skin.weight[a] = raw(d) / total;
    }
    // All at the same distance, or right on a particle.
    if !(total > 0.0 && skin.weight.iter().all(|w| w.is_finite())) {
        skin.weight = [1.0, 0.0, 0.0, 0.0];
    }
    skin
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use crate::oriented::Particle;

    /// Along a rod from end to end weights change little from vertex to vertex: no skin is torn where the next particle begins.
    #[test]
    fn rods_have_no_seams() {
        const FINE: usize = 50;
        for count in 2..9usize {
            let particles = (0..count).map(|i| Particle::ball(Vec3::X * i as f32, 0.5, 1.0));
            let edges = (1..count as u32).map(|i| [i - 1, i]).collect();
            let mut desc = OrientedDesc::new("rod", particles.collect(), edges);
            let places = (0..=FINE * (count - 1)).map(|k| k as f32 / FINE as f32);
            desc.mesh = Mesh {
                positions: places.map(|x| Vec3::new(x, 0.4, 0.0)).collect(),
                triangles: vec![[0, 1, 2]],
                ..Mesh::default()
            };
            let Surface::Skinned(skinned) = bind(&desc, 0) else {
                panic!("a mesh is a skin");
            };
            let weights = |skin: &Carriers| {
                let mut all = vec![0.0f32; count];
                for (i, w) in skin.point.iter().zip(skin.weight) {
                    all[*i as usize] += w;
                }
                all
            };
            for pair in skinned.carriers.windows(2) {
                let [a, b] = [weights(&pair[0]), weights(&pair[1])];
                let most = a.iter().zip(&b).map(|(a, b)| (a - b).abs());
                let most = most.fold(0.0, f32::max);
                assert!(most < 0.05, "{count} particles: weights jump by {most}");
            }
        }
    }
}
