//! How far two convex hulls are apart, by the separating axis theorem \[MCM16 §3.2\].
//!
//! Along each face normal of either hull, and each cross product of an edge of one with an edge of the other, the hulls' extents are
//! compared. The largest gap found is the answer; if it is negative, the hulls overlap, and it is the least way to part them. Every unit
//! axis gives a lower bound of the distance, so an axis that rounding has tilted can only weaken the answer, never falsify it: slabs a
//! thousand times as wide as thick are safe in f32. Where a corner faces a corner the gap is below the true distance.
//!
//! Pairs that stay apart are cheap: the axis that parted them last is tried first. Hulls of more than [`MANY_EDGES`](super::hull) edges
//! compare, instead of all edges, those whose arcs on the sphere of normals cross.

use glam::Vec3;

use super::hull::{Hull, HullEdge, Placed, extent};

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
    if let Some(axis) = along_cached(a, b, offset, *cache)
        && axis.gap > margin
    {
        return None;
    }
    let mut best = faces(a, b, offset, margin);
    if best.gap > margin {
        *cache = best.feature;
        return None;
    }
    let edge = if pa.directions.is_empty() || pb.directions.is_empty() {
        edges_by_arcs(a, b, offset, margin, best.normal)
    } else {
        edges_by_directions(pa, pb, offset, margin)
    };
    // Faces give up to four contacts, edges one. Departs from a fixed 1e-4 m: relative to the hulls' size, so that small worlds behave as
    // large ones do.
    let preference = 0.005 * best.gap.abs() + 1e-4 * pa.radius.min(pb.radius);
    if edge.gap > best.gap + preference || edge.gap > margin {
        best = edge;
    }
    *cache = best.feature;
    (best.gap <= margin).then_some(best)
}

const NOTHING: Separation = Separation {
    gap: f32::MIN,
    normal: Vec3::Y,
    feature: Feature::None,
};

/// The gap along a face direction of `own`; `offset` leads from it to `other`.
#[inline(always)]
fn along_face(own: &Placed, other: &Placed, offset: Vec3, axis: usize) -> (f32, Vec3) {
    let axis = &own.axes[axis];
    let (lo, hi) = extent(&other.blocks, axis.n);
    let s = axis.n.dot(offset);
    let (above, below) = (lo + s - axis.hi, axis.lo - hi - s);
    if above >= below {
        (above, axis.n)
    } else {
        (below, -axis.n)
    }
}

/// The gap along any unit axis.
#[inline(always)]
fn along(pa: &Placed, pb: &Placed, offset: Vec3, n: Vec3) -> (f32, Vec3) {
    let (lo_a, hi_a) = extent(&pa.blocks, n);
    let (lo_b, hi_b) = extent(&pb.blocks, n);
    let s = n.dot(offset);
    let (above, below) = (lo_b + s - hi_a, lo_a - hi_b - s);
    if above >= below {
        (above, n)
    } else {
        (below, -n)
    }
}

/// The gap along the axis that was found last, if it is still one.
#[inline]
fn along_cached(a: Solid, b: Solid, offset: Vec3, feature: Feature) -> Option<Separation> {
    let (pa, pb) = (a.placed, b.placed);
    let (gap, normal) = match feature {
        Feature::None => return None,
        Feature::FaceA(f) if usize::from(f) < pa.axes.len() => along_face(pa, pb, offset, f.into()),
        Feature::FaceB(f) if usize::from(f) < pb.axes.len() => {
            let (gap, n) = along_face(pb, pa, -offset, f.into());
            (gap, -n)
        }
        Feature::Directions(i, j) => {
            let u = *pa.directions.get(usize::from(i))?;
            let v = *pb.directions.get(usize::from(j))?;
            along(pa, pb, offset, u.cross(v).try_normalize()?)
        }
        Feature::Edges(i, j) => {
            let u = direction(pa, a.hull.edges.get(usize::from(i))?);
            let v = direction(pb, b.hull.edges.get(usize::from(j))?);
            along(pa, pb, offset, u.cross(v).try_normalize()?)
        }
        _ => return None,
    };
    Some(Separation {
        gap,
        normal,
        feature,
    })
}

/// The largest gap along a normal; stops at the first above `margin`.
#[inline]
fn faces(a: Solid, b: Solid, offset: Vec3, margin: f32) -> Separation {
    let (pa, pb) = (a.placed, b.placed);
    let mut best = NOTHING;
    for i in 0..pa.axes.len() {
        let (gap, normal) = along_face(pa, pb, offset, i);
        if gap > best.gap {
            best = Separation {
                gap,
                normal,
                feature: Feature::FaceA(i as u16),
            };
            if gap > margin {
                return best;
            }
        }
    }
    // The first hull's faces win ties, so that contacts do not change sides from step to step.
    let tie = 1e-5 * pa.radius.min(pb.radius);
    for i in 0..pb.axes.len() {
        let (gap, normal) = along_face(pb, pa, -offset, i);
        if gap > best.gap + tie || gap > margin {
            best = Separation {
                gap,
                normal: -normal,
                feature: Feature::FaceB(i as u16),
            };
            if gap > margin {
                return best;
            }
        }
    }
    best
}

/// The largest gap along a cross product of edge directions; stops at the first above `margin`.
#[inline]
fn edges_by_directions(pa: &Placed, pb: &Placed, offset: Vec3, margin: f32) -> Separation {
    let mut best = NOTHING;
    for (i, u) in pa.directions.iter().enumerate() {
        for (j, v) in pb.directions.iter().enumerate() {
            let n = u.cross(*v);
            let square = n.length_squared();
            if square < PARALLEL_SQUARE {
                continue;
            }
            let (gap, normal) = along(pa, pb, offset, n / square.sqrt());
            if gap > best.gap {
                best = Separation {
                    gap,
                    normal,
                    feature: Feature::Directions(i as u16, j as u16),
                };
                if gap > margin {
                    return best;
                }
            }
        }
    }
    best
}

fn direction(placed: &Placed, edge: &HullEdge) -> Vec3 {
    let [a, b] = edge.verts.map(|v| placed.verts[usize::from(v)]);
    (b - a).normalize_or_zero()
}

/// The largest gap of edges that can support each other: the arcs between the normals beside them cross on the sphere of normals.
fn edges_by_arcs(a: Solid, b: Solid, offset: Vec3, margin: f32, near: Vec3) -> Separation {
    // Of fine hulls only the edges that look roughly along the best normal so far can do better.
    let cone = |count: usize| if count > 200 { 0.7 } else { -2.0 };
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
