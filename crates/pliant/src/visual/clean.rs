//! Faces of any mesh into faces that can be extruded: flat enough, convex, with area, none twice.

use std::collections::HashMap;

use glam::{DVec2, DVec3};

use super::intake::IntakeReport;
use super::polygons::PolygonMesh;

/// A face has no area below this share of the square of the mesh's diagonal.
const LEAST_AREA: f64 = 1e-10;
/// A polygon is flat if no corner is farther from its plane than this share of its longest edge.
const FLAT: f64 = 1e-4;
/// Most corners of a face: whatever collides looks at all of them.
const MOST_CORNERS: usize = 64;
/// Corners above which a polygon that is not convex is cut into a fan: looking for ears takes up to cubic time.
const MOST_EARS: usize = 1024;

/// A corner of a face: its vertex and its place in the columns of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Corner {
    pub(super) vertex: u32,
    pub(super) corner: u32,
}

/// A face that is convex and flat, within what [`FLAT`] allows.
#[derive(Clone, Debug)]
pub(super) struct CleanFace {
    pub(super) corners: Vec<Corner>,
    /// The face of the input that it is, or is a piece of.
    pub(super) origin: u32,
    pub(super) part: u16,
    /// The face in the same place that looks the other way.
    pub(super) twin: Option<u32>,
    /// Whether it is the second of two twins, which is drawn but not extruded.
    pub(super) second: bool,
}

/// Welded vertices and clean faces.
pub(super) struct Clean {
    pub(super) positions: Vec<DVec3>,
    /// For each vertex the first one of the input that it stands for.
    pub(super) vertex_origin: Vec<u32>,
    pub(super) faces: Vec<CleanFace>,
}

/// Welds and cleans. `joined` welds across parts, too.
pub(super) fn clean(mesh: &PolygonMesh, joined: bool, report: &mut IntakeReport) -> Clean {
    let (lo, hi) = mesh.bounds().unwrap_or_default();
    let diagonal = (hi.as_dvec3() - lo.as_dvec3()).length();
    let mut welder = Welder::default();
    let mut cleaner = Cleaner {
        least_area: LEAST_AREA * diagonal * diagonal,
        positions: Vec::new(),
        pieces: Vec::new(),
    };
    let mut faces: Vec<CleanFace> = Vec::with_capacity(mesh.face_count());
    for (face, row) in mesh.faces.iter().enumerate() {
        let part = mesh.part(face);
        let first = mesh.faces.offsets[face];
        let corners = row.iter().zip(first..).map(|(&v, corner)| Corner {
            vertex: welder.vertex(mesh, if joined { 0 } else { part }, v),
            corner,
        });
        let corners: Vec<Corner> = corners.collect();
        cleaner.positions = std::mem::take(&mut welder.positions);
        cleaner.face(corners, report);
        welder.positions = std::mem::take(&mut cleaner.positions);
        faces.extend(cleaner.pieces.drain(..).map(|corners| CleanFace {
            corners,
            origin: face as u32,
            part,
            twin: None,
            second: false,
        }));
    }
    let used = mesh.faces.items.len();
    report.welded_vertices = mesh
        .positions
        .len()
        .min(used)
        .saturating_sub(welder.positions.len());
    pair_duplicates(&mut faces, report);
    Clean {
        positions: welder.positions,
        vertex_origin: welder.origin,
        faces,
    }
}

/// Makes vertices of one part at exactly the same place one, as files split them along texture seams.
#[derive(Default)]
struct Welder {
    known: HashMap<(u16, [u32; 3]), u32>,
    positions: Vec<DVec3>,
    origin: Vec<u32>,
}

impl Welder {
    fn vertex(&mut self, mesh: &PolygonMesh, part: u16, v: u32) -> u32 {
        let p = mesh.positions[v as usize];
        // Adding zero turns −0 into 0, so that the two are one place.
        let key = (part, (p + glam::Vec3::ZERO).to_array().map(f32::to_bits));
        let next = self.positions.len() as u32;
        *self.known.entry(key).or_insert_with(|| {
            self.positions.push(p.as_dvec3());
            self.origin.push(v);
            next
        })
    }
}

/// Cleans one face after the other.
struct Cleaner {
    least_area: f64,
    positions: Vec<DVec3>,
    /// What became of the last face.
    pieces: Vec<Vec<Corner>>,
}

impl Cleaner {
    fn at(&self, c: Corner) -> DVec3 {
        self.positions[c.vertex as usize]
    }

    fn area_vector(&self, loop_: &[Corner]) -> DVec3 {
        let o = self.at(loop_[0]);
        let fan = |w: &[Corner]| (self.at(w[0]) - o).cross(self.at(w[1]) - o);
        0.5 * loop_[1..].windows(2).map(fan).sum::<DVec3>()
    }

    fn has_area(&self, loop_: &[Corner]) -> bool {
        self.area_vector(loop_).length() >= self.least_area
    }

    fn face(&mut self, corners: Vec<Corner>, report: &mut IntakeReport) {
        let before = corners.len();
        let mut loops = vec![corners];
        let mut repeated = false;
        while let Some(mut corners) = loops.pop() {
            corners.dedup_by_key(|c| c.vertex);
            while corners.len() > 1 && corners[0].vertex == corners[corners.len() - 1].vertex {
                corners.pop();
            }
            if corners.len() < 3 {
                report.collapsed_faces += usize::from(loops.is_empty() && self.pieces.is_empty());
                continue;
            }
            // A loop that comes back to a vertex is two loops.
            if let Some((i, j)) = repeat(&corners) {
                let inner: Vec<Corner> = corners.drain(i..j).collect();
                loops.extend([corners, inner]);
                repeated = true;
                continue;
            }
            repeated |= corners.len() != before;
            self.simple(&corners, report);
        }
        report.repeated_corners += usize::from(repeated);
    }

    /// A loop without repeated vertices.
    fn simple(&mut self, corners: &[Corner], report: &mut IntakeReport) {
        match corners.len() {
            3 => self.keep(corners.to_vec(), report),
            4 => self.quad(corners, report),
            _ => self.polygon(corners, report),
        }
    }

    fn keep(&mut self, corners: Vec<Corner>, report: &mut IntakeReport) {
        if self.has_area(&corners) {
            self.pieces.push(corners);
        } else {
            report.faces_without_area += 1;
        }
    }

    fn quad(&mut self, c: &[Corner], report: &mut IntakeReport) {
        let p: [DVec3; 4] = std::array::from_fn(|i| self.at(c[i]));
        let turn = |i: usize| (p[i] - p[(i + 3) % 4]).cross(p[(i + 1) % 4] - p[i]);
        let turns: [DVec3; 4] = std::array::from_fn(turn);
        let largest = (1..4).fold(0, |best, i| {
            let longer = turns[i].length_squared() > turns[best].length_squared();
            if longer { i } else { best }
        });
        let slack = 1e-9 * turns[largest].length_squared();
        let turns_back: Vec<usize> = (0..4)
            .filter(|&i| turns[i].dot(turns[largest]) < -slack)
            .collect();
        let split = |first: usize| {
            [
                [first, (first + 1) % 4, (first + 2) % 4],
                [first, (first + 2) % 4, (first + 3) % 4],
            ]
            .map(|t| t.map(|i| c[i]).to_vec())
        };
        let shorter = usize::from(p[1].distance_squared(p[3]) < p[0].distance_squared(p[2]));
        match turns_back.len() {
            0 if self.is_flat(c) => self.keep(c.to_vec(), report),
            0 => {
                report.bent_quads += 1;
                // The shorter diagonal, unless it folds the quad over.
                let folds = |first: usize| {
                    let [a, b] = split(first);
                    self.area_vector(&a).dot(self.area_vector(&b)) <= 0.0
                };
                let first = if folds(shorter) && !folds(1 - shorter) {
                    1 - shorter
                } else {
                    shorter
                };
                for t in split(first) {
                    self.keep(t, report);
                }
            }
            2 => {
                report.bow_ties += 1;
                let [a, mut b] = split(shorter);
                // The two halves of a bow-tie look opposite ways; one is turned, so that both are extruded to the same side.
                if self.area_vector(&a).dot(self.area_vector(&b)) < 0.0 {
                    b.reverse();
                }
                for t in [a, b] {
                    self.keep(t, report);
                }
            }
            backs => {
                report.reflex_quads += 1;
                let reflex = match backs {
                    1 => turns_back[0],
                    _ => (0..4).find(|i| !turns_back.contains(i)).unwrap_or(0),
                };
                for t in split(reflex) {
                    self.keep(t, report);
                }
            }
        }
    }

    fn is_flat(&self, c: &[Corner]) -> bool {
        let Some(n) = self.area_vector(c).try_normalize() else {
            return true;
        };
        let mean = c.iter().map(|&c| self.at(c)).sum::<DVec3>() / c.len() as f64;
        let next = |i: usize| self.at(c[(i + 1) % c.len()]);
        let longest = (0..c.len())
            .map(|i| self.at(c[i]).distance(next(i)))
            .fold(0.0, f64::max);
        c.iter()
            .all(|&c| n.dot(self.at(c) - mean).abs() <= FLAT * longest)
    }

    fn polygon(&mut self, c: &[Corner], report: &mut IntakeReport) {
        let flat = self.flatten(c);
        let count = c.len();
        let turn = |i: usize| {
            let [a, b, d] = [i, (i + 1) % count, (i + 2) % count].map(|i| flat[i]);
            (b - a).perp_dot(d - b)
        };
        let slack = 1e-9 * self.area_vector(c).length();
        let convex = (0..count).all(|i| turn(i) >= -slack) && winds_once(&flat);
        let is_flat = self.is_flat(c);
        if convex && is_flat && count <= MOST_CORNERS {
            self.keep(c.to_vec(), report);
            return;
        }
        report.split_polygons += 1;
        if convex && is_flat {
            // Slices about the first corner; neighbours share a side.
            for from in (1..count - 1).step_by(MOST_CORNERS - 2) {
                let to = (from + MOST_CORNERS - 2).min(count - 1);
                let slice = std::iter::once(c[0]).chain(c[from..=to].iter().copied());
                self.keep(slice.collect(), report);
            }
            return;
        }
        let mut pieces = triangulate(&flat, convex);
        if is_flat && count <= MOST_EARS {
            merge_convex(&flat, &mut pieces);
        }
        for piece in pieces {
            self.keep(piece.iter().map(|&i| c[i as usize]).collect(), report);
        }
    }

    /// Projects a polygon along its normal, so that it turns counter-clockwise.
    fn flatten(&self, c: &[Corner]) -> Vec<DVec2> {
        let n = self.area_vector(c).try_normalize().unwrap_or(DVec3::Z);
        let (u, v) = n.any_orthonormal_pair();
        let origin = self.at(c[0]);
        let project = |&c: &Corner| {
            let p = self.at(c) - origin;
            DVec2::new(p.dot(u), p.dot(v))
        };
        c.iter().map(project).collect()
    }
}

/// Two corners of the same vertex.
fn repeat(corners: &[Corner]) -> Option<(usize, usize)> {
    if corners.len() <= 3 {
        return None;
    }
    if corners.len() <= 16 {
        let same =
            |i: usize| (i + 1..corners.len()).find(|&j| corners[i].vertex == corners[j].vertex);
        return (0..corners.len()).find_map(|i| same(i).map(|j| (i, j)));
    }
    let mut seen = HashMap::new();
    (0..corners.len()).find_map(|j| seen.insert(corners[j].vertex, j).map(|i| (i, j)))
}

/// Whether a polygon that never turns right goes round once: a star does so twice.
fn winds_once(flat: &[DVec2]) -> bool {
    let edge = |i: usize| flat[(i + 1) % flat.len()] - flat[i % flat.len()];
    // The direction of the edges crosses the x axis upwards once a round.
    let up = |i: usize| edge(i).y < 0.0 && edge(i + 1).y >= 0.0;
    (0..flat.len()).filter(|&i| up(i)).count() <= 1
}

/// Cuts a polygon into triangles, ear by ear; a convex or a very long one into a fan.
fn triangulate(flat: &[DVec2], convex: bool) -> Vec<Vec<u32>> {
    let count = flat.len() as u32;
    if convex || flat.len() > MOST_EARS {
        return (2..count).map(|i| vec![0, i - 1, i]).collect();
    }
    let turn = |t: [u32; 3]| {
        let [a, b, c] = t.map(|i| flat[i as usize]);
        (b - a).perp_dot(c - b)
    };
    let mut left: Vec<u32> = (0..count).collect();
    let mut triangles = Vec::with_capacity(flat.len() - 2);
    while left.len() > 3 {
        let n = left.len();
        let corner = |i: usize| [left[(i + n - 1) % n], left[i], left[(i + 1) % n]];
        let is_ear = |&i: &usize| {
            let t = corner(i);
            let blocks = |&p: &u32| !t.contains(&p) && holds(flat, t, p);
            turn(t) > 0.0 && !left.iter().any(blocks)
        };
        // A polygon that crosses itself may have no ear; it is cut anyway, so that no corner is lost.
        let ear = (0..n).find(is_ear).unwrap_or(0);
        triangles.push(corner(ear).to_vec());
        left.remove(ear);
    }
    triangles.push(left);
    triangles
}

/// Whether a counter-clockwise triangle holds a point, its border included.
fn holds(flat: &[DVec2], triangle: [u32; 3], point: u32) -> bool {
    let p = flat[point as usize];
    let [a, b, c] = triangle.map(|i| flat[i as usize]);
    [(a, b), (b, c), (c, a)]
        .iter()
        .all(|&(from, to)| (to - from).perp_dot(p - from) >= 0.0)
}

/// Takes diagonals out as long as pieces stay convex.
fn merge_convex(flat: &[DVec2], pieces: &mut Vec<Vec<u32>>) {
    let turn = |a: u32, b: u32, c: u32| {
        let [a, b, c] = [a, b, c].map(|i| flat[i as usize]);
        (b - a).perp_dot(c - b)
    };
    let mut i = 0;
    while i < pieces.len() {
        let merged = (i + 1..pieces.len()).find_map(|j| {
            let whole = join(&pieces[i], &pieces[j])?;
            let n = whole.len();
            let convex = n <= MOST_CORNERS
                && (0..n).all(|k| turn(whole[k], whole[(k + 1) % n], whole[(k + 2) % n]) >= 0.0);
            convex.then_some((j, whole))
        });
        match merged {
            Some((j, whole)) => {
                pieces[i] = whole;
                pieces.remove(j);
            }
            None => i += 1,
        }
    }
}

/// Two loops that share an edge in opposite directions as one loop.
fn join(a: &[u32], b: &[u32]) -> Option<Vec<u32>> {
    for i in 0..a.len() {
        let (from, to) = (a[i], a[(i + 1) % a.len()]);
        let Some(j) = (0..b.len()).find(|&j| b[j] == to && b[(j + 1) % b.len()] == from) else {
            continue;
        };
        let mut whole: Vec<u32> = (0..a.len()).map(|k| a[(i + 1 + k) % a.len()]).collect();
        whole.extend((2..b.len()).map(|k| b[(j + k) % b.len()]));
        return Some(whole);
    }
    None
}

/// Drops faces that repeat an earlier one, and makes twins of those that repeat it the other way round.
fn pair_duplicates(faces: &mut Vec<CleanFace>, report: &mut IntakeReport) {
    struct Known {
        face: u32,
        forward: bool,
        paired: bool,
    }
    let mut known: HashMap<Vec<u32>, Known> = HashMap::with_capacity(faces.len());
    let mut kept: Vec<CleanFace> = Vec::with_capacity(faces.len());
    for mut face in faces.drain(..) {
        let (key, forward) = canonical(&face.corners);
        let number = kept.len() as u32;
        match known.get_mut(&key) {
            None => {
                known.insert(
                    key,
                    Known {
                        face: number,
                        forward,
                        paired: false,
                    },
                );
            }
            Some(first) if first.forward != forward && !first.paired => {
                first.paired = true;
                report.double_sided_faces += 1;
                kept[first.face as usize].twin = Some(number);
                face.twin = Some(first.face);
                face.second = true;
            }
            Some(_) => {
                report.duplicate_faces += 1;
                continue;
            }
        }
        kept.push(face);
    }
    *faces = kept;
}

/// The loop from its lowest vertex towards its lower neighbour, and whether that is the way it goes.
fn canonical(corners: &[Corner]) -> (Vec<u32>, bool) {
    let n = corners.len();
    let start = (0..n).min_by_key(|&i| corners[i].vertex).unwrap_or(0);
    let forward = corners[(start + 1) % n].vertex < corners[(start + n - 1) % n].vertex;
    let step = if forward { 1 } else { n - 1 };
    let key = (0..n).map(|k| corners[(start + k * step) % n].vertex);
    (key.collect(), forward)
}
