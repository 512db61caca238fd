//! Which primitives hold together: those that touch or overlap at rest \[MCM16 §3.1\].

use glam::{Mat3, Vec3};
use rayon::prelude::*;

use super::hull::{Hull, Placed};
use super::primitive::{Primitive, diagonal};
use super::sat::{Feature, Solid, separation};
use crate::geometry::bvh::Bvh;
use crate::state::Csr;

/// A vertex of more primitives than this holds them in a chain; linking each with each would take the square of their number.
const CROWD: usize = 64;

/// Where a link comes from, and so whether it may break.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkKind {
    /// Of the mesh as it was, or within a cell of a pattern: it never breaks.
    #[default]
    Initial,
    /// Between two cells of a pattern, or across a tear line.
    Pattern {
        /// Whether the pattern lets it break.
        breakable: bool,
    },
}

/// Two primitives that hold together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The lower primitive.
    pub i: u32,
    /// The higher primitive.
    pub j: u32,
    /// Distance of their centroids at rest (m).
    pub rest: f32,
    /// Where it comes from.
    pub kind: LinkKind,
    /// Whether it has broken.
    pub broken: bool,
}

impl Link {
    /// The link of two primitives, in any order.
    pub fn new(primitives: &[Primitive], a: u32, b: u32, kind: LinkKind) -> Self {
        let center = |p: u32| primitives[p as usize].centroid;
        Self {
            i: a.min(b),
            j: a.max(b),
            rest: center(a).distance(center(b)),
            kind,
            broken: false,
        }
    }

    /// Whether it may break.
    pub fn is_breakable(&self) -> bool {
        self.kind == LinkKind::Pattern { breakable: true }
    }

    /// The other end.
    #[inline]
    pub fn other(&self, primitive: u32) -> u32 {
        self.i ^ self.j ^ primitive
    }
}

/// Links, sorted by their ends, and which ones each primitive has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkGraph {
    /// Links in ascending order of (i, j), none twice.
    pub links: Vec<Link>,
    /// Links of each primitive, broken ones too.
    pub adjacency: Csr,
}

impl LinkGraph {
    /// A graph over `count` primitives. Links are sorted; of two between the same primitives the first one stays.
    pub fn new(count: usize, mut links: Vec<Link>) -> Self {
        links.sort_by_key(|l| (l.i, l.j));
        links.dedup_by_key(|l| (l.i, l.j));
        let ends = (0u32..).zip(&links).flat_map(|(k, l)| [(l.i, k), (l.j, k)]);
        let adjacency = Csr::from_pairs(count, ends);
        Self { links, adjacency }
    }

    /// Unbroken links of a primitive: the primitive at the other end, and the link's number.
    pub fn neighbors(&self, primitive: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let row = self.adjacency.row(primitive as usize).iter();
        row.filter_map(move |&k| {
            let link = &self.links[k as usize];
            (!link.broken).then(|| (link.other(primitive), k))
        })
    }

    /// For each primitive those with higher numbers that are at most two unbroken links away, ascending.
    pub fn second_neighbors(&self) -> Csr {
        let mut all = Csr::default();
        let mut row = Vec::new();
        for k in 0..self.adjacency.rows() as u32 {
            row.clear();
            for (n, _) in self.neighbors(k) {
                row.push(n);
                row.extend(self.neighbors(n).map(|(m, _)| m));
            }
            row.retain(|&m| m > k);
            row.sort_unstable();
            row.dedup();
            all.push(row.iter().copied());
        }
        all
    }

    /// The number of the link between two primitives.
    pub fn find(&self, a: u32, b: u32) -> Option<usize> {
        let key = (a.min(b), a.max(b));
        self.links.binary_search_by_key(&key, |l| (l.i, l.j)).ok()
    }

    /// For each primitive the number of the connected piece that it is in, over unbroken links; and how many pieces there are. Pieces are
    /// numbered in the order of their lowest primitives.
    pub fn components(&self) -> (Vec<u32>, u32) {
        self.components_where(|_| true)
    }

    /// The same over those unbroken links that `holds` says yes to.
    pub(super) fn components_where(&self, holds: impl Fn(&Link) -> bool) -> (Vec<u32>, u32) {
        let count = self.adjacency.rows();
        let mut of = vec![u32::MAX; count];
        let mut pieces = 0;
        let mut open = Vec::new();
        for start in 0..count as u32 {
            if of[start as usize] != u32::MAX {
                continue;
            }
            of[start as usize] = pieces;
            open.push(start);
            while let Some(p) = open.pop() {
                for (q, k) in self.neighbors(p) {
                    if of[q as usize] == u32::MAX && holds(&self.links[k as usize]) {
                        of[q as usize] = pieces;
                        open.push(q);
                    }
                }
            }
            pieces += 1;
        }
        (of, pieces)
    }
}

/// Links every two primitives that share a gid or touch.
pub fn find_links(primitives: &[Primitive]) -> LinkGraph {
    let pairs = touching_pairs(primitives);
    let link = |&(a, b): &(u32, u32)| Link::new(primitives, a, b, LinkKind::Initial);
    LinkGraph::new(primitives.len(), pairs.iter().map(link).collect())
}

/// The primitives that have each gid, ascending.
pub fn gid_owners(primitives: &[Primitive]) -> Csr {
    let highest = primitives.iter().flat_map(|p| &p.gids).max();
    let rows = highest.map_or(0, |g| *g as usize + 1);
    let all = (0u32..).zip(primitives);
    Csr::from_pairs(
        rows,
        all.flat_map(|(k, p)| p.gids.iter().map(move |&g| (g, k))),
    )
}

/// Pairs of primitives that share a gid or touch at rest, sorted: gap at most max(1e-4 diagonals, 0.02 of the thinner one's thickness).
pub fn touching_pairs(primitives: &[Primitive]) -> Vec<(u32, u32)> {
    let owners = gid_owners(primitives);
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for row in owners.iter() {
        if row.len() > CROWD {
            pairs.extend(row.windows(2).map(|w| (w[0], w[1])));
            continue;
        }
        for (k, &a) in row.iter().enumerate() {
            pairs.extend(row[k + 1..].iter().map(|&b| (a, b)));
        }
    }
    pairs.retain(|(a, b)| a != b);
    let near = touching_strangers(primitives);
    pairs.extend(near.into_iter().flatten());
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// For each primitive the later ones that it touches without sharing a gid. Departs from sweep and prune: a tree of boxes finds the same
/// pairs, also in a sheet that lies across the axis of the sweep.
fn touching_strangers(primitives: &[Primitive]) -> Vec<Vec<(u32, u32)>> {
    let least = 1e-4 * diagonal(primitives);
    let boxes: Vec<(Vec3, Vec3)> = primitives.iter().map(Primitive::bounds).collect();
    let tree = Bvh::new(&boxes);
    let hulls: Vec<(Hull, Placed)> = primitives
        .par_iter()
        .with_min_len(64)
        .map(at_rest)
        .collect();
    let of = |i: usize| {
        let p = &primitives[i];
        let grow = Vec3::splat(least.max(0.02 * p.thickness));
        let mut found = Vec::new();
        tree.for_each_in_box(boxes[i].0 - grow, boxes[i].1 + grow, |j| {
            let q = &primitives[j as usize];
            let tolerance = least.max(0.02 * p.thickness.min(q.thickness));
            let near = (boxes[j as usize].0 - boxes[i].1).max(boxes[i].0 - boxes[j as usize].1);
            let strangers = j as usize > i && near.max_element() <= tolerance;
            if !strangers || p.gids.iter().any(|g| q.has_gid(*g)) {
                return;
            }
            let (own, other) = (&hulls[i], &hulls[j as usize]);
            let a = Solid {
                hull: &own.0,
                placed: &own.1,
            };
            let b = Solid {
                hull: &other.0,
                placed: &other.1,
            };
            let offset = q.centroid - p.centroid;
            if separation(a, b, offset, tolerance, &mut Feature::None).is_some() {
                found.push((i as u32, j));
            }
        });
        found
    };
    (0..primitives.len())
        .into_par_iter()
        .with_min_len(64)
        .map(of)
        .collect()
}

/// The hull of a primitive, placed undeformed.
pub(crate) fn at_rest(primitive: &Primitive) -> (Hull, Placed) {
    let hull = Hull::new(primitive);
    let mut placed = Placed::default();
    hull.place(Mat3::IDENTITY, &mut placed);
    (hull, placed)
}

#[cfg(test)]
mod tests {
    use super::super::intake::{IntakeOptions, intake};
    use super::super::nasty::{append, cube, moved, nasty_meshes, sheet};
    use super::super::polygons::PolygonMesh;
    use super::*;

    fn graph(mesh: &PolygonMesh) -> LinkGraph {
        find_links(&intake(mesh, &IntakeOptions::default()).unwrap().primitives)
    }

    /// In a sheet of quads each inner one has eight neighbours; a patch of two by two has six links.
    #[test]
    fn sheets() {
        assert_eq!(graph(&sheet(2, 2, 1.0)).links.len(), 6);
        let g = graph(&sheet(5, 5, 1.0));
        assert_eq!(g.adjacency.row(12).len(), 8);
        assert_eq!(g.links.len(), 5 * 4 * 2 + 2 * 16);
        assert!((g.links[0].rest - 1.0).abs() < 1e-6);
        assert_eq!(g.find(12, 6), g.find(6, 12));
        assert!(g.find(12, 24).is_none());
    }

    /// Shapes that only touch or overlap are linked, those apart are pieces of their own, and broken links hold nothing.
    #[test]
    fn touching_shapes() {
        let mut mesh = cube(0.0, 1.0);
        append(
            &mut mesh,
            &moved(cube(0.0, 1.0), Vec3::new(1.00005, 0.5, 0.3)),
        );
        append(&mut mesh, &moved(cube(0.0, 1.0), Vec3::new(0.5, 0.9, 0.0)));
        append(&mut mesh, &moved(cube(0.0, 1.0), Vec3::new(4.0, 0.0, 0.0)));
        let mut g = graph(&mesh);
        let ends: Vec<(u32, u32)> = g.links.iter().map(|l| (l.i, l.j)).collect();
        assert_eq!(ends, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(g.components(), (vec![0, 0, 0, 1], 2));
        g.links[0].broken = true;
        g.links[2].broken = true;
        assert_eq!(g.components(), (vec![0, 1, 0, 2], 3));
        assert_eq!(g.neighbors(0).collect::<Vec<_>>(), [(2, 1)]);
    }

    /// Nasty meshes get links, all of them between different primitives in ascending order, and crowds stay affordable.
    #[test]
    fn nasty() {
        for (name, mesh) in nasty_meshes() {
            let Ok(result) = intake(&mesh, &IntakeOptions::default()) else {
                continue;
            };
            let g = find_links(&result.primitives);
            assert!(
                g.links
                    .windows(2)
                    .all(|w| (w[0].i, w[0].j) < (w[1].i, w[1].j)),
                "{name}"
            );
            assert!(
                g.links.iter().all(|l| l.i < l.j && l.rest.is_finite()),
                "{name}"
            );
            if name == "cone" {
                assert_eq!(g.components().1, 1);
                assert!(g.links.len() < 6000, "{}", g.links.len());
            }
        }
    }
}
