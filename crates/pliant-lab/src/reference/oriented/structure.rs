//! Rods, sheets and groups from edges.

use super::body::Body;
use super::group::Group;
use super::particle::Particle;
use glam::DVec3;

impl Body {
    /// One group for each particle: itself and those that an edge joins to it [MC11 "Shape Matching Simulation"].
    pub fn from_edges(particles: Vec<Particle>, edges: &[(usize, usize)], stiffness: f64) -> Self {
        let mut rings: Vec<Vec<usize>> = (0..particles.len()).map(|i| vec![i]).collect();
        for &(i, j) in edges {
            rings[i].push(j);
            rings[j].push(i);
        }
        let ring = |(i, members): (usize, &Vec<usize>)| {
            Group::new(&particles, Some(i), members, stiffness)
        };
        let groups = rings.iter().enumerate().map(ring).collect();
        Self { particles, groups }
    }

    /// A rod of `count` spheres of 1 kg along x, the first at `start`.
    pub fn rod(count: usize, spacing: f64, radius: f64, start: DVec3) -> Self {
        let at = |i: usize| start + DVec3::X * (spacing * i as f64);
        let particles = (0..count).map(|i| Particle::sphere(at(i), 1.0, radius));
        let edges: Vec<_> = (1..count).map(|i| (i - 1, i)).collect();
        Self::from_edges(particles.collect(), &edges, 1.0)
    }

    /// A square sheet of spheres of 1 kg in the plane y = 0, joined along sides and diagonals, centred on the origin.
    pub fn sheet(side: usize, spacing: f64, radius: f64) -> Self {
        let middle = (side - 1) as f64 * 0.5;
        let at = |i: usize| {
            let (row, column) = ((i / side) as f64, (i % side) as f64);
            DVec3::new(column - middle, 0.0, row - middle) * spacing
        };
        let particles: Vec<_> = (0..side * side)
            .map(|i| Particle::sphere(at(i), 1.0, radius))
            .collect();
        let mut edges = Vec::new();
        for i in 0..particles.len() {
            for j in i + 1..particles.len() {
                let distance = particles[i].rest.x.distance(particles[j].rest.x);
                if distance < 1.5 * spacing {
                    edges.push((i, j));
                }
            }
        }
        Self::from_edges(particles, &edges, 1.0)
    }
}
