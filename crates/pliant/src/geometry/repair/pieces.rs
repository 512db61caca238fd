//! Looks at the closed pieces as wholes: leaves out those without volume and turns the others outward.

use glam::{DVec3, Vec3};

use crate::geometry::Mesh;
use crate::geometry::bvh::Bvh;
use crate::geometry::topology::DisjointSets;
use crate::geometry::winding::WindingField;

use super::duplicates::is_even;
use super::{Draft, NONE};

/// A piece is flat if its volume is below this part of its area to the power of 3/2: a square plate is, if its thickness is
/// less than three millionths of its side. That is what rounding makes of a sheet.
const FLAT: f64 = 1e-6;

/// How many vertices of a piece must lie in another to believe that all do, given that their boxes do.
const PROBES: usize = 16;

/// A closed piece of surface.
struct Piece {
    triangles: Vec<u32>,
    /// Signed volume (m³).
    volume: f64,
    lo: Vec3,
    hi: Vec3,
    flat: bool,
}

impl Piece {
    fn new(mesh: &Mesh, triangles: Vec<u32>) -> Self {
        let corners = |&t: &u32| mesh.triangles[t as usize].map(|v| mesh.positions[v as usize]);
        let start = triangles.first().map_or(Vec3::ZERO, |t| corners(t)[0]);
        let (lo, hi) = triangles
            .iter()
            .flat_map(corners)
            .fold((start, start), |(lo, hi), p| (lo.min(p), hi.max(p)));
        let origin = lo.as_dvec3().midpoint(hi.as_dvec3());
        let (mut volume, mut area) = (0.0, 0.0);
        for &t in &triangles {
            let (sorted, sign) = canonical(mesh.triangles[t as usize]);
            let [a, b, c] = sorted.map(|v| mesh.positions[v as usize].as_dvec3() - origin);
            volume += sign * a.dot(b.cross(c)) / 6.0;
            area += 0.5 * (b - a).cross(c - a).length();
        }
        Self {
            // A sum that is not a number, too, means that there is no volume to speak of.
            flat: triangles.len() < 4
                || volume.abs().partial_cmp(&(FLAT * area * area.sqrt()))
                    != Some(std::cmp::Ordering::Greater),
            triangles,
            volume,
            lo,
            hi,
        }
    }
}

/// The corners in order of their numbers, and 1 or −1 if that faces as the triangle does or not.
///
/// What is computed from these has the same rounding whichever way a triangle faces. So a piece that was turned is judged
/// like before, and a repaired mesh needs no further repair even where the judgement hangs on the last bit.
fn canonical(mut corners: [u32; 3]) -> ([u32; 3], f64) {
    let sign = if is_even(corners) { 1.0 } else { -1.0 };
    corners.sort_unstable();
    (corners, sign)
}

/// The pieces that share no vertex, by their first triangle.
fn pieces(mesh: &Mesh) -> Vec<Piece> {
    let mut sets = DisjointSets::new(mesh.positions.len());
    for &[a, b, c] in &mesh.triangles {
        sets.join(a, b);
        sets.join(a, c);
    }
    let mut number = vec![NONE; mesh.positions.len()];
    let mut triangles: Vec<Vec<u32>> = Vec::new();
    for (t, corners) in (0u32..).zip(&mesh.triangles) {
        let number = &mut number[sets.find(corners[0]) as usize];
        if *number == NONE {
            *number = triangles.len() as u32;
            triangles.push(Vec::new());
        }
        triangles[*number as usize].push(t);
    }
    triangles
        .into_iter()
        .map(|triangles| Piece::new(mesh, triangles))
        .collect()
}

/// Leaves out pieces without volume; returns how many.
pub(super) fn drop_flat(draft: &mut Draft) -> usize {
    let pieces = pieces(&draft.mesh);
    let mut keep = vec![true; draft.mesh.triangles.len()];
    for piece in pieces.iter().filter(|piece| piece.flat) {
        for &t in &piece.triangles {
            keep[t as usize] = false;
        }
    }
    draft.retain(&keep);
    draft.report.flat_pieces = pieces.iter().filter(|piece| piece.flat).count();
    draft.report.flat_pieces
}

/// Turns pieces outward, by the rule for cavities that the module gives.
pub(super) fn turn_outward(draft: &mut Draft) {
    let pieces = pieces(&draft.mesh);
    let around = surroundings(&draft.mesh, &pieces);
    // What is around a piece is larger: from large to small, all around a piece is settled before it.
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|&i, &j| {
        let size = |k: usize| pieces[k].volume.abs();
        size(j).total_cmp(&size(i)).then(i.cmp(&j))
    });
    let mut turned = vec![false; pieces.len()];
    for i in order {
        let inside_out = |j: usize| (pieces[j].volume < 0.0) != turned[j];
        let depth: i64 = around[i]
            .iter()
            .map(|&j| if inside_out(j) { -1 } else { 1 })
            .sum();
        let outermost = around[i].iter().copied().max_by(|&j, &k| {
            let size = |k: usize| pieces[k].volume.abs();
            size(j).total_cmp(&size(k)).then(k.cmp(&j))
        });
        let with_it = outermost.is_some_and(|j| turned[j]);
        let inside_out = (pieces[i].volume < 0.0) != with_it;
        turned[i] = with_it != (inside_out && depth < 1);
        if turned[i] {
            pieces[i]
                .triangles
                .iter()
                .for_each(|&t| draft.turn(t as usize));
        }
    }
}

/// For each piece, which others it lies in.
fn surroundings(mesh: &Mesh, pieces: &[Piece]) -> Vec<Vec<usize>> {
    let mut around = vec![Vec::new(); pieces.len()];
    if pieces.len() < 2 {
        return around;
    }
    let boxes: Vec<(Vec3, Vec3)> = pieces.iter().map(|p| (p.lo, p.hi)).collect();
    let tree = Bvh::new(&boxes);
    for (outer_number, outer) in pieces.iter().enumerate() {
        let mut within: Vec<usize> = Vec::new();
        tree.for_each_in_box(outer.lo, outer.hi, |j| {
            let inner = &pieces[j as usize];
            let in_box = outer.lo.cmple(inner.lo).all() && inner.hi.cmple(outer.hi).all();
            // Of two with the same box, neither is taken to be in the other unless it is smaller.
            if j as usize != outer_number && in_box && inner.volume.abs() < outer.volume.abs() {
                within.push(j as usize);
            }
        });
        if within.is_empty() {
            continue;
        }
        let corners = outer.triangles.iter().flat_map(|&t| {
            let ([a, b, c], sign) = canonical(mesh.triangles[t as usize]);
            if sign * outer.volume > 0.0 {
                [a, b, c]
            } else {
                [a, c, b]
            }
        });
        let field = WindingField::new(&Mesh {
            positions: corners.map(|v| mesh.positions[v as usize]).collect(),
            triangles: (0..outer.triangles.len() as u32)
                .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
                .collect(),
            ..Mesh::default()
        });
        for j in within {
            let inner = &pieces[j].triangles;
            let step = inner.len().div_ceil(PROBES).max(1);
            let inside = inner.iter().step_by(step).all(|&t| {
                let (corners, _) = canonical(mesh.triangles[t as usize]);
                let corners = corners.map(|v| mesh.positions[v as usize].as_dvec3());
                let center: DVec3 = corners.iter().sum::<DVec3>() / 3.0;
                field.contains(center.as_vec3())
            });
            if inside {
                around[j].push(outer_number);
            }
        }
    }
    around
}
