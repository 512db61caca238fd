//! How far two convex hulls are apart, by the separating axis theorem \[MCM16 §3.2\].
//!
//! Along each face normal of either hull, and each cross product of an edge of one with an edge of the other, the hulls' extents are
//! compared. The largest gap found is the answer; if it is negative, the hulls overlap, and it is the least way to part them. Every unit
//! axis gives a lower bound of the distance, so an axis that rounding has tilted can only weaken the answer, never falsify it: slabs a
//! thousand times as wide as thick are safe in f32. Where a corner faces a corner the gap is below the true distance.
//!
//! Axes are compared eight at a time, with AVX2 where there is one and the same bits elsewhere. Pairs that stay apart are cheap: the axis that parted them last is tried first. Hulls of more than [`MANY_EDGES`](super::hull) edges
//! compare, instead of all edges, those whose arcs on the sphere of normals cross.

use glam::Vec3;

use super::hull::{Hull, HullEdge, Placed, extent};
use crate::math::F8;
use crate::math::lanes::{Wide, dispatch};

/// Cross products shorter than the root of this are no axes: the edges are parallel.
const PARALLEL_SQUARE: f32 = 1e-8;

/// A hull and how it is placed now.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a> {
    /// The undeformed hull.
    pub hull: &'a Hull,
    /// The hull as it is now, about its centre.
    pub placed: &'a Placed,
}

/// What separates two hulls, or separated them last: kept from step to step, it saves most of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Feature {
    /// Nothing known.
    #[default]
    None,
    /// The face direction of the first hull with this number.
    FaceA(u16),
    /// The face direction of the second hull with this number.
    FaceB(u16),
    /// Edge directions of the two hulls.
    Directions(u16, u16),
    /// Edges of the two hulls; of hulls with many edges.
    Edges(u16, u16),
}

/// How far two hulls are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Gap along `normal`; negative if they overlap (m).
    pub gap: f32,
    /// Unit vector from the first hull to the second.
    pub normal: Vec3,
    /// What made the axis.
    pub feature: Feature,
}

/// The separation of two hulls, if it is at most `margin` (m). `offset` leads from the first centre to the second (m).
///
/// `cache` is tried first and becomes what was found, also if the answer is `None`.
#[inline]
pub fn separation(
    a: Solid,
    b: Solid,
    offset: Vec3,
    margin: f32,
    cache: &mut Feature,
) -> Option<Separation> {
    let (pa, pb) = (a.placed, b.placed);
    let reach = pa.radius + pb.radius + margin;
    if offset.length_squared() > reach * reach {
        return None;
    }
    let gap = (offset + pb.lo - pa.hi).max(pa.lo - pb.hi - offset);
    if gap.max_element() > margin {
        return None;
    }
    if along_cached(a, b, offset, *cache) > margin {
        return None;
    }
    let best = all_axes(a, b, offset, margin);
    *cache = best.feature;
    (best.gap <= margin).then_some(best)
}

const NOTHING: Separation = Separation {
    gap: f32::MIN,
    normal: Vec3::Y,
    feature: Feature::None,
};

/// The gap along any unit axis.
#[inline]
fn along(pa: &Placed, pb: &Placed, offset: Vec3, n: Vec3) -> f32 {
    let (lo_a, hi_a) = extent(&pa.verts, n);
    let (lo_b, hi_b) = extent(&pb.verts, n);
    let s = n.dot(offset);
    (lo_b + s - hi_a).max(lo_a - hi_b - s)
}

/// The gap along the axis that was found last; very negative if it is none any more.
#[inline]
fn along_cached(a: Solid, b: Solid, offset: Vec3, feature: Feature) -> f32 {
    let (pa, pb) = (a.placed, b.placed);
    let face = |p: &Placed, f: u16| {
        let block = p.axes.get(usize::from(f / 8))?;
        Some(Vec3::from(block.n.map(|x| x.0[usize::from(f % 8)])))
    };
    let cross = |u: Vec3, v: Vec3| u.cross(v).try_normalize();
    let axis = match feature {
        Feature::None => None,
        Feature::FaceA(f) => face(pa, f),
        Feature::FaceB(f) => face(pb, f),
        Feature::Directions(i, j) => {
            let (u, v) = (
                pa.directions.get(usize::from(i)),
                pb.directions.get(usize::from(j)),
            );
            u.zip(v).and_then(|(u, v)| cross(*u, *v))
        }
        Feature::Edges(i, j) => {
            let (e, f) = (
                a.hull.edges.get(usize::from(i)),
                b.hull.edges.get(usize::from(j)),
            );
            e.zip(f)
                .and_then(|(e, f)| cross(direction(pa, *e), direction(pb, *f)))
        }
    };
    axis.map_or(f32::MIN, |n| along(pa, pb, offset, n))
}

dispatch! {
    /// The largest gap along any axis; if one above `margin` is found, that one.
    fn all_axes(a: Solid, b: Solid, offset: Vec3, margin: f32) -> Separation = all_axes_kernel
}

#[inline(always)]
fn all_axes_kernel<W: Wide>(a: Solid, b: Solid, offset: Vec3, margin: f32) -> Separation {
    let (pa, pb) = (a.placed, b.placed);
    let mut best = faces::<W>(pa, pb, offset, margin, Feature::FaceA);
    if best.gap > margin {
        return best;
    }
    let mut second = faces::<W>(pb, pa, -offset, margin, Feature::FaceB);
    second.normal = -second.normal;
    // The first hull's faces win ties, so that contacts do not change sides from step to step.
    let small = pa.radius.min(pb.radius);
    if second.gap > best.gap + 1e-5 * small || second.gap > margin {
        best = second;
    }
    if best.gap > margin {
        return best;
    }
    let edge = if pa.directions.is_empty() || pb.directions.is_empty() {
        edges_by_arcs(a, b, offset, margin, best.normal)
    } else {
        edges_by_directions::<W>(pa, pb, offset, margin)
    };
    // Faces give up to four contacts, edges one. Departs from a fixed 1e-4 m: relative to the hulls' size, so that small worlds behave as
    // large ones do.
    let preference = 0.005 * best.gap.abs() + 1e-4 * small;
    if edge.gap > best.gap + preference || edge.gap > margin {
        best = edge;
    }
    best
}

/// Lowest and highest vertex along eight axes.
#[inline(always)]
fn extents<W: Wide>(verts: &[Vec3], n: [W; 3]) -> (W, W) {
    let (mut down, mut up) = (W::splat(-1e30), W::splat(-1e30));
    for v in verts {
        let at = n[0] * W::splat(v.x) + n[1] * W::splat(v.y) + n[2] * W::splat(v.z);
        up = up.max(at);
        down = down.max(-at);
    }
    (-down, up)
}

/// Keeps the largest of the first `count` lanes in `best`; the first of `gaps` are those where the second hull is on the axis' side.
#[inline(always)]
fn keep_best<W: Wide>(
    (above, below): (W, W),
    n: [W; 3],
    count: usize,
    best: &mut Separation,
    feature: impl Fn(usize) -> Feature,
) {
    let gap = above.max(below).store();
    let mut lane = usize::MAX;
    for l in 0..count {
        if gap.0[l] > best.gap {
            best.gap = gap.0[l];
            lane = l;
        }
    }
    if lane != usize::MAX {
        let axis = Vec3::from(n.map(|x| x.store().0[lane]));
        let is_above = above.store().0[lane] >= below.store().0[lane];
        best.normal = if is_above { axis } else { -axis };
        best.feature = feature(lane);
    }
}

/// The largest gap along a normal of `own`; `offset` leads from it to `other`.
#[inline(always)]
fn faces<W: Wide>(
    own: &Placed,
    other: &Placed,
    offset: Vec3,
    margin: f32,
    feature: fn(u16) -> Feature,
) -> Separation {
    let mut best = NOTHING;
    for (k, block) in own.axes.iter().enumerate() {
        let n = [0, 1, 2].map(|i| W::load(&block.n[i]));
        let (lo, hi) = extents::<W>(&other.verts, n);
        let s = n[0] * W::splat(offset.x) + n[1] * W::splat(offset.y) + n[2] * W::splat(offset.z);
        let gaps = (lo + s - W::load(&block.hi), W::load(&block.lo) - hi - s);
        keep_best(gaps, n, 8, &mut best, |l| feature((8 * k + l) as u16));
        if best.gap > margin {
            break;
        }
    }
    best
}

/// The largest gap along a cross product of edge directions, eight at a time.
#[inline(always)]
fn edges_by_directions<W: Wide>(pa: &Placed, pb: &Placed, offset: Vec3, margin: f32) -> Separation {
    let mut best = NOTHING;
    let mut n = [F8::ZERO; 3];
    let mut pairs = [(0u16, 0u16); 8];
    let mut filled = 0;
    let last = (pa.directions.len() - 1, pb.directions.len() - 1);
    for (i, u) in pa.directions.iter().enumerate() {
        for (j, v) in pb.directions.iter().enumerate() {
            let c = u.cross(*v);
            if c.length_squared() >= PARALLEL_SQUARE {
                [n[0].0[filled], n[1].0[filled], n[2].0[filled]] = c.to_array();
                pairs[filled] = (i as u16, j as u16);
                filled += 1;
            }
            if filled == 8 || (filled > 0 && (i, j) == last) {
                let feature = |l: usize| Feature::Directions(pairs[l].0, pairs[l].1);
                along_edges::<W>(pa, pb, offset, &n, filled, &mut best, feature);
                if best.gap > margin {
                    return best;
                }
                filled = 0;
            }
        }
    }
    best
}

/// Gaps along eight axes that are not of unit length yet.
#[inline(always)]
fn along_edges<W: Wide>(
    pa: &Placed,
    pb: &Placed,
    offset: Vec3,
    n: &[F8; 3],
    count: usize,
    best: &mut Separation,
    feature: impl Fn(usize) -> Feature,
) {
    let n = [0, 1, 2].map(|i| W::load(&n[i]));
    let square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    let length = square.sqrt().max(W::splat(1e-9));
    let n = n.map(|x| x / length);
    let (lo_a, hi_a) = extents::<W>(&pa.verts, n);
    let (lo_b, hi_b) = extents::<W>(&pb.verts, n);
    let s = n[0] * W::splat(offset.x) + n[1] * W::splat(offset.y) + n[2] * W::splat(offset.z);
    keep_best((lo_b + s - hi_a, lo_a - hi_b - s), n, count, best, feature);
}

fn direction(placed: &Placed, edge: HullEdge) -> Vec3 {
    let [a, b] = edge.verts.map(|v| placed.verts[usize::from(v)]);
    (b - a).normalize_or_zero()
}

/// The largest gap of edges that can support each other: the arcs between the normals beside them cross on the sphere of normals.
fn edges_by_arcs(a: Solid, b: Solid, offset: Vec3, margin: f32, near: Vec3) -> Separation {
    // Of fine hulls only the edges that look roughly along the best normal so far can do better.
    let cone = |count: usize| match count {
        ..=24 => -2.0,
        25..=200 => 0.2,
        _ => 0.7,
    };
    let (cone_a, cone_b) = (cone(a.hull.edges.len()), cone(b.hull.edges.len()));
    let looks = |s: Solid, e: &HullEdge, n: Vec3, cone: f32| {
        e.faces
            .iter()
            .any(|&f| s.placed.normals[usize::from(f)].dot(n) > cone)
    };
    let mut best = NOTHING;
    for (i, e) in a.hull.edges.iter().enumerate() {
        if !looks(a, e, near, cone_a) {
            continue;
        }
        let [na, nb] = e.faces.map(|f| a.placed.normals[usize::from(f)]);
        let [va, vb] = e.verts.map(|v| a.placed.verts[usize::from(v)]);
        let (u, ba) = (vb - va, nb.cross(na));
        for (j, g) in b.hull.edges.iter().enumerate() {
            let [nc, nd] = g.faces.map(|f| -b.placed.normals[usize::from(f)]);
            let (cba, dba) = (nc.dot(ba), nd.dot(ba));
            if cba * dba >= 0.0 || !looks(b, g, -near, cone_b) {
                continue;
            }
            let dc = nd.cross(nc);
            let (adc, bdc) = (na.dot(dc), nb.dot(dc));
            if adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                continue;
            }
            let [vc, vd] = g.verts.map(|v| b.placed.verts[usize::from(v)]);
            let n = u.cross(vd - vc);
            if n.length_squared()
                < PARALLEL_SQUARE * u.length_squared() * (vd - vc).length_squared()
            {
                continue;
            }
            let n = n.normalize();
            // Outwards of the first hull, whose centre is the origin.
            let normal = if n.dot(na + nb) < 0.0 { -n } else { n };
            let gap = normal.dot(vc + offset - va);
            if gap > best.gap {
                best = Separation {
                    gap,
                    normal,
                    feature: Feature::Edges(i as u16, j as u16),
                };
                if gap > margin {
                    return best;
                }
            }
        }
    }
    best
}

#[cfg(test)]
pub(in crate::visual) mod tests;
