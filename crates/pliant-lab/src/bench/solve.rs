//! One solver iteration on the common scene: about 11,707 particles in 697 groups of 71.
//!
//! The groups are made like those of the peers' scene (farthest-point centres with their nearest particles), the state is
//! deformed like theirs (stretch, twist, noise), F_P is not the identity, and the time of an iteration is the slope over
//! 1, 4 and 8 iterations: moments, rotations, goals and gather, nothing else.

use super::row::{Millis, Row, Samples};
use glam::{Mat3, Vec3};
use pliant::BodyDesc;
use pliant::body::{BuildError, Sampling, sample};
use pliant::geometry::Mesh;
use pliant::geometry::grid::PointGrid;
use pliant::geometry::poisson::morton_key;
use pliant::matching::{Averaging, Dynamics, Fit, Jacobi, MatchedBody};
use pliant::random::Random;
use pliant::state::{GroupMaterial, Groups, Member, Points};
use std::collections::BTreeMap;
use std::time::Instant;

/// Particles of the common scene.
const PARTICLES: usize = 11_707;
/// Groups of the common scene, and members of each.
const GROUPS: usize = 697;
const MEMBERS: usize = 71;

/// The common scene, ready to be iterated.
pub struct Common {
    points: Points,
    groups: Groups,
    jacobi: Jacobi,
    start: Points,
    memberships: usize,
}

impl Common {
    /// Fills `mesh` with the wanted number of particles and covers them as the peers do.
    pub fn new(mesh: &Mesh) -> Result<Self, BuildError> {
        let (r, sampling) = sample_count(mesh, PARTICLES)?;
        let members = farthest_point_groups(&sampling.points, r);
        let memberships = members.iter().map(Vec::len).sum();
        let mut points = Points::default();
        for (id, &x) in sampling.points.iter().enumerate() {
            points.push(x, Vec3::ZERO, 1.0, id as u64);
        }
        let mut groups = Groups::default();
        let material = GroupMaterial {
            stiffness: 0.9,
            plastic_yield: f32::INFINITY,
            plastic_flow: 0.0,
            hardening: 0.0,
        };
        for group in &members {
            let local: Vec<Member> = group
                .iter()
                .map(|&i| Member::plain(i, sampling.points[i as usize]))
                .collect();
            groups.push(&local, 4.0 * r, material);
        }
        groups.rebuild_rows(points.len());
        let bodies = vec![MatchedBody {
            points: 0..points.len(),
            groups: 0..groups.len(),
            fit: Fit::default(),
            averaging: Averaging::default(),
            dynamics: Dynamics::default(),
            weighted: false,
        }];
        Jacobi::refresh_weights(&bodies, &mut points, &mut groups);
        deform(&mut points, &mut groups, r);
        let mut jacobi = Jacobi::default();
        jacobi.plan(bodies, &groups);
        jacobi.set_stiffness_scale(&groups, 1.0);
        jacobi.begin_substep(&mut groups, &points);
        let start = points.clone();
        Ok(Self {
            points,
            groups,
            jacobi,
            start,
            memberships,
        })
    }

    /// One iteration from wherever the last one ended.
    pub fn iterate(&mut self) {
        self.jacobi.iterate(&mut self.groups, &mut self.points, 1.0);
    }

    /// Milliseconds of `iterations` iterations from the deformed state.
    fn time(&mut self, iterations: usize) -> f64 {
        self.points.pred.clone_from(&self.start.pred);
        // One iteration outside of the clock warms caches and rotations, as a running simulation has them.
        self.iterate();
        let from = Instant::now();
        for _ in 0..iterations {
            self.iterate();
        }
        from.elapsed().as_secs_f64() * 1e3
    }

    /// Measures the slope over 1, 4 and 8 iterations on the current thread pool.
    pub fn measure(&mut self, repeats: usize) -> Row {
        let mut samples = Samples::default();
        for _ in 0..repeats / 10 + 3 {
            self.time(8);
        }
        for _ in 0..repeats {
            let t = [1, 4, 8].map(|n| self.time(n));
            samples.add("1", t[0]);
            samples.add("4", t[1]);
            samples.add("8", t[2]);
            samples.add("iteration", slope(t));
        }
        // The minimum of differences is biased low; the difference of minima is what a quiet machine would show.
        let best = samples.quantile(0.0);
        let mut ms_min: Millis = best.clone();
        ms_min.insert("iteration".into(), slope(["1", "4", "8"].map(|n| best[n])));
        let counts = BTreeMap::from([
            ("particles".to_owned(), self.points.len() as f64),
            ("clusters".to_owned(), self.groups.len() as f64),
            ("memberships".to_owned(), self.memberships as f64),
            (
                "ns_per_membership".to_owned(),
                ms_min["iteration"] * 1e6 / self.memberships as f64,
            ),
        ]);
        Row {
            ms_min,
            counts,
            settings: BTreeMap::from([
                ("averaging".to_owned(), "mass".into()),
                ("fit".to_owned(), "procrustes".into()),
                ("repeats".to_owned(), repeats.into()),
            ]),
            ..samples.row("solve", "iteration")
        }
    }
}

/// Least-squares slope of times over 1, 4 and 8 iterations.
fn slope(t: [f64; 3]) -> f64 {
    let n = [1.0, 4.0, 8.0];
    let (mean_n, mean_t) = (13.0 / 3.0, t.iter().sum::<f64>() / 3.0);
    let top: f64 = n
        .iter()
        .zip(t)
        .map(|(n, t)| (n - mean_n) * (t - mean_t))
        .sum();
    let bottom: f64 = n.iter().map(|n| (n - mean_n) * (n - mean_n)).sum();
    top / bottom
}

/// Samples the mesh with the radius that gives about `count` particles.
pub fn sample_count(mesh: &Mesh, count: usize) -> Result<(f32, Sampling), BuildError> {
    let mut r = (0.66 * mesh.volume().abs() / count as f64).cbrt() as f32;
    let mut best = (r, sample(&BodyDesc::new("common", mesh.clone(), r), 1)?);
    for _ in 0..8 {
        let found = best.1.points.len();
        if found.abs_diff(count) * 500 < count {
            break;
        }
        r *= (found as f64 / count as f64).cbrt() as f32;
        best = (r, sample(&BodyDesc::new("common", mesh.clone(), r), 1)?);
    }
    Ok(best)
}

/// Farthest-point centres, each with its nearest particles; a particle in no group joins the nearest centre's.
fn farthest_point_groups(points: &[Vec3], r: f32) -> Vec<Vec<u32>> {
    let mut centers = vec![0usize];
    let mut distance = vec![f32::INFINITY; points.len()];
    while centers.len() < GROUPS {
        let last = points[centers[centers.len() - 1]];
        let mut farthest = 0;
        for (i, d) in distance.iter_mut().enumerate() {
            *d = d.min(points[i].distance_squared(last));
        }
        for i in 0..points.len() {
            if distance[i] > distance[farthest] {
                farthest = i;
            }
        }
        centers.push(farthest);
    }
    let origin = points.iter().fold(Vec3::MAX, |lo, p| lo.min(*p));
    centers.sort_by_key(|&c| morton_key((points[c] - origin) / r));
    let grid = PointGrid::new(points, 2.0 * r);
    let mut groups: Vec<Vec<u32>> = centers
        .iter()
        .map(|&c| {
            grid.nearest(points[c], MEMBERS)
                .into_iter()
                .map(|(i, _)| i)
                .collect()
        })
        .collect();
    let mut seen = vec![false; points.len()];
    groups
        .iter()
        .flatten()
        .for_each(|&i| seen[i as usize] = true);
    for i in (0..points.len()).filter(|&i| !seen[i]) {
        let nearest = (0..centers.len()).min_by(|&a, &b| {
            points[centers[a]]
                .distance_squared(points[i])
                .total_cmp(&points[centers[b]].distance_squared(points[i]))
        });
        groups[nearest.unwrap_or(0)].push(i as u32);
    }
    for group in &mut groups {
        group.sort_unstable();
    }
    groups
}

/// Stretch 1.3 / 0.8 / 1, twist, and noise of a tenth of the spacing, as the peers' driver does; F_P a little off identity.
fn deform(points: &mut Points, groups: &mut Groups, r: f32) {
    let n = points.len() as f32;
    let mid = points.x.iter().copied().sum::<Vec3>() / n;
    let (lo, hi) = points.x.iter().fold((Vec3::MAX, Vec3::MIN), |(lo, hi), p| {
        (lo.min(*p), hi.max(*p))
    });
    // Their body is ten units tall and twists by 0.15 rad a unit.
    let twist = 1.5 / (hi.y - lo.y);
    for i in 0..points.len() {
        let q = (points.x[i] - mid) * Vec3::new(1.3, 0.8, 1.0);
        let (s, c) = (twist * q.y).sin_cos();
        let q = Vec3::new(c * q.x + s * q.z, q.y, -s * q.x + c * q.z);
        let mut random = Random::new([5, 0, 0, i as u64]);
        // A sum of uniforms is close enough to a normal distribution here.
        let mut normal = || (0..12).map(|_| random.next_f32()).sum::<f32>() - 6.0;
        let noise = Vec3::new(normal(), normal(), normal()) * (0.1 * r);
        points.x[i] = q + mid + noise;
        let x = points.x[i];
        points.pred[i].set_position(x);
    }
    for k in 0..groups.len() {
        let mut random = Random::new([6, 0, 0, k as u64]);
        let stretch = Vec3::new(
            1.0 + 0.2 * random.next_f32(),
            1.0,
            1.0 - 0.1 * random.next_f32(),
        );
        groups.f_p[k] = Mat3::from_diagonal(stretch / stretch.element_product().cbrt());
        let members: Vec<u32> = groups.members(k).map(|(i, _)| i).collect();
        groups.center[k] =
            members.iter().map(|&i| points.x[i as usize]).sum::<Vec3>() / members.len() as f32;
    }
}
