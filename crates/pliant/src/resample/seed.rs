//! New particles where rest shapes have been stretched [CMM16 §3.3.2].

use super::cloud::Cloud;
use super::{Context, Scratch};
use crate::random::Random;
use glam::Vec3;
use rayon::prelude::*;
use std::collections::HashMap;

/// Adds particles; returns whether the limit kept any out.
pub(super) fn seed(cloud: &mut Cloud, context: &Context, scratch: &Scratch) -> bool {
    let sources = sources(cloud, context);
    if sources.is_empty() {
        return false;
    }
    // What can be judged place by place, in parallel.
    let places: Vec<(u32, Vec3)> = sources
        .par_iter()
        .with_min_len(64)
        .flat_map_iter(|&i| {
            let cloud = &*cloud;
            (0..cloud.settings.attempts).filter_map(move |attempt| {
                let place = around(cloud, context, i, attempt);
                let free = !scratch
                    .near
                    .any_within(place, cloud.r, |j| cloud.alive[j as usize]);
                (free
                    && cloud.inside(scratch, place, cloud.piece[i as usize])
                    && outside_colliders(context, place))
                .then_some((i, place))
            })
        })
        .collect();
    // One after the other, by id: those that are taken now keep others away.
    let mut taken = Taken::new(cloud.r);
    let mut alive = cloud.alive.iter().filter(|a| **a).count();
    for (i, place) in places {
        if !taken.is_free(place) {
            continue;
        }
        if alive >= cloud.settings.max_particles {
            return true;
        }
        taken.add(place);
        alive += 1;
        cloud.add(i, place, cloud.piece[i as usize]);
    }
    false
}

/// Old particles of groups that flow and have flowed far, ascending.
fn sources(cloud: &Cloud, context: &Context) -> Vec<u32> {
    let (groups, first) = (context.groups, cloud.body.points.start);
    let settings = &cloud.settings;
    let mut seeds = vec![false; cloud.old];
    for k in cloud.body.groups.clone() {
        let norm = super::groups::norm(groups.f_p[k]);
        if norm > settings.seed_strain && (norm - groups.last_norm[k]).abs() > settings.least_flow {
            for (i, _) in groups.members(k) {
                seeds[i as usize - first] = true;
            }
        }
    }
    (0..cloud.old as u32)
        .filter(|&i| seeds[i as usize] && cloud.alive[i as usize])
        .collect()
}

/// A random place in the shell between r and 2r around a particle.
fn around(cloud: &Cloud, context: &Context, i: u32, attempt: u64) -> Vec3 {
    let id = context.points.id[cloud.body.points.start + i as usize];
    let mut random =
        Random::with_attempt([context.seed, cloud.key, context.frame, id], 1 + attempt);
    let radius = cloud.r * libm::cbrtf(1.0 + 7.0 * random.next_f32());
    cloud.x[i as usize] + radius * random.next_direction()
}

fn outside_colliders(context: &Context, p: Vec3) -> bool {
    context.placed.iter().all(|placed| {
        let found = placed.distance_normal(placed.end.invert(p), 0.0);
        found.is_none_or(|(d, _)| d >= 0.0)
    })
}

/// Places that were taken in this frame.
struct Taken {
    distance: f32,
    cells: HashMap<[i32; 3], Vec<Vec3>>,
}

impl Taken {
    fn new(distance: f32) -> Self {
        Self {
            distance,
            cells: HashMap::new(),
        }
    }

    fn cell(&self, p: Vec3) -> [i32; 3] {
        (p / self.distance).floor().as_ivec3().to_array()
    }

    fn is_free(&self, p: Vec3) -> bool {
        let [x, y, z] = self.cell(p);
        let limit = self.distance * self.distance;
        (-1..=1).all(|dx| {
            (-1..=1).all(|dy| {
                (-1..=1).all(|dz| {
                    let cell = [
                        x.saturating_add(dx),
                        y.saturating_add(dy),
                        z.saturating_add(dz),
                    ];
                    let there = self.cells.get(&cell);
                    there.is_none_or(|t| t.iter().all(|q| q.distance_squared(p) >= limit))
                })
            })
        })
    }

    fn add(&mut self, p: Vec3) {
        self.cells.entry(self.cell(p)).or_default().push(p);
    }
}
