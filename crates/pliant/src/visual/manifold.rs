//! Where two convex hulls touch: up to four points.
//!
//! If a face separates the hulls, the face of the other that looks at it most is clipped by its sides; what is below it, or above by no more
//! than the margin, are contacts. If edges do, their nearest points are the one contact.

use glam::Vec3;

use super::hull::HullEdge;
use super::sat::{Feature, Separation, Solid};

/// Most points of a manifold.
pub const MOST_POINTS: usize = 4;

/// Edges separate hulls whose faces look along the normal at least this much (cosine) as faces do: they lie on each other.
const FACE_TO_FACE: f32 = 0.9995;

/// A place where two hulls touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// From the first centre to the point on the first hull (m).
    pub a: Vec3,
    /// From the second centre to the point on the second hull (m).
    pub b: Vec3,
    /// Gap along the normal, negative if they overlap (m).
    pub gap: f32,
    /// What made the point; the same from step to step while the same features touch.
    pub id: u32,
}

/// Where two hulls touch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// Unit vector from the first hull to the second.
    pub normal: Vec3,
    /// The points; the first `count` are meant.
    points: [ContactPoint; MOST_POINTS],
    count: u8,
}

impl Manifold {
    /// The points, at least one.
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..usize::from(self.count)]
    }

    fn push(&mut self, point: ContactPoint) {
        if let Some(free) = self.points.get_mut(usize::from(self.count)) {
            *free = point;
            self.count += 1;
        }
    }
}

/// Memory that is used again for every pair.
#[derive(Clone, Debug, Default)]
pub struct ManifoldScratch {
    polygon: Vec<(Vec3, u32)>,
    clipped: Vec<(Vec3, u32)>,
}

/// Where two hulls touch that are separated as [`separation`](super::sat::separation) has found. `offset` leads from the first centre to
/// the second, contacts farther than `margin` apart are left out (m).
pub fn manifold(
    a: Solid,
    b: Solid,
    offset: Vec3,
    found: &Separation,
    margin: f32,
    scratch: &mut ManifoldScratch,
) -> Manifold {
    let n = found.normal;
    let (face_a, along_a) = facing(a, n);
    let (face_b, along_b) = facing(b, -n);
    let by_edges = matches!(found.feature, Feature::Directions(..) | Feature::Edges(..));
    if by_edges && along_a.min(along_b) < FACE_TO_FACE {
        return edge_contact(a, b, offset, found);
    }
    let second = match found.feature {
        Feature::FaceA(_) => false,
        Feature::FaceB(_) => true,
        _ => along_b > along_a,
    };
    let mut out = Manifold {
        normal: n,
        ..Manifold::default()
    };
    if second {
        face_contacts(b, face_b, a, face_a, -offset, margin, scratch);
    } else {
        face_contacts(a, face_a, b, face_b, offset, margin, scratch);
    }
    // Points are now relative to the centre of the hull whose face it is, each on the other hull.
    let reference = if second {
        b.placed.normals[face_b]
    } else {
        a.placed.normals[face_a]
    };
    let origin = first_corner(
        if second { b } else { a },
        if second { face_b } else { face_a },
    );
    for (p, id) in &scratch.polygon {
        let gap = reference.dot(*p - origin);
        let on_face = *p - reference * gap;
        let point = if second {
            ContactPoint {
                a: *p + offset,
                b: on_face,
                gap,
                id: id | 1 << 31,
            }
        } else {
            ContactPoint {
                a: on_face,
                b: *p - offset,
                gap,
                id: *id,
            }
        };
        out.push(point);
    }
    if out.count == 0 {
        return support_contact(a, b, offset, found);
    }
    out
}

fn first_corner(s: Solid, face: usize) -> Vec3 {
    s.placed.verts[s.hull.faces.row(face)[0] as usize]
}

/// The face that looks along `n` most, and how much.
fn facing(s: Solid, n: Vec3) -> (usize, f32) {
    let mut best = (0, f32::MIN);
    for (f, m) in s.placed.normals.iter().enumerate() {
        let along = m.dot(n);
        if along > best.1 {
            best = (f, along);
        }
    }
    best
}

/// Leaves at most four points in `scratch.polygon`: `other`'s face within the sides of `own`'s, no farther above it than `margin`.
fn face_contacts(
    own: Solid,
    face: usize,
    other: Solid,
    other_face: usize,
    offset: Vec3,
    margin: f32,
    scratch: &mut ManifoldScratch,
) {
    let n = own.placed.normals[face];
    let ring = own.hull.faces.row(face);
    let ManifoldScratch { polygon, clipped } = scratch;
    polygon.clear();
    for &v in other.hull.faces.row(other_face) {
        polygon.push((other.placed.verts[v as usize] + offset, v));
    }
    for i in 0..ring.len() {
        let from = own.placed.verts[ring[i] as usize];
        let to = own.placed.verts[ring[(i + 1) % ring.len()] as usize];
        let side = (to - from).cross(n);
        let height = |p: Vec3| side.dot(p - from);
        clipped.clear();
        for k in 0..polygon.len() {
            let ((p, id), (q, _)) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (hp, hq) = (height(p), height(q));
            if hp <= 0.0 {
                clipped.push((p, id));
            }
            if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
                let made = 1 << 30 | ((i as u32) & 0x3fff) << 16 | (id & 0xffff);
                clipped.push((p + (q - p) * (hp / (hp - hq)), made));
            }
        }
        std::mem::swap(polygon, clipped);
    }
    let origin = own.placed.verts[ring[0] as usize];
    polygon.retain(|(p, _)| n.dot(*p - origin) <= margin);
    reduce(polygon, n, origin);
}

/// Keeps four points that hold the body best: the deepest, the farthest from it, and the farthest to both sides of the line of the two.
fn reduce(polygon: &mut Vec<(Vec3, u32)>, n: Vec3, origin: Vec3) {
    if polygon.len() <= MOST_POINTS {
        return;
    }
    let most = |value: &dyn Fn(Vec3) -> f32| {
        let mut best = (0, f32::MIN);
        for (i, (p, _)) in polygon.iter().enumerate() {
            let v = value(*p);
            if v > best.1 {
                best = (i, v);
            }
        }
        best
    };
    let (first, _) = most(&|p| n.dot(origin - p));
    let p = polygon[first].0;
    let (second, _) = most(&|q| q.distance_squared(p));
    let across = n.cross(polygon[second].0 - p);
    let (third, left) = most(&|q| across.dot(q - p));
    let (fourth, right) = most(&|q| -across.dot(q - p));
    let mut kept = [first, second, third, fourth];
    if left <= 0.0 {
        kept[2] = first;
    }
    if right <= 0.0 {
        kept[3] = first;
    }
    // In the order of the polygon, each once.
    kept.sort_unstable();
    let mut count = 0;
    for (k, &from) in kept.iter().enumerate() {
        if k == 0 || from != kept[k - 1] {
            polygon[count] = polygon[from];
            count += 1;
        }
    }
    polygon.truncate(count);
}

/// The nearest points of the two edges that separate the hulls.
fn edge_contact(a: Solid, b: Solid, offset: Vec3, found: &Separation) -> Manifold {
    let n = found.normal;
    let (i, j) = match found.feature {
        Feature::Edges(i, j) => (usize::from(i), usize::from(j)),
        Feature::Directions(i, j) => (
            supporting(a, a.placed.directions[usize::from(i)], n),
            supporting(b, b.placed.directions[usize::from(j)], -n),
        ),
        _ => (0, 0),
    };
    let ends =
        |s: Solid, e: &HullEdge, by: Vec3| e.verts.map(|v| s.placed.verts[usize::from(v)] + by);
    let [p, q] = ends(a, &a.hull.edges[i], Vec3::ZERO);
    let [r, s] = ends(b, &b.hull.edges[j], offset);
    let (on_a, on_b) = nearest_on_segments(p, q, r, s);
    let mut out = Manifold {
        normal: n,
        ..Manifold::default()
    };
    out.push(ContactPoint {
        a: on_a,
        b: on_b - offset,
        gap: n.dot(on_b - on_a),
        id: 3 << 30 | (i as u32 & 0x3fff) << 14 | (j as u32 & 0x3fff),
    });
    out
}

/// The edge along `direction` that is highest along `n`.
fn supporting(s: Solid, direction: Vec3, n: Vec3) -> usize {
    let mut best = (0, f32::MIN);
    for (k, e) in s.hull.edges.iter().enumerate() {
        let [p, q] = e.verts.map(|v| s.placed.verts[usize::from(v)]);
        let d = q - p;
        let parallel = d.cross(direction).length_squared() <= 1e-4 * d.length_squared();
        let height = n.dot(p + q);
        if parallel && height > best.1 {
            best = (k, height);
        }
    }
    best.0
}

/// The nearest points of the segments p–q and r–s.
fn nearest_on_segments(p: Vec3, q: Vec3, r: Vec3, s: Vec3) -> (Vec3, Vec3) {
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, b, c, d, e) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let det = a * c - b * b;
    let mut k = if det > 1e-9 * a * c {
        ((b * e - c * d) / det).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let mut l = if c > 0.0 { (b * k + e) / c } else { 0.0 };
    if !(0.0..=1.0).contains(&l) {
        l = l.clamp(0.0, 1.0);
        k = if a > 0.0 {
            ((b * l - d) / a).clamp(0.0, 1.0)
        } else {
            0.0
        };
    }
    (p + u * k, r + v * l)
}

/// One contact at the second hull's deepest vertex; for corners that face each other.
fn support_contact(a: Solid, b: Solid, offset: Vec3, found: &Separation) -> Manifold {
    let n = found.normal;
    let lowest = |best: (usize, f32), (k, v): (usize, &Vec3)| {
        let h = n.dot(*v);
        if h < best.1 { (k, h) } else { best }
    };
    let (k, _) = b
        .placed
        .verts
        .iter()
        .enumerate()
        .fold((0, f32::MAX), lowest);
    let on_b = b.placed.verts[k];
    let high = a
        .placed
        .verts
        .iter()
        .map(|v| n.dot(*v))
        .fold(f32::MIN, f32::max);
    let gap = n.dot(on_b + offset) - high;
    let mut out = Manifold {
        normal: n,
        ..Manifold::default()
    };
    out.push(ContactPoint {
        a: on_b + offset - n * gap,
        b: on_b,
        gap,
        id: 1 << 29 | k as u32,
    });
    out
}

#[cfg(test)]
mod tests {
    use super::super::hull::{Hull, Placed};
    use super::super::sat::{separation, tests::primitive};
    use super::*;
    use crate::random::Random;
    use glam::{Mat3, Quat};

    fn touch(kinds: [u32; 2], d: [Mat3; 2], offset: Vec3, margin: f32) -> Option<Manifold> {
        let hulls = kinds.map(|k| Hull::new(&primitive(k)));
        let mut placed = [Placed::default(), Placed::default()];
        for i in 0..2 {
            hulls[i].place(d[i], &mut placed[i]);
        }
        let a = Solid {
            hull: &hulls[0],
            placed: &placed[0],
        };
        let b = Solid {
            hull: &hulls[1],
            placed: &placed[1],
        };
        let found = separation(a, b, offset, margin, &mut Feature::None)?;
        Some(manifold(
            a,
            b,
            offset,
            &found,
            margin,
            &mut ManifoldScratch::default(),
        ))
    }

    /// A box on a box touches in the four corners of what they share, and a gap within the margin is reported as one.
    #[test]
    fn box_on_box() {
        for gap in [-0.01, 0.02] {
            let m = touch(
                [0, 0],
                [Mat3::IDENTITY; 2],
                Vec3::new(0.3, 1.0 + gap, 0.2),
                0.05,
            )
            .unwrap();
            assert_eq!(m.points().len(), 4);
            assert!((m.normal - Vec3::Y).length() < 1e-6);
            let mut lo = Vec3::INFINITY;
            let mut hi = Vec3::NEG_INFINITY;
            for p in m.points() {
                assert!((p.gap - gap).abs() < 1e-6);
                assert!((p.a.y - 0.5).abs() < 1e-6 && (p.b.y + 0.5).abs() < 1e-6);
                lo = lo.min(p.a);
                hi = hi.max(p.a);
            }
            assert!((lo - Vec3::new(-0.2, 0.5, -0.3)).length() < 1e-5, "{lo}");
            assert!((hi - Vec3::new(0.5, 0.5, 0.5)).length() < 1e-5, "{hi}");
        }
        assert!(touch([0, 0], [Mat3::IDENTITY; 2], Vec3::Y * 1.1, 0.05).is_none());
    }

    /// Crossed edges touch in one point between them.
    #[test]
    fn crossed_edges() {
        let up = Mat3::from_quat(Quat::from_rotation_x(std::f32::consts::FRAC_PI_4));
        let down = Mat3::from_quat(Quat::from_rotation_z(std::f32::consts::FRAC_PI_4));
        let m = touch([0, 0], [up, down], Vec3::Y * (2.0f32.sqrt() - 0.02), 0.0).unwrap();
        assert_eq!(m.points().len(), 1);
        assert!((m.points()[0].gap + 0.02).abs() < 1e-5);
        assert!((m.normal - Vec3::Y).length() < 1e-5);
    }

    /// Points lie on both hulls, are no farther apart than the margin, and the deepest is as deep as the separation says.
    #[test]
    fn random_pairs() {
        let mut random = Random::new([4, 4, 4, 4]);
        let mut count = 0;
        for _ in 0..500 {
            let kinds = [random.next_below(5), random.next_below(5)];
            let mut turn = || {
                Mat3::from_quat(Quat::from_axis_angle(
                    random.next_direction(),
                    6.0 * random.next_f32(),
                ))
            };
            let d = [turn(), turn()];
            let offset = random.next_direction() * 0.9;
            let Some(m) = touch(kinds, d, offset, 0.02) else {
                continue;
            };
            count += 1;
            assert!(!m.points().is_empty());
            for p in m.points() {
                assert!(p.gap <= 0.021 && p.a.is_finite() && p.b.is_finite());
                assert!((p.b + offset - p.a - m.normal * p.gap).length() < 0.2);
            }
        }
        assert!(count > 100, "{count}");
    }
}
