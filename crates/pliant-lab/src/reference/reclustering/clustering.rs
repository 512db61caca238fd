//! The clusters of a body at rest: fuzzy c-means with a finite reach (Jones et al. 2015), and two plainer ways to compare with.

use super::kernel::Kernel;
use glam::DVec3;
use pliant::random::{Random, name_key};

/// How centres and members are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// k-means, then weighted memberships and centres in turn until nothing moves.
    #[default]
    Fuzzy,
    /// Balls around random particles that have no cluster yet.
    Random,
    /// k-means, then the balls around its centres.
    KMeansBall,
}

/// What gives way when balls of the wanted number and reach do not cover the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// The number of clusters.
    #[default]
    Count,
    /// Their reach.
    Reach,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clustering {
    /// How.
    pub method: Method,
    /// Weight by distance.
    pub kernel: Kernel,
    /// n_c; not used by [`Method::Random`].
    pub count: usize,
    /// d.
    pub reach: f64,
    /// What gives way.
    pub growth: Growth,
    /// Of the random choices.
    pub seed: u64,
}

/// The clusters that were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Particle and raw weight of each member, by particle.
    pub clusters: Vec<Vec<(usize, f64)>>,
    /// d, which may have grown.
    pub reach: f64,
}

/// Most rounds before the wanted number is given up.
const MAX_ROUNDS: usize = 10_000;
const MIN_ROUNDS: usize = 5;
/// Largest move of a centre that counts as rest, in d.
const REST: f64 = 1e-3;
/// Factor by which the number or the reach grows when balls do not cover the body.
const GROWTH: f64 = 1.25;

impl Clustering {
    /// Finds clusters for particles of mass `m` at `x`; each particle gets at least one.
    pub fn find(&self, x: &[DVec3], m: &[f64]) -> Found {
        let mut asked = *self;
        asked.count = self.count.clamp(1, x.len().max(1));
        match self.method {
            Method::Random => asked.random_balls(x),
            Method::KMeansBall => {
                let centers = k_means(x, asked.count, self.seed);
                let (members, _) = asked.memberships(x, &centers);
                asked.found(members)
            }
            Method::Fuzzy => loop {
                let centers = k_means(x, asked.count, self.seed);
                if let Some(members) = asked.converge(x, m, centers) {
                    return asked.found(members);
                }
                match self.growth {
                    Growth::Count if asked.count < x.len() => {
                        let more = (GROWTH * asked.count as f64).ceil() as usize;
                        asked.count = more.min(x.len());
                    }
                    _ => asked.reach *= GROWTH,
                }
            },
        }
    }

    fn found(&self, clusters: Vec<Vec<(usize, f64)>>) -> Found {
        Found {
            clusters: clusters.into_iter().filter(|c| !c.is_empty()).collect(),
            reach: self.reach,
        }
    }

    /// Memberships and centres in turn; `None` when they do not settle, or settle without covering the body.
    fn converge(
        &self,
        x: &[DVec3],
        m: &[f64],
        mut centers: Vec<DVec3>,
    ) -> Option<Vec<Vec<(usize, f64)>>> {
        let mut counts: Vec<usize> = Vec::new();
        for round in 1..=MAX_ROUNDS {
            let (members, orphans) = self.memberships(x, &centers);
            let moved = move_centers(x, m, &members, &mut centers);
            let new_counts: Vec<usize> = members.iter().map(Vec::len).collect();
            let settled = new_counts == counts && moved <= REST * self.reach && round >= MIN_ROUNDS;
            counts = new_counts;
            if settled {
                return (orphans == 0).then_some(members);
            }
        }
        None
    }

    /// Members of each centre with their raw weights, and how many particles no ball holds. Those join their nearest centre.
    fn memberships(&self, x: &[DVec3], centers: &[DVec3]) -> (Vec<Vec<(usize, f64)>>, usize) {
        let mut members = vec![Vec::new(); centers.len()];
        let mut orphans = 0;
        for (i, x) in x.iter().enumerate() {
            let distances: Vec<f64> = centers.iter().map(|c| c.distance(*x)).collect();
            let mine: Vec<usize> = (0..centers.len())
                .filter(|&c| distances[c] <= self.reach)
                .collect();
            for &c in &mine {
                let others = mine.iter().filter(|&&o| o != c).map(|&o| distances[o]);
                members[c].push((i, self.kernel.weight(distances[c], self.reach, others)));
            }
            if mine.is_empty() {
                orphans += 1;
                members[nearest(*x, centers)].push((i, 1.0));
            }
        }
        (members, orphans)
    }

    fn random_balls(&self, x: &[DVec3]) -> Found {
        let mut covered = vec![false; x.len()];
        let mut centers = Vec::new();
        for i in shuffled(x.len(), [self.seed, name_key("random balls"), 0, 0]) {
            if covered[i] {
                continue;
            }
            centers.push(x[i]);
            for (j, other) in x.iter().enumerate() {
                covered[j] |= other.distance(x[i]) <= self.reach;
            }
        }
        let (members, _) = self.memberships(x, &centers);
        self.found(members)
    }
}

/// Puts each centre at the weighted mean of its members; returns the longest way.
fn move_centers(
    x: &[DVec3],
    m: &[f64],
    members: &[Vec<(usize, f64)>],
    centers: &mut [DVec3],
) -> f64 {
    let mut total = vec![0.0; x.len()];
    for &(i, a) in members.iter().flatten() {
        total[i] += a;
    }
    let mut longest: f64 = 0.0;
    for (center, members) in centers.iter_mut().zip(members) {
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for &(i, a) in members {
            let weight = a / total[i] * m[i];
            sum += x[i] * weight;
            mass += weight;
        }
        if mass > 0.0 {
            longest = longest.max(center.distance(sum / mass));
            *center = sum / mass;
        }
    }
    longest
}

fn nearest(x: DVec3, centers: &[DVec3]) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (c, center) in centers.iter().enumerate() {
        let distance = center.distance_squared(x);
        if distance < best.0 {
            best = (distance, c);
        }
    }
    best.1
}

/// The indices below `count` in a random order that depends on the key alone.
pub(super) fn shuffled(count: usize, key: [u64; 4]) -> Vec<usize> {
    let mut random = Random::new(key);
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.next_below(i as u32 + 1) as usize);
    }
    order
}

/// Centres of k-means from `count` distinct random particles, when no particle changes its centre any more.
fn k_means(x: &[DVec3], count: usize, seed: u64) -> Vec<DVec3> {
    let order = shuffled(x.len(), [seed, name_key("k-means"), 0, 0]);
    let mut centers: Vec<DVec3> = order.iter().take(count).map(|&i| x[i]).collect();
    let mut assigned: Vec<usize> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let new: Vec<usize> = x.iter().map(|x| nearest(*x, &centers)).collect();
        if new == assigned {
            break;
        }
        assigned = new;
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        for (x, &c) in x.iter().zip(&assigned) {
            sums[c].0 += *x;
            sums[c].1 += 1.0;
        }
        for (c, (sum, number)) in sums.into_iter().enumerate() {
            centers[c] = if number > 0.0 {
                sum / number
            } else {
                // An empty cell starts again where its help is needed most.
                farthest(x, &centers, &assigned)
            };
        }
    }
    centers
}

/// The particle farthest from the centre it is assigned to.
fn farthest(x: &[DVec3], centers: &[DVec3], assigned: &[usize]) -> DVec3 {
    let distance = |i: usize| x[i].distance_squared(centers[assigned[i]]);
    let most = (0..x.len()).max_by(|&i, &j| distance(i).total_cmp(&distance(j)));
    most.map_or(DVec3::ZERO, |i| x[i])
}
