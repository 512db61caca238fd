//! The mesh that is drawn: vertices of primitives that share a gid are drawn in one place, their mean \[MCM16 §3.4\].
//!
//! Which triangles there are changes only when primitives, gids or links do: [`Welded::new`]. In each frame only the means are made anew:
//! [`Welded::update`], a gather in a fixed order.
//!
//! The boundary of a primitive is closed, hence so is the sum of all, in gids. A face between two primitives that hold together is left out
//! with its opposite, which keeps the sum closed; faces are left out in such pairs only. So the mesh is watertight by construction, whatever
//! the motion.
//!
//! Where a cut ends at a neighbour that was not cut, the new vertex lies on the neighbour's edge. It becomes a vertex of the neighbour's
//! faces, too, at a fixed share of the edge, and the neighbour takes part in its mean: no crack opens (`junctions.rs`).

use glam::{Mat3, Quat, Vec2, Vec3};
use rayon::prelude::*;

use super::junctions::{Junction, junctions, refine_ring};
use super::links::LinkGraph;
use super::polygons::PolygonMesh;
use super::primitive::{FaceTag, Primitive};
use crate::geometry::Mesh;
use crate::state::Csr;
use std::ops::Range;

/// Name of the part of faces that cuts have made, as of other surfaces that were inside.
pub const INNER_PART: &str = "inner";

/// Where a primitive is, and how it is deformed: a vertex v̄ is at x + D(v̄ − x̄).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Place of the centroid (m).
    pub x: Vec3,
    /// Deformation D, rotation included.
    pub d: Mat3,
}

/// The drawn mesh of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Welded {
    /// The mesh; its vertices are gids in ascending order.
    mesh: Mesh,
    /// Its vertices in the undeformed configuration (m).
    rest: Vec<Vec3>,
    /// The gid of each vertex.
    gids: Vec<u32>,
    /// Where the primitives' vertices of each mesh vertex begin in the columns below; one more than there are mesh vertices.
    rows: Vec<u32>,
    /// The primitive of each.
    owners: Vec<u32>,
    /// From the primitive's centroid to each, undeformed (m).
    arms: Vec<Vec3>,
}

impl Welded {
    /// The mesh of primitives that are linked by `graph` and were made from `source`, undeformed.
    pub fn new(primitives: &[Primitive], graph: &LinkGraph, source: &PolygonMesh) -> Self {
        let extras = junctions(primitives, graph);
        let hidden = hidden_faces(primitives, graph, &extras);
        let mut out = Self::gather(primitives, &extras);
        let mut builder = Builder {
            source,
            inner: None,
            mesh: Mesh {
                part_names: source.part_names.clone(),
                ..Mesh::default()
            },
        };
        let mut at = 0;
        let mut places = Vec::new();
        for (k, p) in primitives.iter().enumerate() {
            for f in 0..p.faces.rows() {
                if !hidden[at + f] {
                    refine_ring(p, f, &extras[k], &mut places);
                    builder.face(p, f, &places, &out.gids);
                }
            }
            at += p.faces.rows();
        }
        out.mesh = builder.mesh;
        out.mesh.colors = colors(primitives, source, &out.gids);
        let rest: Vec<Pose> = primitives
            .iter()
            .map(|p| Pose {
                x: p.centroid,
                d: Mat3::IDENTITY,
            })
            .collect();
        out.update(&rest);
        out.rest.clone_from(&out.mesh.positions);
        out
    }

    /// Vertices of the mesh in the undeformed configuration (m).
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// The mesh as it was last updated.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The gid of each vertex of the mesh, ascending.
    pub fn gids(&self) -> &[u32] {
        &self.gids
    }

    /// Moves the vertices to the means of the primitives' vertices; `poses` are those of all primitives, in their order.
    pub fn update(&mut self, poses: &[Pose]) {
        self.mesh.positions.resize(self.gids.len(), Vec3::ZERO);
        let (rows, owners, arms) = (&self.rows, &self.owners, &self.arms);
        let mean = |(v, out): (usize, &mut Vec3)| {
            let row = rows[v] as usize..rows[v + 1] as usize;
            let count = row.len() as f32;
            let mut sum = Vec3::ZERO;
            for k in row {
                let pose = &poses[owners[k] as usize];
                sum += pose.x + pose.d * arms[k];
            }
            *out = sum / count;
        };
        self.mesh
            .positions
            .par_iter_mut()
            .enumerate()
            .with_min_len(1024)
            .for_each(mean);
    }

    /// Moves the vertices to `local` places of a body whose centre is at `x`, turned by `rotation`.
    pub fn place(&mut self, local: &[Vec3], x: Vec3, rotation: Quat) {
        let turn = Mat3::from_quat(rotation);
        let places = self.mesh.positions.par_iter_mut().zip(local);
        places
            .with_min_len(1024)
            .for_each(|(out, p)| *out = x + turn * *p);
    }

    /// How many directed edges have more triangles on one side than on the other: 0 for a watertight mesh.
    pub fn imbalance(&self) -> usize {
        let mut edges: Vec<(u32, u32, i32)> = Vec::with_capacity(3 * self.mesh.triangles.len());
        for t in &self.mesh.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                edges.push((a.min(b), a.max(b), if a < b { 1 } else { -1 }));
            }
        }
        edges.sort_unstable();
        let same = edges.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1));
        same.filter(|e| e.iter().map(|x| x.2).sum::<i32>() != 0)
            .count()
    }

    /// Everything but the mesh: which vertices of which primitives each gid has.
    fn gather(primitives: &[Primitive], extras: &[Vec<Junction>]) -> Self {
        let count = primitives.iter().map(|p| p.gids.len()).sum();
        let mut all: Vec<(u32, u32, Vec3)> = Vec::with_capacity(count);
        for (k, p) in primitives.iter().enumerate() {
            let arms = p.verts.iter().map(|v| *v - p.centroid);
            all.extend(p.gids.iter().zip(arms).map(|(&g, arm)| (g, k as u32, arm)));
            let extra = extras.get(k).into_iter().flatten();
            all.extend(extra.map(|e| (e.gid, k as u32, e.place(p) - p.centroid)));
        }
        all.sort_by_key(|x| (x.0, x.1));
        let mut out = Self {
            rows: vec![0],
            ..Self::default()
        };
        for group in all.chunk_by(|x, y| x.0 == y.0) {
            out.gids.push(group[0].0);
            out.owners.extend(group.iter().map(|x| x.1));
            out.arms.extend(group.iter().map(|x| x.2));
            out.rows.push(out.owners.len() as u32);
        }
        out
    }
}

/// For each face of each primitive, one after the other: whether a linked primitive has the opposite one. Departs from \[MCM16\] in that cut
/// faces between pieces that hold together are left out as sides are: nobody sees them.
fn hidden_faces(
    primitives: &[Primitive],
    graph: &LinkGraph,
    extras: &[Vec<Junction>],
) -> Vec<bool> {
    struct Face {
        key: Range<usize>,
        forward: bool,
        primitive: u32,
        at: usize,
    }
    // All keys, one after the other: a list for each face would take longer than all else.
    let mut keys: Vec<u32> = Vec::new();
    let mut faces: Vec<Face> = Vec::new();
    let (mut at, mut ring) = (0, Vec::new());
    for (k, p) in primitives.iter().enumerate() {
        for f in 0..p.faces.rows() {
            if matches!(p.tags[f], FaceTag::Side | FaceTag::Cut) {
                refine_ring(p, f, &extras[k], &mut ring);
                let from = keys.len();
                let forward = push_canonical(&ring, &mut keys);
                faces.push(Face {
                    key: from..keys.len(),
                    forward,
                    primitive: k as u32,
                    at: at + f,
                });
            }
        }
        at += p.faces.rows();
    }
    let key = |face: &Face| &keys[face.key.clone()];
    faces.sort_unstable_by(|a, b| key(a).cmp(key(b)).then(a.at.cmp(&b.at)));
    let mut hidden = vec![false; at];
    for group in faces.chunk_by(|a, b| key(a) == key(b)) {
        for (k, a) in group.iter().enumerate() {
            let holds = |b: &&Face| {
                let link = graph.find(a.primitive, b.primitive);
                link.is_some_and(|l| !graph.links[l].broken)
                    && a.forward != b.forward
                    && !hidden[b.at]
            };
            if hidden[a.at] {
                continue;
            }
            if let Some(b) = group[k + 1..].iter().find(holds) {
                hidden[a.at] = true;
                hidden[b.at] = true;
            }
        }
    }
    hidden
}

/// Adds the gids of a ring from the lowest on, towards the lower neighbour; returns whether that is the way it goes.
fn push_canonical(ring: &[(u32, Vec3)], keys: &mut Vec<u32>) -> bool {
    let n = ring.len();
    let at = |i: usize| ring[i % n].0;
    let start = (0..n).min_by_key(|&i| at(i)).unwrap_or(0);
    let forward = at(start + 1) < at(start + n - 1);
    let step = if forward { 1 } else { n - 1 };
    keys.extend((0..n).map(|k| at(start + k * step)));
    forward
}

/// Makes triangles with their attributes.
struct Builder<'a> {
    source: &'a PolygonMesh,
    mesh: Mesh,
    /// The number of the part of cut faces, once there is one.
    inner: Option<u16>,
}

impl Builder<'_> {
    fn face(&mut self, p: &Primitive, f: usize, places: &[(u32, Vec3)], gids: &[u32]) {
        let vertex = |(gid, _): &(u32, Vec3)| gids.binary_search(gid).unwrap_or(0) as u32;
        let ring: Vec<u32> = places.iter().map(vertex).collect();
        let source = p.sources[f];
        let uvs = self.source.face_uvs(source as usize);
        let uv = |at: Vec3| {
            let (corners, weights) = within(self.source, source, at);
            (0..3).map(|k| uvs[corners[k]] * weights[k]).sum::<Vec2>()
        };
        let all: Vec<Vec2> = if uvs.is_empty() {
            Vec::new()
        } else {
            places.iter().map(|x| uv(x.1)).collect()
        };
        let part = self.part(p, f);
        for t in triangles(places, places.len() > p.faces.row(f).len()) {
            self.mesh.triangles.push(t.map(|i| ring[i]));
            if !all.is_empty() {
                self.mesh.corner_uvs.push(t.map(|i| all[i]));
            }
            if let Some(part) = part {
                self.mesh.parts.push(part);
            }
        }
    }

    fn part(&mut self, p: &Primitive, f: usize) -> Option<u16> {
        if p.tags[f] == FaceTag::Cut {
            if self.inner.is_none() {
                // What was drawn so far had no parts if the source has none.
                if self.source.parts.is_empty() {
                    self.mesh.part_names = vec![String::new()];
                    self.mesh.parts = vec![0; self.mesh.triangles.len()];
                }
                self.inner = Some(self.mesh.part_names.len().min(usize::from(u16::MAX) - 1) as u16);
                self.mesh.part_names.push(INNER_PART.to_owned());
            }
            return self.inner;
        }
        let source = p.sources[f] as usize;
        (self.inner.is_some() || !self.source.parts.is_empty()).then(|| self.source.part(source))
    }
}

/// A convex ring as triangles: a fan, or if it has junctions ears whose removal leaves no line behind.
fn triangles(ring: &[(u32, Vec3)], refined: bool) -> Vec<[usize; 3]> {
    let fan = |left: &[usize]| -> Vec<[usize; 3]> {
        (2..left.len())
            .map(|i| [left[0], left[i - 1], left[i]])
            .collect()
    };
    let mut left: Vec<usize> = (0..ring.len()).collect();
    if !refined {
        return fan(&left);
    }
    let at = |i: usize| ring[i].1.as_dvec3();
    let area = |left: &[usize]| {
        let cross = |i: usize| (at(left[i - 1]) - at(left[0])).cross(at(left[i]) - at(left[0]));
        (2..left.len()).map(cross).sum::<glam::DVec3>().length()
    };
    let least = 1e-7 * area(&left);
    let mut out = Vec::with_capacity(ring.len());
    while left.len() > 3 {
        let n = left.len();
        let ear = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let leaves_area = |k: usize| {
            let rest: Vec<usize> = (0..n).filter(|&i| i != k).map(|i| left[i]).collect();
            area(&ear(k)) > least && area(&rest) > least
        };
        let Some(k) = (0..n).find(|&k| leaves_area(k)) else {
            break;
        };
        out.push(ear(k));
        left.remove(k);
    }
    out.extend(fan(&left));
    out
}

/// Corners of a source face and their weights at a place in or near it: barycentric in the triangle of the face's fan that holds it best.
fn within(source: &PolygonMesh, face: u32, p: Vec3) -> ([usize; 3], [f32; 3]) {
    let row = source.faces.row(face as usize);
    let at = |i: usize| source.positions[row[i] as usize].as_dvec3();
    let p = p.as_dvec3();
    let mut best = ([0, 1, 2], [1.0 / 3.0; 3], f64::MIN);
    for i in 2..row.len() {
        let (a, b, c) = (at(0), at(i - 1), at(i));
        let n = (b - a).cross(c - a);
        let square = n.length_squared();
        if square == 0.0 {
            continue;
        }
        let weight = |q: glam::DVec3, r: glam::DVec3| (q - p).cross(r - p).dot(n) / square;
        let weights = [weight(b, c), weight(c, a), weight(a, b)];
        let least = weights.into_iter().fold(f64::MAX, f64::min);
        if least > best.2 {
            best = ([0, i - 1, i], weights, least);
        }
    }
    let inside = best.1.map(|w| w.max(0.0));
    let sum: f64 = inside.iter().sum();
    (
        best.0,
        inside.map(|w| {
            if sum > 0.0 {
                (w / sum) as f32
            } else {
                1.0 / 3.0
            }
        }),
    )
}

/// Colours of mesh vertices, from the source face of the first primitive that has each gid.
fn colors(primitives: &[Primitive], source: &PolygonMesh, gids: &[u32]) -> Vec<[u8; 4]> {
    if source.colors.is_empty() {
        return Vec::new();
    }
    let mut out: Vec<Option<[u8; 4]>> = vec![None; gids.len()];
    for p in primitives {
        let mut face_of = vec![p.source; p.verts.len()];
        for (f, row) in p.faces.iter().enumerate().rev() {
            for &v in row {
                face_of[v as usize] = p.sources[f];
            }
        }
        for (v, gid) in p.gids.iter().enumerate() {
            let Ok(at) = gids.binary_search(gid) else {
                continue;
            };
            if out[at].is_some() {
                continue;
            }
            let row = source.faces.row(face_of[v] as usize);
            let (corners, weights) = within(source, face_of[v], p.verts[v]);
            let channel = |k: usize| {
                let mix =
                    |c: usize| f32::from(source.colors[row[corners[c]] as usize][k]) * weights[c];
                (mix(0) + mix(1) + mix(2) + 0.5) as u8
            };
            out[at] = Some([0, 1, 2, 3].map(channel));
        }
    }
    out.into_iter().map(|c| c.unwrap_or([255; 4])).collect()
}

/// The mean distance of the primitives' vertices from where they are drawn (m): how far primitives gape.
pub fn spread(primitives: &[Primitive], poses: &[Pose]) -> f32 {
    let welded = Welded::gather(primitives, &[]);
    let count = welded.owners.len().max(1) as f32;
    let rows: Csr = Csr {
        offsets: welded.rows.clone(),
        items: (0..welded.owners.len() as u32).collect(),
    };
    let place = |k: u32| {
        let pose = &poses[welded.owners[k as usize] as usize];
        pose.x + pose.d * welded.arms[k as usize]
    };
    let gap = |row: &[u32]| -> f32 {
        let mean = row.iter().map(|&k| place(k)).sum::<Vec3>() / row.len() as f32;
        row.iter().map(|&k| place(k).distance(mean)).sum()
    };
    rows.iter().map(gap).sum::<f32>() / count
}

#[cfg(test)]
mod tests;
