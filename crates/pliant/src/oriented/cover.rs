//! Covering a mesh with a given number of ellipsoids, and connecting them.
//!
//! The mesh, thick or thin, closed or not, is filled with many fine samples: what is inside of it or close to its surface. Samples that are
//! beside each other with material between them make a graph, and everything else is done along it: particles are placed evenly by ways
//! through the material, each takes the samples that are nearest to it, and two are connected where their samples touch. So two arms that
//! lie side by side are not fused, and a vertex hangs on the particles of its own arm.

mod fill;
mod fit;

use super::{OrientedDesc, Particle};
use crate::body::BuildError;
use crate::geometry::Mesh;
use crate::geometry::grid::PointGrid;
use crate::geometry::poisson::morton_key;
use crate::random::name_key;
use fill::{Sample, Solid, fill};
use fit::{Fit, directions, fit};
use glam::Vec3;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Fine samples for each particle, and how many there are at least and at most.
const SAMPLES: (usize, usize, usize) = (30, 2_000, 60_000);
/// Samples are beside each other up to this many of their distances.
const BESIDE: f32 = 1.8;
/// Samples this near to the surface stand for what is between them and it, in their distances.
const CLOSE: f32 = 0.8;
/// Least semi-axis of an ellipsoid, in distances of samples: half of a sheet's thickness.
const THICKNESS: f32 = 0.3;
/// Rounds in which particles move to the middle of their samples.
const ROUNDS: usize = 4;
/// Shortest semi-axis of an ellipsoid, in its longest.
const THINNEST: f32 = 0.1;
/// Most particles that a mesh may be covered with.
pub const MOST_PARTICLES: usize = 20_000;

/// Particles that cover a mesh.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    /// Ellipsoids; masses add up to that of the volume.
    pub particles: Vec<Particle>,
    /// Particles that are connected, each pair once, ascending.
    pub edges: Vec<[u32; 2]>,
    /// The particle that each vertex of the mesh belongs to.
    pub home: Vec<u32>,
}

impl OrientedDesc {
    /// A body that covers a mesh with `count` particles of a material with this density (kg/m³).
    pub fn covering(
        name: &str,
        mesh: Mesh,
        count: usize,
        density: f32,
        seed: u64,
    ) -> Result<Self, BuildError> {
        let cover = cover(&mesh, count, density, seed ^ name_key(name))?;
        let mut desc = Self::new(name, cover.particles, cover.edges);
        desc.mesh = mesh;
        desc.home = cover.home;
        desc.many_carriers = true;
        Ok(desc)
    }
}

/// Covers a mesh with `count` particles, or fewer if it is too small.
pub fn cover(mesh: &Mesh, count: usize, density: f32, key: u64) -> Result<Cover, BuildError> {
    mesh.validate()?;
    if !(1..=MOST_PARTICLES).contains(&count) {
        let text = format!("a mesh can be covered with 1 to {MOST_PARTICLES} particles");
        return Err(BuildError::Parameter(text));
    }
    let samples = Samples::new(mesh, count, key)?;
    let mut centers = samples.spread(count);
    // Samples are in the order of a curve through space: particles, and so their groups, are beside those before them.
    centers.sort_unstable();
    let mut owner = samples.nearest_of(&centers);
    for _ in 0..ROUNDS {
        centers = samples.middles(&owner, centers.len());
        owner = samples.nearest_of(&centers);
    }
    let edges = samples.connect(&owner, &centers);
    let volume = mesh.volume().abs() as f32;
    // A sheet has no volume; its samples have.
    let thick = samples.x.len() as f32 * samples.spacing.powi(3) / 0.7;
    let mass = density * volume.max(0.5 * thick) / samples.x.len() as f32;
    let particles = samples.ellipsoids(&owner, centers.len(), mass);
    let grid = PointGrid::new(&samples.x, 2.0 * samples.spacing);
    let home = |y: &Vec3| owner[grid.nearest(*y, 1)[0].0 as usize];
    Ok(Cover {
        home: mesh.positions.par_iter().map(home).collect(),
        particles,
        edges,
    })
}

/// The samples of each owner.
fn regions(owner: &[u32], count: usize) -> Vec<Vec<u32>> {
    let mut regions = vec![Vec::new(); count];
    for (i, &o) in owner.iter().enumerate() {
        regions[o as usize].push(i as u32);
    }
    regions
}

/// The first of the part that `i` belongs to.
fn root(part: &mut [usize], mut i: usize) -> usize {
    while part[i] != i {
        part[i] = part[part[i]];
        i = part[i];
    }
    i
}

/// Fine samples of what a mesh encloses, as a graph.
struct Samples {
    x: Vec<Vec3>,
    /// Where each one is, or the nearest place of the surface if that is close: the outermost of a region reach to the surface, not beyond it.
    within: Vec<Vec3>,
    /// Least distance of two (m).
    spacing: f32,
    /// Samples beside each sample, with the distance.
    beside: Vec<Vec<(u32, f32)>>,
}

/// A sample on the way, nearest first.
#[derive(Clone, Copy, PartialEq)]
struct Visit {
    way: f32,
    sample: u32,
}

impl Eq for Visit {}

impl Ord for Visit {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_way = other.way.total_cmp(&self.way);
        by_way.then(other.sample.cmp(&self.sample))
    }
}

impl PartialOrd for Visit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Samples {
    fn new(mesh: &Mesh, count: usize, key: u64) -> Result<Self, BuildError> {
        let wanted = (SAMPLES.0 * count).clamp(SAMPLES.1, SAMPLES.2) as f32;
        // Of a solid, or of a shell of the thickness that samples make.
        let solid = (0.7 * mesh.volume().abs() as f32 / wanted).cbrt();
        let sheet = (0.5 * mesh.area() as f32 / wanted).sqrt();
        let spacing = solid.max(sheet);
        if !(spacing > 0.0 && spacing.is_finite()) {
            let text = "the mesh has no extent; it cannot be covered".to_owned();
            return Err(BuildError::Parameter(text));
        }
        let solid = Solid::new(mesh, spacing)?;
        let mut samples = fill(mesh, &solid, key)?;
        let Some((lo, _)) = mesh.bounds().filter(|_| !samples.is_empty()) else {
            let text = "the mesh is too small to be covered".to_owned();
            return Err(BuildError::Parameter(text));
        };
        samples.sort_by_key(|s| morton_key((s.x - lo) / spacing + 1.0));
        let x: Vec<Vec3> = samples.iter().map(|s| s.x).collect();
        let grid = PointGrid::new(&x, BESIDE * spacing);
        let beside = (0..x.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|i| {
                let mut near = Vec::new();
                grid.for_each_within(x[i], BESIDE * spacing, |j, y, d2| {
                    let clear = samples[i].clear.max(samples[j as usize].clear);
                    let joined = || clear * clear >= 0.25 * d2 || solid.contains(0.5 * (x[i] + y));
                    if j as usize != i && joined() {
                        near.push((j, d2.sqrt()));
                    }
                });
                near.sort_unstable_by_key(|n| n.0);
                near
            })
            .collect();
        let close = CLOSE * spacing;
        let within = |s: &Sample| match s.surface {
            Some(y) if y.distance_squared(s.x) < close * close => y,
            _ => s.x,
        };
        Ok(Self {
            within: samples.iter().map(within).collect(),
            x,
            spacing,
            beside,
        })
    }

    /// Lengthens `way` from the samples in `heap` on, and calls `reach(sample, from)` for each step that is shorter than all before.
    fn walk(&self, heap: &mut BinaryHeap<Visit>, way: &mut [f32], mut reach: impl FnMut(u32, u32)) {
        while let Some(visit) = heap.pop() {
            if visit.way > way[visit.sample as usize] {
                continue;
            }
            for &(next, step) in &self.beside[visit.sample as usize] {
                let longer = visit.way + step;
                if longer < way[next as usize] {
                    way[next as usize] = longer;
                    reach(next, visit.sample);
                    heap.push(Visit {
                        way: longer,
                        sample: next,
                    });
                }
            }
        }
    }

    /// Samples that are as far from each other as possible, along the material; separate parts get one each first.
    fn spread(&self, count: usize) -> Vec<u32> {
        let middle = self.x.iter().sum::<Vec3>() / self.x.len() as f32;
        let far = |i: &usize| self.x[*i].distance_squared(middle);
        let first = (0..self.x.len()).min_by(|a, b| far(a).total_cmp(&far(b)));
        let mut centers = vec![first.unwrap_or(0) as u32];
        let mut way = vec![f32::INFINITY; self.x.len()];
        loop {
            let last = centers[centers.len() - 1];
            way[last as usize] = 0.0;
            let mut heap = BinaryHeap::from([Visit {
                way: 0.0,
                sample: last,
            }]);
            self.walk(&mut heap, &mut way, |_, _| {});
            let farthest = (0..self.x.len()).max_by(|&a, &b| way[a].total_cmp(&way[b]));
            match farthest {
                Some(next) if centers.len() < count && way[next] > 0.0 => centers.push(next as u32),
                _ => return centers,
            }
        }
    }

    /// The centre that each sample is nearest to along the material; as the crow flies where no way leads to one.
    fn nearest_of(&self, centers: &[u32]) -> Vec<u32> {
        let mut way = vec![f32::INFINITY; self.x.len()];
        let mut owner = vec![u32::MAX; self.x.len()];
        let mut heap = BinaryHeap::new();
        for (at, &sample) in centers.iter().enumerate() {
            if way[sample as usize] > 0.0 {
                way[sample as usize] = 0.0;
                owner[sample as usize] = at as u32;
                heap.push(Visit { way: 0.0, sample });
            }
        }
        self.walk(&mut heap, &mut way, |next, from| {
            owner[next as usize] = owner[from as usize];
        });
        let places: Vec<Vec3> = centers.iter().map(|&i| self.x[i as usize]).collect();
        let grid = PointGrid::new(&places, self.spacing * 4.0);
        for i in 0..owner.len() {
            if owner[i] == u32::MAX {
                owner[i] = grid.nearest(self.x[i], 1)[0].0;
            }
        }
        owner
    }

    /// The sample next to the middle of each region.
    fn middles(&self, owner: &[u32], count: usize) -> Vec<u32> {
        let regions = regions(owner, count);
        let regions = regions.iter().filter(|region| !region.is_empty());
        let middle = |region: &Vec<u32>| {
            let at = |i: &u32| self.x[*i as usize];
            let mean = region.iter().map(at).sum::<Vec3>() / region.len() as f32;
            let off = |i: &u32| at(i).distance_squared(mean);
            let nearest = region.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
            nearest.copied().unwrap_or(region[0])
        };
        regions.map(middle).collect()
    }

    /// Regions that touch; parts that nothing connects are connected to what is nearest to them, so that a body is one body.
    fn connect(&self, owner: &[u32], centers: &[u32]) -> Vec<[u32; 2]> {
        let mut edges = Vec::new();
        for (i, near) in self.beside.iter().enumerate() {
            for &(j, _) in near {
                let (a, b) = (owner[i], owner[j as usize]);
                if a < b {
                    edges.push([a, b]);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let place = |c: usize| self.x[centers[c] as usize];
        let mut part: Vec<usize> = (0..centers.len()).collect();
        for [a, b] in &edges {
            let (a, b) = (root(&mut part, *a as usize), root(&mut part, *b as usize));
            part[a.max(b)] = a.min(b);
        }
        loop {
            let roots: Vec<usize> = (0..centers.len()).map(|i| root(&mut part, i)).collect();
            // The first part grows by the nearest particle of another until there is no other.
            let mut best: Option<(f32, usize, usize)> = None;
            for a in (0..centers.len()).filter(|&a| roots[a] == 0) {
                for b in (0..centers.len()).filter(|&b| roots[b] != 0) {
                    let d = place(a).distance_squared(place(b));
                    if best.is_none_or(|best| d < best.0) {
                        best = Some((d, a, b));
                    }
                }
            }
            let Some((_, a, b)) = best else {
                edges.sort_unstable();
                return edges;
            };
            edges.push([a.min(b) as u32, a.max(b) as u32]);
            part[roots[b]] = 0;
        }
    }

    /// An ellipsoid in each region, and a little into those beside it; a sample weighs `mass`.
    fn ellipsoids(&self, owner: &[u32], count: usize, mass: f32) -> Vec<Particle> {
        let directions = directions();
        let ellipsoid = |region: &Vec<u32>| {
            let beside = |i: &u32| self.beside[*i as usize].iter().map(|n| n.0);
            let mut own: Vec<u32> = region.iter().flat_map(beside).collect();
            own.extend(region);
            own.sort_unstable();
            own.dedup();
            let places: Vec<Vec3> = own.iter().map(|&i| self.within[i as usize]).collect();
            let Fit { x, axes, radii } = fit(&places, THICKNESS * self.spacing, &directions);
            Particle {
                x,
                axes,
                radii: radii.max(Vec3::splat(THINNEST * radii.max_element())),
                mass: mass * region.len() as f32,
                turns: true,
                collides: true,
            }
        };
        let regions = regions(owner, count);
        regions.par_iter().map(ellipsoid).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Shape, surface_nets::mesh_shape};

    fn capsule(z: f32) -> Shape {
        Shape::Capsule {
            a: Vec3::new(-1.0, 0.0, z),
            b: Vec3::new(1.0, 0.0, z),
            radius: 0.1,
        }
    }

    /// Whether the particles hang together.
    fn is_one(cover: &Cover) -> bool {
        let mut reached = vec![false; cover.particles.len()];
        let mut stack = vec![0];
        while let Some(i) = stack.pop() {
            if !std::mem::replace(&mut reached[i as usize], true) {
                let ends = cover.edges.iter().filter(|e| e.contains(&i));
                stack.extend(ends.map(|e| if e[0] == i { e[1] } else { e[0] }));
            }
        }
        reached.iter().all(|r| *r)
    }

    /// A rod becomes a row of particles, each connected to the next only; it weighs what its volume does.
    #[test]
    fn a_rod_becomes_a_row() {
        let mesh = mesh_shape(&capsule(0.0), 0.05).unwrap();
        let cover = cover(&mesh, 6, 500.0, 1).unwrap();
        assert_eq!(cover.particles.len(), 6);
        assert_eq!(cover.edges.len(), 5, "{:?}", cover.edges);
        let mass: f32 = cover.particles.iter().map(|p| p.mass).sum();
        let expected = 500.0 * mesh.volume() as f32;
        assert!(
            (mass / expected - 1.0).abs() < 1e-3,
            "{mass} kg of {expected}"
        );
        for particle in &cover.particles {
            let along = particle.axes * Vec3::X;
            assert!(along.x.abs() > 0.9, "the long axis lies along the rod");
            assert!(particle.x.y.abs() < 0.03 && particle.x.z.abs() < 0.03);
        }
    }

    /// Two arms that lie side by side, joined at one end, are connected there only, and no vertex hangs on the other arm.
    #[test]
    fn arms_are_not_fused() {
        let bridge = Shape::Capsule {
            a: Vec3::new(-1.0, 0.0, 0.0),
            b: Vec3::new(-1.0, 0.0, 0.26),
            radius: 0.1,
        };
        let fork = Shape::Union(vec![capsule(0.0), capsule(0.26), bridge]);
        let mesh = mesh_shape(&fork, 0.03).unwrap();
        let cover = cover(&mesh, 24, 1000.0, 1).unwrap();
        let side = |i: u32| cover.particles[i as usize].x.z > 0.13;
        for &[a, b] in &cover.edges {
            let x = cover.particles[a as usize]
                .x
                .x
                .min(cover.particles[b as usize].x.x);
            assert!(side(a) == side(b) || x < -0.6, "fused at {x}");
        }
        for (y, &home) in mesh.positions.iter().zip(&cover.home) {
            assert!(y.x < -0.6 || side(home) == (y.z > 0.13), "{y}");
        }
        assert!(is_one(&cover));
    }

    /// A sheet without thickness is covered by flat ellipsoids; two loose pieces become one body.
    #[test]
    fn sheets_and_pieces_are_covered() {
        let sheet = |at: Vec3| {
            let corner = |i: u32| at + Vec3::new((i % 9) as f32, 0.0, (i / 9) as f32) * 0.1;
            let mut mesh = Mesh {
                positions: (0..81).map(corner).collect(),
                ..Mesh::default()
            };
            for i in (0..72).filter(|i| i % 9 != 8) {
                mesh.triangles.push([i, i + 9, i + 1]);
                mesh.triangles.push([i + 1, i + 9, i + 10]);
            }
            mesh
        };
        let mut mesh = sheet(Vec3::ZERO);
        mesh.append(&sheet(Vec3::Y * 2.0));
        let cover = cover(&mesh, 60, 1000.0, 7).unwrap();
        assert_eq!(cover.particles.len(), 60);
        assert!(is_one(&cover));
        for particle in &cover.particles {
            let thin = (particle.axes * Vec3::Z).y.abs();
            assert!(thin > 0.95, "the short axis is across the sheet");
            assert!(particle.radii.z < 0.6 * particle.radii.x);
            assert!(particle.mass > 0.0);
        }
    }

    /// One particle, and more particles than there is room for.
    #[test]
    fn any_number_will_do() {
        let mesh = mesh_shape(&capsule(0.0), 0.1).unwrap();
        let one = cover(&mesh, 1, 1000.0, 1).unwrap();
        assert_eq!((one.particles.len(), one.edges.len()), (1, 0));
        let many = cover(&mesh, 3000, 1000.0, 1).unwrap();
        assert!(many.particles.len() > 2000 && is_one(&many));
        assert!(cover(&mesh, 0, 1000.0, 1).is_err());
        assert!(cover(&mesh, MOST_PARTICLES + 1, 1000.0, 1).is_err());
        assert!(cover(&Mesh::default(), 9, 1000.0, 1).is_err());
    }
}
