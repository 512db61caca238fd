//! Dents: where the primitives of a body that keeps its shape are after a hit has pushed some of them in \[MCM16 §3.5\].
//!
//! Primitives that were pushed stay where they were pushed to; what a joint holds stays where it is; all others are let go until they are at
//! rest, by oriented shape matching without velocities. The shape that is matched is that after the last dent: matched to the undeformed one,
//! older dents would spring back with every new one.
//!
//! What is far from a hit does not feel it. Rings of linked primitives are let go around those that were pushed, as long as they are not too
//! many, and what is beyond does not move. Of a body that is let go as a whole, and that no joint holds, the last ring stays where it is:
//! it is held by its inertia. If it is too small for that, what has moved of it as a whole is taken back; that is no dent.
//!
//! | symbol | meaning |
//! |---|---|
//! | x, R | place of a primitive, and its turn since the last dent |
//! | x̃ | place after the last dent |
//! | a | moment of a primitive: a ball of its radius, m r²/5, for density 1 (m⁵) |
//! | A | Σ a R + m (x − c)(x̃ − c̃)ᵀ over a primitive and its neighbours |

pub use imprint::{Blow, imprint};

use super::body::tame;
use super::links::LinkGraph;
use super::primitive::Primitive;
use super::welded::Pose;
use crate::math::rotation::rotation_near;
use crate::math::svd::polar_rotation;
use crate::state::Csr;
use glam::{Mat3, Quat, Vec3};

/// How dents are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DentOptions {
    /// Passes over the primitives that are let go.
    pub sweeps: u32,
    /// About how many primitives are let go at most.
    pub region: usize,
    /// Farthest way of a primitive in all, in thicknesses. One hit may use it up: it is over within a frame, so half a thickness a step,
    /// with which contacts that last would add up, is all that it would ever get.
    pub most: f32,
}

impl Default for DentOptions {
    fn default() -> Self {
        Self {
            sweeps: 20,
            region: 1500,
            most: 5.0,
        }
    }
}

/// What a primitive moves less than this share of the farthest push is left out.
const UNFELT: f32 = 1e-3;

/// How much farther than to its goal a primitive goes in a sweep: over-relaxation, so that a dent is as wide in twenty sweeps as in forty.
const EAGER: f32 = 1.5;

/// Rings around a hit from which on the last one holds a body that nothing else holds.
const RINGS: usize = 4;

/// Primitives near a hit, numbered by their distance from it.
struct Region {
    /// The primitives: those that are let go, ring by ring, then the border.
    all: Vec<u32>,
    /// How many are not border.
    inner: usize,
    /// Where the last ring begins.
    last_ring: usize,
    /// How many rings there are.
    rings: usize,
    /// For each that is not border, itself and its neighbours, in numbers of the region.
    groups: Csr,
}

impl Region {
    fn new(graph: &LinkGraph, seeds: &[u32], most: usize) -> Self {
        let count = graph.adjacency.rows();
        let mut number = vec![u32::MAX; count];
        let mut all: Vec<u32> = Vec::new();
        let mut take = |all: &mut Vec<u32>, p: u32| {
            if number[p as usize] == u32::MAX {
                number[p as usize] = all.len() as u32;
                all.push(p);
            }
        };
        for &p in seeds {
            take(&mut all, p);
        }
        let (mut from, mut rings) = (0, 1);
        let mut last_ring = 0;
        // A ring more than are let go: the border.
        loop {
            let to = all.len();
            for k in from..to {
                for (q, _) in graph.neighbors(all[k]) {
                    take(&mut all, q);
                }
            }
            let is_whole = all.len() == to;
            if is_whole || (all.len() > most && rings > 2) {
                let mut groups = Csr::default();
                for (k, &p) in (0u32..).zip(&all[..to]) {
                    let others = graph.neighbors(p).map(|(q, _)| number[q as usize]);
                    groups.push(std::iter::once(k).chain(others));
                }
                return Self {
                    all,
                    inner: to,
                    last_ring,
                    rings,
                    groups,
                };
            }
            (from, last_ring) = (to, to);
            rings += 1;
        }
    }

    fn has_border(&self) -> bool {
        self.inner < self.all.len()
    }
}

/// Places of the primitives of a region.
struct Places {
    /// Mass for density 1, and moment.
    mass: Vec<[f32; 2]>,
    x: Vec<Vec3>,
    last: Vec<Vec3>,
    turn: Vec<Quat>,
    turned: Vec<Mat3>,
    held: Vec<bool>,
}

/// Where a primitive and its neighbours are together.
struct Group {
    /// One over their mass.
    share: f32,
    /// Their centre after the last dent, and how far it has moved since.
    last: Vec3,
    moved: Vec3,
    /// How they have turned since.
    turn: Quat,
    rotation: Mat3,
}

/// Mass and moment of a primitive of density 1.
fn mass_and_moment(p: &Primitive) -> [f32; 2] {
    let mass = p.volume.max(f32::MIN_POSITIVE);
    [mass, 0.2 * mass * p.radius * p.radius]
}

/// Pushes primitives and lets those around them go; returns which have moved or changed their shape, ascending.
///
/// `rest` are the places of all primitives in body axes, which are changed; `pushes` which primitives a hit pushes, and how far (m); `held`
/// which do not move, for a joint holds them; `dented` how far each has moved in all (m).
pub fn dent(
    primitives: &[Primitive],
    graph: &LinkGraph,
    rest: &mut [Pose],
    pushes: &[(u32, Vec3)],
    held: &[bool],
    dented: &mut [f32],
    options: &DentOptions,
) -> Vec<u32> {
    let pushed = pushed(primitives, pushes, held, dented, options);
    let farthest = pushed.iter().map(|x| x.1.length()).fold(0.0, f32::max);
    if farthest == 0.0 {
        return Vec::new();
    }
    let seeds: Vec<u32> = pushed.iter().map(|x| x.0).collect();
    let region = Region::new(graph, &seeds, options.region);
    let at = |f: &dyn Fn(usize) -> Vec3| region.all.iter().map(|&p| f(p as usize)).collect();
    let mut places = Places {
        mass: region
            .all
            .iter()
            .map(|&p| mass_and_moment(&primitives[p as usize]))
            .collect(),
        x: at(&|p| rest[p].x),
        last: at(&|p| rest[p].x),
        turn: vec![Quat::IDENTITY; region.all.len()],
        turned: vec![Mat3::IDENTITY; region.all.len()],
        held: region.all.iter().map(|&p| held[p as usize]).collect(),
    };
    for (k, (_, push)) in pushed.iter().enumerate() {
        places.x[k] += *push;
    }
    let is_free = !region.has_border() && !places.held.contains(&true);
    if is_free && region.rings >= RINGS {
        places.held[region.last_ring..].fill(true);
    }
    places.relax(&region, &pushed, options.sweeps, farthest);
    if is_free && region.rings < RINGS {
        places.take_back_rigid_motion();
    }
    places.settle(primitives, graph, &region, rest, dented, farthest)
}

/// How far each primitive is pushed: the farthest push of each, within bounds; ascending.
fn pushed(
    primitives: &[Primitive],
    pushes: &[(u32, Vec3)],
    held: &[bool],
    dented: &[f32],
    options: &DentOptions,
) -> Vec<(u32, Vec3)> {
    let mut out: Vec<(u32, Vec3)> = pushes
        .iter()
        .filter(|(p, d)| d.is_finite() && !held[*p as usize])
        .map(|&(p, d)| {
            let t = primitives[p as usize].thickness;
            let left = (options.most * t - dented[p as usize]).max(0.0);
            (p, d.clamp_length_max(left))
        })
        .filter(|(_, d)| *d != Vec3::ZERO)
        .collect();
    out.sort_by(|a, b| {
        let size = |d: Vec3| d.length_squared();
        a.0.cmp(&b.0).then(size(b.1).total_cmp(&size(a.1)))
    });
    out.dedup_by_key(|x| x.0);
    out
}

impl Places {
    /// Lets go what is not held; the first ones, which were `pushed`, turn, and at most go on in the direction in which they were pushed: what
    /// pushed them is there.
    ///
    /// Each group is placed as its primitives have moved, and each primitive goes to the mean of where the groups that it is in would have
    /// it. Were it only put into its own group, a sheet would give way like a skin, to a cusp; so it is bent.
    fn relax(&mut self, region: &Region, pushed: &[(u32, Vec3)], sweeps: u32, farthest: f32) {
        let from: Vec<Vec3> = self.x[..pushed.len()].to_vec();
        let mut groups: Vec<Group> = region
            .groups
            .iter()
            .map(|group| self.group(group))
            .collect();
        for sweep in 0..sweeps {
            let mut most: f32 = 0.0;
            for k in 0..region.inner {
                // Outwards and back again.
                let i = if sweep % 2 == 0 {
                    k
                } else {
                    region.inner - 1 - k
                };
                let ring = region.groups.row(i);
                self.place_group(&mut groups[i], ring);
                if self.held[i] {
                    continue;
                }
                self.turn[i] = groups[i].turn;
                self.turned[i] = groups[i].rotation;
                let mut way = Vec3::ZERO;
                for &j in ring {
                    // The border's groups have not moved.
                    way += groups.get(j as usize).map_or(Vec3::ZERO, |g| {
                        let s = self.last[i] - g.last;
                        g.moved + (g.rotation * s - s)
                    });
                }
                let goal = self.last[i] + way / ring.len() as f32;
                let mut step = (goal - self.x[i]) * EAGER;
                if let Some((_, push)) = pushed.get(i) {
                    let n = push.normalize_or_zero();
                    let on = n.dot(self.x[i] - from[i]);
                    step = n * (n.dot(step)).max(-on);
                }
                if step.is_finite() {
                    most = most.max(step.length_squared());
                    self.x[i] += step;
                }
            }
            if most.sqrt() < 0.1 * UNFELT * farthest {
                break;
            }
        }
    }

    /// A primitive and its neighbours after the last dent.
    fn group(&self, ring: &[u32]) -> Group {
        let mass: f32 = ring.iter().map(|&j| self.mass[j as usize][0]).sum();
        let first = |&j: &u32| self.last[j as usize] * self.mass[j as usize][0];
        Group {
            share: 1.0 / mass,
            last: ring.iter().map(first).sum::<Vec3>() / mass,
            moved: Vec3::ZERO,
            turn: Quat::IDENTITY,
            rotation: Mat3::IDENTITY,
        }
    }

    /// Places a group as its primitives have moved.
    fn place_group(&self, group: &mut Group, ring: &[u32]) {
        let (mut a, mut moved) = (Mat3::ZERO, Vec3::ZERO);
        for &j in ring {
            let j = j as usize;
            let [mass, moment] = self.mass[j];
            moved += (self.x[j] - self.last[j]) * mass;
            let (x, s) = (self.x[j] - group.last, self.last[j] - group.last);
            let x = x * mass;
            a += self.turned[j] * moment + Mat3::from_cols(x * s.x, x * s.y, x * s.z);
        }
        let (turn, _) = rotation_near(a, group.turn);
        if turn.is_finite() {
            group.turn = turn;
            group.rotation = Mat3::from_quat(turn);
        }
        group.moved = moved * group.share;
    }

    /// Takes back what all have moved and turned together.
    fn take_back_rigid_motion(&mut self) {
        let (mut mass, mut now, mut then) = (0.0, Vec3::ZERO, Vec3::ZERO);
        for (k, [m, _]) in self.mass.iter().enumerate() {
            mass += m;
            now += self.x[k] * *m;
            then += self.last[k] * *m;
        }
        let (now, then) = (now / mass, then / mass);
        let mut a = Mat3::ZERO;
        for (k, &[m, moment]) in self.mass.iter().enumerate() {
            let (x, s) = ((self.x[k] - now) * m, self.last[k] - then);
            a += self.turned[k] * moment + Mat3::from_cols(x * s.x, x * s.y, x * s.z);
        }
        let (turn, _) = rotation_near(a, Quat::IDENTITY);
        let back = turn.conjugate();
        for k in 0..self.x.len() {
            self.x[k] = back * (self.x[k] - now) + then;
            self.turn[k] = (back * self.turn[k]).normalize();
        }
    }

    /// Writes places, and deformations of all that has moved or has a neighbour that has.
    fn settle(
        &self,
        primitives: &[Primitive],
        graph: &LinkGraph,
        region: &Region,
        rest: &mut [Pose],
        dented: &mut [f32],
        farthest: f32,
    ) -> Vec<u32> {
        // Whole turns since the undeformed shape, of the region and the neighbours of its border; others do not matter to its deformations.
        let mut turns: Vec<Option<Mat3>> = vec![None; primitives.len()];
        let mut moved = vec![false; primitives.len()];
        for (k, &p) in region.all.iter().enumerate() {
            let p = p as usize;
            let way = (self.x[k] - self.last[k]).length();
            let before = polar_rotation(rest[p].d);
            turns[p] = Some(before);
            if self.held[k] || k >= region.inner || !way.is_finite() || way < UNFELT * farthest {
                continue;
            }
            rest[p].x = self.x[k];
            turns[p] = Some(Mat3::from_quat(self.turn[k]) * before);
            dented[p] += way;
            moved[p] = true;
        }
        let changes = |k: &usize| {
            let p = region.all[*k];
            !self.held[*k] && graph_ring(graph, p).any(|q| moved[q as usize])
        };
        let changed: Vec<u32> = (0..region.inner)
            .filter(changes)
            .map(|k| region.all[k])
            .collect();
        let made: Vec<Mat3> = changed
            .iter()
            .map(|&p| deformation(primitives, graph, rest, &mut turns, p))
            .collect();
        for (&p, d) in changed.iter().zip(made) {
            rest[p as usize].d = d;
        }
        let mut out = changed;
        out.sort_unstable();
        out
    }
}

/// A primitive and its neighbours.
fn graph_ring(graph: &LinkGraph, p: u32) -> impl Iterator<Item = u32> + '_ {
    std::iter::once(p).chain(graph.neighbors(p).map(|x| x.0))
}

/// D = A Ā⁻¹ over a primitive and its neighbours, against the undeformed shape \[MCM16 Eq. 2\].
fn deformation(
    primitives: &[Primitive],
    graph: &LinkGraph,
    rest: &[Pose],
    turns: &mut [Option<Mat3>],
    p: u32,
) -> Mat3 {
    let (mut mass, mut now, mut first) = (0.0, Vec3::ZERO, Vec3::ZERO);
    let origin = (rest[p as usize].x, primitives[p as usize].centroid);
    for q in graph_ring(graph, p) {
        let q = q as usize;
        let [m, _] = mass_and_moment(&primitives[q]);
        mass += m;
        now += (rest[q].x - origin.0) * m;
        first += (primitives[q].centroid - origin.1) * m;
    }
    let (now, first) = (origin.0 + now / mass, origin.1 + first / mass);
    let (mut a, mut b) = (Mat3::ZERO, Mat3::ZERO);
    for q in graph_ring(graph, p) {
        let q = q as usize;
        let [m, moment] = mass_and_moment(&primitives[q]);
        let turn = *turns[q].get_or_insert_with(|| polar_rotation(rest[q].d));
        let (x, s) = ((rest[q].x - now) * m, primitives[q].centroid - first);
        let t = s * m;
        a += turn * moment + Mat3::from_cols(x * s.x, x * s.y, x * s.z);
        b += Mat3::from_diagonal(Vec3::splat(moment)) + Mat3::from_cols(t * s.x, t * s.y, t * s.z);
    }
    // Scaled, for the moments of small things are below what f32 can hold the cube of.
    let scale = 3.0 / (b.x_axis.x + b.y_axis.y + b.z_axis.z);
    let (a, b) = (a * scale, b * scale);
    let own = turns[p as usize].unwrap_or(Mat3::IDENTITY);
    // Of trace 3, so its determinant is at most 1: this small, there is a direction in which nothing says how far it is stretched.
    let d = if b.determinant() > 1e-5 {
        a * b.inverse()
    } else {
        own
    };
    tame(d, Quat::from_mat3(&own))
}

mod imprint;
#[cfg(test)]
mod tests;
