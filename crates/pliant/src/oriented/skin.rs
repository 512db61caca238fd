//! Hanging a mesh on oriented particles \[MC11\].

use super::OrientedDesc;
use crate::state::{Carriers, Hanging, SKIN_INFLUENCES, Skinned, Surface};
use glam::Vec3;
use rayon::prelude::*;

/// Where weights end if there is no particle beyond those that carry a vertex, in the distance of the farthest.
const BEYOND: f32 = 1.5;
/// Shortest semi-axis that distances are measured by, in the longest.
const FLAT: f32 = 0.6;

/// Hangs the mesh of a body on its particles, the first of which is point `first`.
///
/// A vertex hangs on the nearest among the particles around the one that it belongs to: those of its group, of theirs, and farther ones if
/// these are too few. At the end of a rope they are, and weights would jump from one particle's vertices to the next one's. Others are not
/// asked, or parts that lie side by side would pull at each other's skins. Distances are measured in the particles' semi-axes, so a long one
/// carries what is beside it. Four carry a vertex, or eight: in a solid about as many particles are equally far from a place, and with four
/// their weights would change completely within a tenth of that. Weights (1 − (d/d′)²)², with d′ the distance of the nearest one that carries it no more, vanish where a
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
    let count = carriers(desc);
    let positions = &desc.mesh.positions;
    let hung = positions.par_iter().enumerate().map(hang);
    let (carriers, more): (Vec<Carriers>, Vec<Carriers>) = hung.unzip();
    Surface::Skinned(Box::new(Skinned {
        rest: positions.clone(),
        carriers,
        more: if count > SKIN_INFLUENCES {
            more
        } else {
            Vec::new()
        },
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
    let count = carriers(desc);
    let enough = |own: &Vec<u32>| {
        let mut near = wider(own);
        while near.len() <= count {
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
    // Beside a flat one distances would change too fast.
    let radii = particle.radii;
    let radii = radii.max(Vec3::splat(FLAT * radii.max_element()));
    ((particle.axes.conjugate() * (y - particle.x)) / radii).length()
}

/// The particle of `among` that is nearest to `y`; the first if there is none.
fn nearest(desc: &OrientedDesc, among: &[u32], y: Vec3) -> u32 {
    let far = |i: &u32| distance(desc, *i, y);
    let nearest = among.iter().min_by(|a, b| far(a).total_cmp(&far(b)));
    nearest.copied().unwrap_or(0)
}

/// How many particles carry a vertex.
fn carriers(desc: &OrientedDesc) -> usize {
    if desc.many_carriers {
        2 * SKIN_INFLUENCES
    } else {
        SKIN_INFLUENCES
    }
}

/// Hangs the place `y` on the nearest of `near`: the first four, and four more.
fn hang(desc: &OrientedDesc, near: &[u32], y: Vec3, first: usize) -> (Carriers, Carriers) {
    let mut near: Vec<(f32, u32)> = near.iter().map(|&i| (distance(desc, i, y), i)).collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = carriers(desc);
    let own = &near[..near.len().min(count)];
    let end = match near.get(count) {
        Some(next) => next.0,
        None => BEYOND * own[own.len() - 1].0,
    };
    let raw = |d: f32| {
        let share = (1.0 - (d / end).powi(2)).max(0.0);
        share * share
    };
    let total: f32 = own.iter().map(|c| raw(c.0)).sum();
    let blank = Carriers {
        point: [first as u32 + own[0].1; SKIN_INFLUENCES],
        ..Carriers::default()
    };
    let mut skins = [blank; 2];
    for (a, &(d, i)) in own.iter().enumerate() {
        let (skin, a) = (&mut skins[a / SKIN_INFLUENCES], a % SKIN_INFLUENCES);
        skin.point[a] = first as u32 + i;
        skin.weight[a] = raw(d) / total;
    }
    let mut weights = skins.iter().flat_map(|skin| skin.weight);
    // All at the same distance, or right on a particle.
    if !(total > 0.0 && weights.all(f32::is_finite)) {
        skins[0].weight = [1.0, 0.0, 0.0, 0.0];
        skins[1].weight = [0.0; 4];
    }
    let [skin, more] = skins;
    (skin, more)
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

    /// Amid a block of particles weights change by little from one place to the next if eight carry a vertex; of four, many are equally far, and
    /// weights leap.
    #[test]
    fn blocks_have_no_leaps() {
        const FINE: usize = 50;
        let leap = |many: bool| {
            let place = |i: u32| Vec3::new((i % 5) as f32, (i / 5 % 5) as f32, (i / 25) as f32);
            let particles = (0..125).map(|i| Particle::ball(place(i), 0.5, 1.0));
            let mut edges = Vec::new();
            for i in 0..125 {
                let near = (0..i).filter(|&j| place(i).distance(place(j)) < 1.8);
                edges.extend(near.map(|j| [j, i]));
            }
            let mut desc = OrientedDesc::new("block", particles.collect(), edges);
            desc.many_carriers = many;
            let along = (0..=4 * FINE).map(|k| k as f32 / FINE as f32);
            desc.mesh = Mesh {
                positions: along.map(|x| Vec3::new(x, 2.53, 2.48)).collect(),
                triangles: vec![[0, 1, 2]],
                ..Mesh::default()
            };
            let Surface::Skinned(skinned) = bind(&desc, 0) else {
                panic!("a mesh is a skin");
            };
            let weights = |v: usize| {
                let mut all = [0.0f32; 125];
                for skin in skinned
                    .carriers
                    .get(v)
                    .into_iter()
                    .chain(skinned.more.get(v))
                {
                    for (i, w) in skin.point.iter().zip(skin.weight) {
                        all[*i as usize] += w;
                    }
                }
                assert!((all.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                all
            };
            let change = |v: usize| {
                let pairs = weights(v - 1).into_iter().zip(weights(v));
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            };
            (1..=4 * FINE).map(change).fold(0.0, f32::max)
        };
        let (eight, four) = (leap(true), leap(false));
        assert!(eight < 0.02, "weights leap by {eight}");
        assert!(four > 2.0 * eight, "four carry it as well: {four}");
    }
}
