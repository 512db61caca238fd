//! Primitives cut by a pattern \[MCM16 §3.6, MCK13\].
//!
//! All happens in the undeformed configuration. Each primitive is clipped by each cell that it meets; what lies in one cell whole is only
//! labelled. No mass is lost: pieces too thin to simulate go, and the neighbour across their largest cut gets their volume.
//!
//! For brittle fracture [`islands`] says which pieces are new bodies; for ductile fracture [`relink`] joins them again with links that may
//! break where the pattern says so.

use rayon::prelude::*;

use super::clip::{Clipped, FaceKey, Piece};
use super::links::{Link, LinkGraph, LinkKind, touching_pairs};
use super::pattern::{Half, Pattern, overlap};
use super::primitive::{NO_CELL, Primitive, diagonal};

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

/// Cuts primitives by a pattern that was placed in their undeformed coordinates. `gid_count` is one more than the highest gid in use.
pub fn fracture(
    primitives: &[Primitive],
    pattern: &Pattern,
    gid_count: u32,
    options: &FractureOptions,
) -> Fracture {
    let size = f64::from(diagonal(primitives));
    let tolerance = 1e-6 * size;
    let outcomes: Vec<Outcome> = primitives
        .par_iter()
        .map(|p| cut(p, pattern, tolerance, options))
        .collect();
    let mut out = Fracture {
        gid_count,
        ..Fracture::default()
    };
    let mut pieces: Vec<(u32, u32, Piece, f64)> = Vec::new();
    for (k, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Outcome::Whole {
                cell,
                spared,
                refused,
            } => {
                out.report.spared += usize::from(spared);
                out.report.refused += usize::from(refused);
                out.parents.push(k as u32);
                out.primitives.push(Primitive {
                    cell,
                    ..primitives[k].clone()
                });
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
                    pieces.push((k as u32, cell, piece, given));
                    // Kept in the order of the parents; filled in below.
                    out.parents.push(k as u32);
                    out.primitives.push(Primitive::default());
                }
            }
        }
    }
    let gids = super::rekey::assign_gids(&mut pieces, &mut out.gid_count, size);
    let mut next = pieces.iter().zip(gids);
    for (slot, &parent) in out.primitives.iter_mut().zip(&out.parents) {
        if !slot.verts.is_empty() {
            continue;
        }
        let Some(((_, cell, piece, given), gids)) = next.next() else {
            break;
        };
        *slot = made(&primitives[parent as usize], piece, *cell, *given, gids);
    }
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

/// Cuts one primitive.
fn cut(p: &Primitive, pattern: &Pattern, tolerance: f64, options: &FractureOptions) -> Outcome {
    let at_centroid = || {
        pattern
            .cell_of(p.centroid.as_dvec3(), tolerance)
            .unwrap_or(NO_CELL)
    };
    let whole = Piece::new(p);
    let volume = whole.shape.volume();
    let longest = whole.shape.longest_edge() as f32;
    let (lo, hi) = whole.shape.bounds();
    let mut pieces: Vec<(u32, Piece)> = Vec::new();
    for (c, cell) in pattern.cells.iter().enumerate() {
        let (cell_lo, cell_hi) = cell.shape.bounds();
        if (lo - cell_hi).max(cell_lo - hi).max_element() > tolerance {
            continue;
        }
        match inside(&whole, pattern, &cell.halves, tolerance, p.source) {
            Clipped::All => {
                return Outcome::Whole {
                    cell: c as u32,
                    spared: false,
                    refused: false,
                };
            }
            Clipped::Nothing => {}
            Clipped::Part(piece) => pieces.push((c as u32, piece)),
        }
    }
    if pieces.is_empty() {
        return Outcome::Whole {
            cell: at_centroid(),
            spared: false,
            refused: false,
        };
    }
    if p.depth >= options.most_cuts || longest < options.least_edge * p.thickness {
        return Outcome::Whole {
            cell: at_centroid(),
            spared: true,
            refused: false,
        };
    }
    if pattern.bounded {
        for piece in outside(&whole, pattern, tolerance, p.source) {
            pieces.push((NO_CELL, piece));
        }
    }
    let sum: f64 = pieces.iter().map(|(_, piece)| piece.shape.volume()).sum();
    // Cells that overlap, or do not fill their space, would make or lose mass.
    if (sum - volume).abs() > 1e-5 * volume {
        return Outcome::Whole {
            cell: at_centroid(),
            spared: false,
            refused: true,
        };
    }
    drop_slivers(pieces, volume, f64::from(p.thickness), options)
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
    let mut within = graph.clone();
    for link in &mut within.links {
        link.broken |= primitives[link.i as usize].cell != primitives[link.j as usize].cell;
    }
    within.components()
}

/// The links of the pieces, from those of the primitives before the cut \[MCM16 §3.6\].
///
/// Pieces are linked if they touch and come from one primitive, or from two that were linked. Within a cell the link is what its parents'
/// was, or initial; across cells it may break if the pattern lets these two cells tear, or if the parents' link may.
pub fn relink(made: &Fracture, before: &LinkGraph, pattern: &Pattern) -> LinkGraph {
    let parents = before.adjacency.rows();
    let mut count = vec![0u32; parents];
    made.parents.iter().for_each(|&p| count[p as usize] += 1);
    // Only what was cut and its neighbours need to be looked at; all other links stay.
    let mut near = vec![false; parents];
    for (p, _) in count.iter().enumerate().filter(|(_, c)| **c != 1) {
        near[p] = true;
        before
            .neighbors(p as u32)
            .for_each(|(q, _)| near[q as usize] = true);
    }
    let is_cut = |p: u32| count[p as usize] != 1;
    let first_piece: Vec<u32> =
        made.parents
            .iter()
            .zip(0u32..)
            .fold(vec![u32::MAX; parents], |mut of, (&p, k)| {
                let slot = &mut of[p as usize];
                *slot = (*slot).min(k);
                of
            });
    let mut links: Vec<Link> = Vec::new();
    for old in before.links.iter().filter(|l| !is_cut(l.i) && !is_cut(l.j)) {
        let [i, j] = [old.i, old.j].map(|p| first_piece[p as usize]);
        let kind = kind(made, pattern, i, j, old.kind);
        links.push(Link {
            i: i.min(j),
            j: i.max(j),
            kind,
            ..*old
        });
    }
    let some: Vec<u32> = (0u32..)
        .zip(&made.parents)
        .filter(|(_, p)| near[**p as usize])
        .map(|(k, _)| k)
        .collect();
    let subset: Vec<Primitive> = some
        .iter()
        .map(|&k| made.primitives[k as usize].clone())
        .collect();
    for (a, b) in touching_pairs(&subset) {
        let (i, j) = (some[a as usize], some[b as usize]);
        let (p, q) = (made.parents[i as usize], made.parents[j as usize]);
        if !is_cut(p) && !is_cut(q) {
            continue;
        }
        let old = if p == q {
            LinkKind::Initial
        } else {
            match before.find(p, q).map(|k| before.links[k]) {
                Some(link) if !link.broken => link.kind,
                _ => continue,
            }
        };
        links.push(Link::new(
            &made.primitives,
            i,
            j,
            kind(made, pattern, i, j, old),
        ));
    }
    LinkGraph::new(made.primitives.len(), links)
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
