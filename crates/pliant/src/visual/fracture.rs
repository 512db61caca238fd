//! Primitives cut by a pattern \[MCM16 §3.6, MCK13\].
//!
//! All happens in the undeformed configuration. Each primitive is clipped by each cell that it meets; what lies in one cell whole is only
//! labelled. No mass is lost: pieces too thin to simulate go, and the neighbour across their largest cut gets their volume.
//!
//! For brittle fracture [`islands`] says which pieces are new bodies; for ductile fracture [`relink`] joins them again with links that may
//! break where the pattern says so.

use glam::{DVec3, Mat3, Vec3};
use rayon::prelude::*;

use super::clip::{Clipped, FaceKey, Piece};
use super::hull::{Hull, Placed};
use super::links::{Link, LinkGraph, LinkKind};
use super::pattern::{Half, Pattern, overlap};
use super::primitive::{NO_CELL, Primitive, diagonal};
use super::sat::{Feature, Solid, separation};
use crate::state::Csr;

/// How primitives are cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractureOptions {
    /// A primitive that was cut so often is cut no more.
    pub most_cuts: u8,
    /// A primitive whose longest edge is below so many thicknesses is cut no more.
    pub least_edge: f32,
    /// A piece with less of its primitive's volume is a sliver.
    pub sliver_volume: f64,
    /// A piece thinner than so many thicknesses is a sliver.
    pub sliver_width: f64,
}

impl Default for FractureOptions {
    fn default() -> Self {
        Self {
            most_cuts: 3,
            least_edge: 0.5,
            sliver_volume: 1e-6,
            sliver_width: 1e-3,
        }
    }
}

/// What a pattern has made of primitives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fracture {
    /// All primitives, the uncut ones too, in the order of their parents.
    pub primitives: Vec<Primitive>,
    /// The primitive that each comes from.
    pub parents: Vec<u32>,
    /// Whether each is a piece; what is not is as it was, but for its cell.
    pub is_piece: Vec<bool>,
    /// One more than the highest gid.
    pub gid_count: u32,
    /// What has happened.
    pub report: FractureReport,
}

/// What a pattern has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FractureReport {
    /// Primitives that were cut.
    pub cut: usize,
    /// Pieces that they became.
    pub pieces: usize,
    /// Primitives that were cut too often or are too small to be cut again.
    pub spared: usize,
    /// Slivers that went.
    pub slivers: usize,
    /// Volume of slivers, given to their neighbours (m³).
    pub sliver_volume: f64,
    /// Primitives left whole because their pieces would not have added up.
    pub refused: usize,
}

/// What became of one primitive.
enum Outcome {
    Whole {
        cell: u32,
        spared: bool,
        refused: bool,
    },
    Pieces {
        pieces: Vec<(u32, Piece)>,
        given: Vec<f64>,
        slivers: usize,
    },
}

/// Where a primitive of the result comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// It is one of those before, now in a cell.
    Whole { parent: usize, cell: u32 },
    /// It is a piece, by its number.
    Piece(usize),
}

/// Cuts primitives by a pattern that was placed in their undeformed coordinates. `gid_count` is one more than the highest gid in use.
pub fn fracture(
    primitives: &[Primitive],
    pattern: &Pattern,
    gid_count: u32,
    options: &FractureOptions,
) -> Fracture {
    let size = f64::from(diagonal(primitives));
    let cutter = Cutter {
        pattern,
        boxes: pattern.cells.iter().map(|c| c.shape.bounds()).collect(),
        tolerance: 1e-6 * size,
        options,
    };
    let outcomes: Vec<Outcome> = primitives
        .par_iter()
        .with_min_len(64)
        .map(|p| cutter.cut(p))
        .collect();
    let mut out = Fracture {
        gid_count,
        ..Fracture::default()
    };
    let mut origins: Vec<Origin> = Vec::with_capacity(primitives.len());
    let mut pieces: Vec<(u32, u32, Piece, f64)> = Vec::new();
    for (parent, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Outcome::Whole {
                cell,
                spared,
                refused,
            } => {
                out.report.spared += usize::from(spared);
                out.report.refused += usize::from(refused);
                out.parents.push(parent as u32);
                origins.push(Origin::Whole { parent, cell });
            }
            Outcome::Pieces {
                pieces: found,
                given,
                slivers,
            } => {
                out.report.cut += 1;
                out.report.pieces += found.len();
                out.report.slivers += slivers;
                out.report.sliver_volume += given.iter().sum::<f64>();
                for ((cell, piece), given) in found.into_iter().zip(given) {
                    out.parents.push(parent as u32);
                    origins.push(Origin::Piece(pieces.len()));
                    pieces.push((parent as u32, cell, piece, given));
                }
            }
        }
    }
    let gids = super::rekey::assign_gids(&mut pieces, &mut out.gid_count, size);
    let make = |origin: &Origin| match *origin {
        Origin::Whole { parent, cell } => Primitive {
            cell,
            ..primitives[parent].clone()
        },
        Origin::Piece(k) => {
            let (parent, cell, piece, given) = &pieces[k];
            let parent = &primitives[*parent as usize];
            made(parent, piece, *cell, *given, gids[k].clone())
        }
    };
    let is_piece = |origin: &Origin| matches!(origin, Origin::Piece(_));
    out.is_piece = origins.iter().map(is_piece).collect();
    out.primitives = origins.par_iter().with_min_len(64).map(make).collect();
    out
}

/// The primitive of a piece, with the volume that it was given. Volumes are shares of the parent's: that is known before vertices were
/// rounded, and nothing of it may be lost.
fn made(parent: &Primitive, piece: &Piece, cell: u32, given: f64, gids: Vec<u32>) -> Primitive {
    let mut p = Primitive::new(&piece.shape, gids, parent.thickness);
    let own = piece.shape.volume();
    if own > 0.0 {
        let share = f64::from(parent.volume) / parent.polyhedron().volume();
        let factor = ((own + given) / own * share) as f32;
        p.volume *= factor;
        p.moment *= factor;
    }
    Primitive {
        source: parent.source,
        part: parent.part,
        cell,
        depth: parent.depth.saturating_add(1),
        ..p
    }
}

impl Fracture {
    /// The hulls of the pieces; none for what is as it was.
    pub(super) fn new_hulls(&self) -> Vec<Option<Hull>> {
        let all = self.primitives.par_iter().zip(&self.is_piece);
        all.with_min_len(64)
            .map(|(p, is_piece)| is_piece.then(|| Hull::new(p)))
            .collect()
    }
}

/// Where a primitive is, as far as its vertices tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    Out,
    Across,
}

/// A pattern that cuts.
struct Cutter<'a> {
    pattern: &'a Pattern,
    /// The boxes around its cells.
    boxes: Vec<(DVec3, DVec3)>,
    /// What is as near to a plane is on it (m).
    tolerance: f64,
    options: &'a FractureOptions,
}

impl Cutter<'_> {
    /// Cuts one primitive.
    fn cut(&self, p: &Primitive) -> Outcome {
        let (pattern, tolerance) = (self.pattern, self.tolerance);
        let whole = |cell| Outcome::Whole {
            cell,
            spared: false,
            refused: false,
        };
        let at_centroid = || {
            pattern
                .cell_of(p.centroid.as_dvec3(), tolerance)
                .unwrap_or(NO_CELL)
        };
        // Most primitives of a fine mesh lie in one cell: their vertices tell, and nothing has to be clipped.
        let (lo, hi) = p.bounds();
        let (lo, hi) = (lo.as_dvec3(), hi.as_dvec3());
        let mut across: Vec<u32> = Vec::new();
        for (c, (cell_lo, cell_hi)) in (0u32..).zip(&self.boxes) {
            if (lo - *cell_hi).max(*cell_lo - hi).max_element() > tolerance {
                continue;
            }
            match self.side(p, &pattern.cells[c as usize].halves) {
                Side::In => return whole(c),
                Side::Out => {}
                Side::Across => across.push(c),
            }
        }
        if across.is_empty() {
            return whole(at_centroid());
        }
        let uncut = Piece::new(p);
        let mut pieces: Vec<(u32, Piece)> = Vec::new();
        for c in across {
            let halves = &pattern.cells[c as usize].halves;
            match inside(&uncut, pattern, halves, tolerance, p.source) {
                Clipped::All => return whole(c),
                Clipped::Nothing => {}
                Clipped::Part(piece) => pieces.push((c, piece)),
            }
        }
        if pieces.is_empty() {
            return whole(at_centroid());
        }
        let longest = uncut.shape.longest_edge() as f32;
        let least = self.options.least_edge * p.thickness;
        if p.depth >= self.options.most_cuts || longest < least {
            return Outcome::Whole {
                cell: at_centroid(),
                spared: true,
                refused: false,
            };
        }
        if pattern.bounded {
            for piece in outside(&uncut, pattern, tolerance, p.source) {
                pieces.push((NO_CELL, piece));
            }
        }
        let volume = uncut.shape.volume();
        let sum: f64 = pieces.iter().map(|(_, piece)| piece.shape.volume()).sum();
        // Cells that overlap, or do not fill their space, would make or lose mass.
        if (sum - volume).abs() > 1e-5 * volume {
            return Outcome::Whole {
                cell: at_centroid(),
                spared: false,
                refused: true,
            };
        }
        drop_slivers(pieces, volume, f64::from(p.thickness), self.options)
    }

    /// Whether all vertices lie in all of the half-spaces, or all on the other side of one of them.
    fn side(&self, p: &Primitive, halves: &[Half]) -> Side {
        let mut side = Side::In;
        for &half in halves {
            let plane = self.pattern.plane(half);
            let heights = p.verts.iter().map(|v| plane.distance(v.as_dvec3()));
            let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), h| {
                (low.min(h), high.max(h))
            });
            if high <= self.tolerance {
                continue;
            }
            if low >= -self.tolerance {
                return Side::Out;
            }
            side = Side::Across;
        }
        side
    }
}

/// What lies in all of the half-spaces.
fn inside(
    whole: &Piece,
    pattern: &Pattern,
    halves: &[Half],
    tolerance: f64,
    source: u32,
) -> Clipped {
    let mut left: Option<Piece> = None;
    for &half in halves {
        let piece = left.as_ref().unwrap_or(whole);
        match piece.clip(&pattern.plane(half), half.plane, tolerance, source) {
            Clipped::All => {}
            Clipped::Nothing => return Clipped::Nothing,
            Clipped::Part(part) => left = Some(part),
        }
    }
    left.map_or(Clipped::All, Clipped::Part)
}

/// What lies outside of a bounded pattern, in convex pieces.
fn outside(whole: &Piece, pattern: &Pattern, tolerance: f64, source: u32) -> Vec<Piece> {
    let regions: Vec<&[Half]> = if pattern.outer.is_empty() {
        pattern.cells.iter().map(|c| &c.halves[..]).collect()
    } else {
        vec![&pattern.outer]
    };
    let mut left = vec![whole.clone()];
    for halves in regions {
        let mut rest = Vec::new();
        for piece in left {
            // What meets nothing of the region is not cut by its planes.
            if inside(&piece, pattern, halves, tolerance, source) == Clipped::Nothing {
                rest.push(piece);
                continue;
            }
            let mut inner = Some(piece);
            for &half in halves {
                let Some(piece) = inner else { break };
                let [within, without] =
                    piece.split(&pattern.plane(half), half.plane, tolerance, source);
                rest.extend(without);
                inner = within;
            }
        }
        left = rest;
    }
    left
}

/// Takes out pieces that are too small or too thin. Departs from merging them where the union is convex: their neighbour across the largest
/// cut gets their volume, and the gap that they leave is a thousandth of the thickness.
fn drop_slivers(
    pieces: Vec<(u32, Piece)>,
    volume: f64,
    thickness: f64,
    options: &FractureOptions,
) -> Outcome {
    let volumes: Vec<f64> = pieces.iter().map(|(_, p)| p.shape.volume()).collect();
    let is_sliver = |k: usize| {
        let shape = &pieces[k].1.shape;
        volumes[k] < options.sliver_volume * volume
            || width(shape) < options.sliver_width * thickness
    };
    let mut sliver: Vec<bool> = (0..pieces.len()).map(is_sliver).collect();
    if sliver.iter().all(|s| *s) {
        // Everything is thin here; nothing would be left.
        sliver.fill(false);
    }
    let mut given = vec![0.0; pieces.len()];
    for k in (0..pieces.len()).filter(|&k| sliver[k]) {
        let best = (0..pieces.len())
            .filter(|&j| !sliver[j])
            .map(|j| (shared_cut(&pieces[k].1, &pieces[j].1), j))
            .fold((-1.0, 0), |best, x| if x.0 > best.0 { x } else { best });
        given[best.1] += volumes[k];
    }
    let slivers = sliver.iter().filter(|s| **s).count();
    let mut keep = sliver.iter().map(|s| !s);
    let mut given_keep = sliver.iter().map(|s| !s);
    let mut pieces = pieces;
    pieces.retain(|_| keep.next().unwrap_or(true));
    given.retain(|_| given_keep.next().unwrap_or(true));
    Outcome::Pieces {
        pieces,
        given,
        slivers,
    }
}

/// The least width along a face's normal (m).
fn width(shape: &super::polyhedron::Polyhedron) -> f64 {
    let along = |f: usize| {
        let n = shape.area_vector(f).normalize_or_zero();
        let height = n.dot(shape.verts[shape.faces.row(f)[0] as usize]);
        let lowest = shape.verts.iter().map(|v| n.dot(*v)).fold(height, f64::min);
        if n == glam::DVec3::ZERO {
            f64::INFINITY
        } else {
            height - lowest
        }
    };
    (0..shape.faces.rows())
        .map(along)
        .fold(f64::INFINITY, f64::min)
}

/// The area of cuts that two pieces share (m²).
fn shared_cut(a: &Piece, b: &Piece) -> f64 {
    let ring = |p: &Piece, f: usize| -> Vec<glam::DVec3> {
        p.shape
            .faces
            .row(f)
            .iter()
            .map(|&v| p.shape.verts[v as usize])
            .collect()
    };
    let mut area = 0.0;
    for (f, key) in a.face_keys.iter().enumerate() {
        let FaceKey::Plane(_) = key else { continue };
        for g in (0..b.face_keys.len()).filter(|&g| b.face_keys[g] == *key) {
            let n = a.shape.area_vector(f).normalize_or_zero();
            area += overlap(&ring(a, f), &ring(b, g), n);
        }
    }
    area
}

/// For each primitive the island that it is in, and how many there are: connected pieces of one cell are a new body, and so is each
/// connected rest outside of a bounded pattern \[MCK13\]. `graph` are the links of the pieces, as [`relink`] makes them.
pub fn islands(primitives: &[Primitive], graph: &LinkGraph) -> (Vec<u32>, u32) {
    let cell = |k: u32| primitives[k as usize].cell;
    graph.components_where(|link| cell(link.i) == cell(link.j))
}

/// The links of the pieces, from those of the primitives before the cut \[MCM16 §3.6\].
///
/// Pieces are linked if they touch and come from one primitive, or from two that were linked. Within a cell the link is what its parents'
/// was, or initial; across cells it may break if the pattern lets these two cells tear, or if the parents' link may.
pub fn relink(made: &Fracture, before: &LinkGraph, pattern: &Pattern) -> LinkGraph {
    let hulls: Vec<Hull> = made.primitives.par_iter().map(Hull::new).collect();
    relink_hulls(made, before, pattern, |k| &hulls[k])
}

/// The same, of primitives whose hulls are known.
pub(super) fn relink_hulls<'a>(
    made: &Fracture,
    before: &LinkGraph,
    pattern: &Pattern,
    hull: impl Fn(usize) -> &'a Hull + Sync,
) -> LinkGraph {
    let parents = before.adjacency.rows();
    // Pieces come in the order of their parents: those of one are a range.
    let pieces = Csr::from_pairs(parents, made.parents.iter().copied().zip(0u32..));
    let is_cut = |p: u32| pieces.row(p as usize).len() != 1;
    let touch = Touch {
        primitives: &made.primitives,
        hull,
        least: 1e-4 * diagonal(&made.primitives),
    };
    // Only pieces of what was cut, and of what was linked to it, can have new links.
    let cut: Vec<u32> = (0..parents as u32).filter(|&p| is_cut(p)).collect();
    let around = |&p: &u32| {
        let mut found: Vec<Link> = Vec::new();
        let mut around = Around::default();
        let mut link = |i: u32, j: u32, old: LinkKind| {
            if touch.is_between(i.min(j), i.max(j), &mut around) {
                let kind = kind(made, pattern, i, j, old);
                found.push(Link::new(&made.primitives, i, j, kind));
            }
        };
        let own = pieces.row(p as usize);
        for (k, &i) in own.iter().enumerate() {
            own[k + 1..]
                .iter()
                .for_each(|&j| link(i, j, LinkKind::Initial));
        }
        // Of two that were cut the lower one looks.
        let others = before.neighbors(p).filter(|(q, _)| !is_cut(*q) || p < *q);
        for (q, old) in others {
            for &i in own {
                for &j in pieces.row(q as usize) {
                    link(i, j, before.links[old as usize].kind);
                }
            }
        }
        found
    };
    let found: Vec<Vec<Link>> = cut.par_iter().with_min_len(16).map(around).collect();
    let count = before.links.len() + found.iter().map(Vec::len).sum::<usize>();
    let mut links: Vec<Link> = Vec::with_capacity(count);
    for old in before.links.iter().filter(|l| !is_cut(l.i) && !is_cut(l.j)) {
        let [i, j] = [old.i, old.j].map(|p| pieces.row(p as usize)[0]);
        let kind = kind(made, pattern, i, j, old.kind);
        links.push(Link { i, j, kind, ..*old });
    }
    links.extend(found.into_iter().flatten());
    LinkGraph::new(made.primitives.len(), links)
}

/// Who touches whom at rest.
struct Touch<'a, F> {
    primitives: &'a [Primitive],
    hull: F,
    /// What is nearer touches, however thin (m).
    least: f32,
}

/// Primitives around one that are looked at, with their boxes; and hulls that were placed, each once.
#[derive(Default)]
struct Around {
    boxes: Vec<(u32, (Vec3, Vec3))>,
    placed: Vec<(u32, Placed)>,
}

impl Around {
    fn bounds(&mut self, primitives: &[Primitive], k: u32) -> (Vec3, Vec3) {
        if let Some(known) = self.boxes.iter().find(|b| b.0 == k) {
            return known.1;
        }
        let bounds = primitives[k as usize].bounds();
        self.boxes.push((k, bounds));
        bounds
    }

    /// Where the placed hull of a primitive is among those.
    fn place(&mut self, hull: &Hull, k: u32) -> usize {
        if let Some(known) = self.placed.iter().position(|p| p.0 == k) {
            return known;
        }
        let mut placed = Placed::default();
        hull.place(Mat3::IDENTITY, &mut placed);
        self.placed.push((k, placed));
        self.placed.len() - 1
    }
}

impl<'h, F: Fn(usize) -> &'h Hull> Touch<'_, F> {
    /// Whether two primitives share a gid or touch, as [`super::links::touching_pairs`] has it.
    fn is_between(&self, i: u32, j: u32, around: &mut Around) -> bool {
        let [p, q] = [i, j].map(|k| &self.primitives[k as usize]);
        if p.gids.iter().any(|g| q.has_gid(*g)) {
            return true;
        }
        let tolerance = self.least.max(0.02 * p.thickness.min(q.thickness));
        let [a, b] = [i, j].map(|k| around.bounds(self.primitives, k));
        if (b.0 - a.1).max(a.0 - b.1).max_element() > tolerance {
            return false;
        }
        // Most that only share a neighbour are apart along the way from one to the other: nothing has to be placed to see that.
        let offset = q.centroid - p.centroid;
        let way = offset.normalize_or_zero();
        let reach = |verts: &[Vec3], from: Vec3, way: Vec3| {
            let along = verts.iter().map(|v| way.dot(*v - from));
            along.fold(0.0, f32::max)
        };
        let within = reach(&p.verts, p.centroid, way) + reach(&q.verts, q.centroid, -way);
        if offset.length() - within > tolerance {
            return false;
        }
        let hulls = [i, j].map(|k| (self.hull)(k as usize));
        let [a, b] = [0, 1].map(|k| around.place(hulls[k], [i, j][k]));
        let [a, b] = [(hulls[0], a), (hulls[1], b)].map(|(hull, at)| Solid {
            hull,
            placed: &around.placed[at].1,
        });
        separation(a, b, offset, tolerance, &mut Feature::None).is_some()
    }
}

/// The kind of a link between two pieces whose parents had `old`.
fn kind(made: &Fracture, pattern: &Pattern, i: u32, j: u32, old: LinkKind) -> LinkKind {
    let [a, b] = [i, j].map(|k| made.primitives[k as usize].cell);
    let was = old == LinkKind::Pattern { breakable: true };
    if a == b {
        old
    } else {
        LinkKind::Pattern {
            breakable: was || pattern.is_tearable(a, b),
        }
    }
}

#[cfg(test)]
mod tests;
