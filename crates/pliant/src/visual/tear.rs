//! Shared vertices part where links break \[MCM16 §3.6, Fig. 9\].
//!
//! Primitives that share a gid must be connected by unbroken links among the primitives that have it. When a link breaks, the primitives
//! that can still be reached get a gid of their own.

use glam::Vec3;

use super::links::{LinkGraph, LinkKind};
use super::polygons::PolygonMesh;
use super::primitive::Primitive;

/// What [`split_gids`] has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tearing {
    /// Gids that are new: the number, and the one that they were split from.
    pub split: Vec<(u32, u32)>,
}

/// Splits the gids of primitives at the ends of links that have just broken; `broken` are numbers of links, marked as broken in `graph`.
/// `gid_count` is one more than the highest gid in use, and is moved on.
pub fn split_gids(
    primitives: &mut [Primitive],
    graph: &LinkGraph,
    broken: &[u32],
    gid_count: &mut u32,
) -> Tearing {
    let mut ends: Vec<u32> = Vec::new();
    for &k in broken {
        let link = &graph.links[k as usize];
        ends.extend([link.i, link.j]);
    }
    ends.sort_unstable();
    ends.dedup();
    split_at(primitives, graph, &ends, gid_count)
}

/// Splits the gids of these primitives where nothing connects them any more, in ascending order of primitives and gids.
pub fn split_at(
    primitives: &mut [Primitive],
    graph: &LinkGraph,
    at: &[u32],
    gid_count: &mut u32,
) -> Tearing {
    let all = vec![true; *gid_count as usize];
    split(primitives, graph, at.iter().copied(), all, gid_count)
}

/// Splits every gid whose primitives are not connected through it; after a cut, this keeps apart what had torn before.
pub fn split_all(primitives: &mut [Primitive], graph: &LinkGraph, gid_count: &mut u32) -> Tearing {
    let all = vec![true; *gid_count as usize];
    split_some(primitives, graph, all, gid_count)
}

/// The same where only those gids may have parted that are `suspect`.
pub(super) fn split_some(
    primitives: &mut [Primitive],
    graph: &LinkGraph,
    suspect: Vec<bool>,
    gid_count: &mut u32,
) -> Tearing {
    let at = 0..primitives.len() as u32;
    split(primitives, graph, at, suspect, gid_count)
}

/// `suspect` says of each gid whether it is not known to be whole; the flood of one primitive answers for all that it has reached.
fn split(
    primitives: &mut [Primitive],
    graph: &LinkGraph,
    at: impl Iterator<Item = u32>,
    mut suspect: Vec<bool>,
    gid_count: &mut u32,
) -> Tearing {
    // Counts of primitives, not of vertices: the flood below visits primitives.
    let mut val = owner_counts(primitives);
    val.resize((*gid_count as usize).max(val.len()), 0);
    suspect.resize(val.len(), true);
    let mut flood = Flood {
        seen: Vec::new(),
        stamp: vec![0; primitives.len()],
        round: 0,
    };
    let mut out = Tearing::default();
    let mut gids: Vec<u32> = Vec::new();
    for p in at {
        let own = primitives[p as usize].gids.iter();
        gids.clear();
        gids.extend(own.filter(|g| suspect[**g as usize]));
        gids.sort_unstable();
        for &gid in &gids {
            let all = val[gid as usize];
            flood.run(primitives, graph, p, gid, all);
            let reached = flood.seen.len() as u32;
            if reached >= all {
                suspect[gid as usize] = false;
                continue;
            }
            let new = *gid_count;
            *gid_count += 1;
            for &q in &flood.seen {
                let own = primitives[q as usize].gids.iter_mut();
                own.filter(|g| **g == gid).for_each(|g| *g = new);
            }
            val[gid as usize] -= reached;
            val.push(reached);
            suspect.push(false);
            out.split.push((new, gid));
        }
    }
    out
}

/// How many primitives have each gid.
fn owner_counts(primitives: &[Primitive]) -> Vec<u32> {
    let mut counts = Vec::new();
    for &gid in primitives.iter().flat_map(|p| &p.gids) {
        if counts.len() <= gid as usize {
            counts.resize(gid as usize + 1, 0);
        }
        counts[gid as usize] += 1;
    }
    counts
}

/// The primitives that can be reached over unbroken links, visiting only those that have a gid.
struct Flood {
    seen: Vec<u32>,
    /// The last round in which each primitive was seen.
    stamp: Vec<u32>,
    round: u32,
}

impl Flood {
    /// Goes on until `most` are reached.
    fn run(
        &mut self,
        primitives: &[Primitive],
        graph: &LinkGraph,
        start: u32,
        gid: u32,
        most: u32,
    ) {
        self.round += 1;
        self.seen.clear();
        self.seen.push(start);
        self.stamp[start as usize] = self.round;
        let mut k = 0;
        while k < self.seen.len() && self.seen.len() < most as usize {
            for (q, _) in graph.neighbors(self.seen[k]) {
                let is_new = self.stamp[q as usize] != self.round;
                if is_new && primitives[q as usize].has_gid(gid) {
                    self.stamp[q as usize] = self.round;
                    self.seen.push(q);
                }
            }
            k += 1;
        }
    }
}

/// Lines along which a body may tear: segments in the undeformed configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TearLines {
    /// Both ends of each segment (m).
    pub segments: Vec<[Vec3; 2]>,
}

impl TearLines {
    /// Edges of a mesh between two vertices that `marked` says yes to, by colour; a painted line.
    pub fn of_colors(mesh: &PolygonMesh, marked: impl Fn([u8; 4]) -> bool) -> Self {
        if mesh.colors.is_empty() {
            return Self::default();
        }
        let is_marked = |v: u32| marked(mesh.colors[v as usize]);
        Self::of_edges(mesh, |_| true, |a, b| is_marked(a) && is_marked(b))
    }

    /// Edges of the faces of a part; thin faces drawn along the line will do.
    pub fn of_part(mesh: &PolygonMesh, part: u16) -> Self {
        Self::of_edges(mesh, |face| mesh.part(face) == part, |_, _| true)
    }

    /// How far a place is from the nearest line (m).
    pub fn distance(&self, p: Vec3) -> f32 {
        let to = |[a, b]: &[Vec3; 2]| {
            let (along, from) = (*b - *a, p - *a);
            let length = along.length_squared().max(f32::MIN_POSITIVE);
            (from - along * (from.dot(along) / length).clamp(0.0, 1.0)).length()
        };
        self.segments.iter().map(to).fold(f32::MAX, f32::min)
    }

    fn of_edges(
        mesh: &PolygonMesh,
        face: impl Fn(usize) -> bool,
        edge: impl Fn(u32, u32) -> bool,
    ) -> Self {
        let mut ends: Vec<(u32, u32)> = Vec::new();
        for (_, row) in mesh.faces.iter().enumerate().filter(|(f, _)| face(*f)) {
            let all = super::polyhedron::edges(row).filter(|&(a, b)| edge(a, b));
            ends.extend(all.map(|(a, b)| (a.min(b), a.max(b))));
        }
        ends.sort_unstable();
        ends.dedup();
        let at = |v: u32| mesh.positions[v as usize];
        Self {
            segments: ends.into_iter().map(|(a, b)| [at(a), at(b)]).collect(),
        }
    }

    /// Makes every link that crosses a line breakable, those of corners that only touch included; returns how many. A link crosses if the
    /// way from one centroid to the other passes a segment within `reach` (m), for sheets about their thickness.
    pub fn mark(&self, primitives: &[Primitive], graph: &mut LinkGraph, reach: f32) -> usize {
        let grow = Vec3::splat(reach);
        let boxes: Vec<(Vec3, Vec3)> = self
            .segments
            .iter()
            .map(|[a, b]| (a.min(*b), a.max(*b)))
            .collect();
        let tree = crate::geometry::bvh::Bvh::new(&boxes);
        let mut count = 0;
        for link in &mut graph.links {
            let [p, q] = [link.i, link.j].map(|k| primitives[k as usize].centroid);
            let mut crosses = false;
            tree.for_each_in_box(p.min(q) - grow, p.max(q) + grow, |s| {
                crosses |= is_crossed(p, q, self.segments[s as usize], reach);
            });
            if crosses {
                link.kind = LinkKind::Pattern { breakable: true };
                count += 1;
            }
        }
        count
    }
}

/// Whether the way from `p` to `q` passes a segment sideways within `reach`; an end of the segment counts.
fn is_crossed(p: Vec3, q: Vec3, [a, b]: [Vec3; 2], reach: f32) -> bool {
    let (u, v, w) = (q - p, b - a, p - a);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let det = uu * vv - uv * uv;
    // A way along the line does not cross it.
    if det <= 1e-6 * uu * vv {
        return false;
    }
    let (wu, wv) = (w.dot(u), w.dot(v));
    let k = (uv * wv - vv * wu) / det;
    let l = (uu * wv - uv * wu) / det;
    let slack = 1e-4;
    let inside = |x: f32| (-slack..=1.0 + slack).contains(&x);
    inside(k) && inside(l) && (p + u * k).distance(a + v * l) <= reach
}

#[cfg(test)]
mod tests {
    use super::super::intake::{Intake, IntakeOptions, intake};
    use super::super::links::find_links;
    use super::super::nasty::sheet;
    use super::*;

    fn patch(n: u32) -> (Intake, LinkGraph) {
        let options = IntakeOptions {
            thickness: vec![0.1],
            ..IntakeOptions::default()
        };
        let result = intake(&sheet(n, n, 1.0), &options).unwrap();
        let graph = find_links(&result.primitives);
        (result, graph)
    }

    fn distinct(primitives: &[Primitive]) -> (usize, u32) {
        let counts = owner_counts(primitives);
        (
            counts.iter().filter(|c| **c > 0).count(),
            counts.into_iter().max().unwrap(),
        )
    }

    fn tear(pairs: &[(u32, u32)]) -> (usize, u32, u32) {
        let (mut body, mut graph) = patch(2);
        let broken: Vec<u32> = pairs
            .iter()
            .map(|&(a, b)| graph.find(a, b).unwrap() as u32)
            .collect();
        for &k in &broken {
            graph.links[k as usize].broken = true;
        }
        split_gids(&mut body.primitives, &graph, &broken, &mut body.gid_count);
        let (gids, most) = distinct(&body.primitives);
        (gids, most, graph.components().1)
    }

    /// The worked patch of two by two: 18 gids, 22 when the faces part, 24 in two pieces when the diagonals do too, 18 with those alone.
    #[test]
    fn patch_of_four() {
        let (body, graph) = patch(2);
        assert_eq!(
            (graph.links.len(), distinct(&body.primitives)),
            (6, (18, 4))
        );
        assert_eq!(tear(&[(0, 1), (2, 3)]), (22, 4, 1));
        assert_eq!(tear(&[(0, 1), (2, 3), (0, 3), (1, 2)]), (24, 2, 2));
        assert_eq!(tear(&[(0, 3), (1, 2)]), (18, 4, 1));
    }

    /// A line through a sheet marks exactly the links that cross it, corner contacts included; broken, they leave two pieces.
    #[test]
    fn line_through_a_sheet() {
        let (mut body, mut graph) = patch(20);
        let mut mesh = body.mesh.clone();
        mesh.colors = mesh
            .positions
            .iter()
            .map(|p| [if p.x == 10.0 { 255 } else { 0 }; 4])
            .collect();
        let lines = TearLines::of_colors(&mesh, |c| c[0] > 128);
        assert_eq!(lines.segments.len(), 20);
        let count = lines.mark(&body.primitives, &mut graph, 0.2);
        let crosses = |l: &super::super::links::Link| {
            let x = |k: u32| body.primitives[k as usize].centroid.x;
            (x(l.i) < 10.0) != (x(l.j) < 10.0)
        };
        assert_eq!(count, 20 + 2 * 19);
        assert!(graph.links.iter().all(|l| l.is_breakable() == crosses(l)));
        let broken: Vec<u32> = (0u32..)
            .zip(&graph.links)
            .filter(|(_, l)| l.is_breakable())
            .map(|(k, _)| k)
            .collect();
        for &k in &broken {
            graph.links[k as usize].broken = true;
        }
        let torn = split_gids(&mut body.primitives, &graph, &broken, &mut body.gid_count);
        assert_eq!(torn.split.len(), 2 * 21);
        let count = body.mesh.positions.len() as u32;
        let on_line = |g: u32| body.mesh.positions[(g % count) as usize].x == 10.0;
        assert!(torn.split.iter().all(|&(_, from)| on_line(from)));
        assert_eq!(graph.components().1, 2);
        // Everything apart is apart: nothing is left to split.
        assert!(
            split_all(&mut body.primitives, &graph, &mut body.gid_count)
                .split
                .is_empty()
        );
    }

    /// Edges of a part are tear lines, too.
    #[test]
    fn part_as_line() {
        let mut mesh = sheet(2, 2, 1.0);
        mesh.parts = vec![0, 0, 0, 1];
        mesh.part_names = vec!["cloth".to_owned(), "seam".to_owned()];
        assert_eq!(TearLines::of_part(&mesh, 1).segments.len(), 4);
        assert!(TearLines::of_colors(&mesh, |_| true).segments.is_empty());
    }
}
