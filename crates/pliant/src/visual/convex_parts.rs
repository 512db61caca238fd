//! Closed convex shapes among the faces of a mesh \[MCM16 §3.1, Fig. 3\].

use glam::DVec3;

use super::clean::Clean;
use super::intake::IntakeReport;
use super::polyhedron::{Polyhedron, area_vector, edges};
use super::primitive::FaceTag;
use crate::state::Csr;

/// Vertices may stand out from the planes of a convex shape by this share of its diagonal.
pub(super) const CONVEX: f64 = 1e-4;
/// A shape with less than this share of the cube of its diagonal is a sheet.
const LEAST_VOLUME: f64 = 1e-9;
/// Most faces of a shape that becomes one primitive: what collides with it must look at all of them.
const MOST_FACES: usize = 1024;

/// A closed convex shape.
pub(super) struct ConvexPart {
    /// Its faces, ascending.
    pub(super) faces: Vec<u32>,
    /// The number of each vertex of `shape`.
    pub(super) vertices: Vec<u32>,
    pub(super) shape: Polyhedron,
    /// Its least width along a normal of a face (m).
    pub(super) width: f64,
}

/// Finds the convex shapes, in the order of their lowest faces.
pub(super) fn convex_parts(clean: &Clean, report: &mut IntakeReport) -> Vec<ConvexPart> {
    let components = components(clean);
    let mut found = Vec::new();
    // Shapes with their inside out are cavities: what they lie in is not solid.
    let mut cavities: Vec<DVec3> = Vec::new();
    for (faces, closed) in components {
        if !closed {
            continue;
        }
        let (shape, vertices) = assemble(clean, &faces);
        let (lo, hi) = shape.bounds();
        let diagonal = (hi - lo).length();
        let volume = shape.volume();
        if volume <= 0.0 {
            cavities.extend(shape.verts.first());
        }
        let edge_count = shape.faces.items.len() / 2;
        let is_ball = shape.verts.len() + faces.len() == edge_count + 2;
        if !is_ball || volume < LEAST_VOLUME * diagonal.powi(3) {
            continue;
        }
        let planes = planes(&shape);
        if !bends_outwards(&shape, &planes, CONVEX * diagonal) {
            continue;
        }
        if faces.len() > MOST_FACES {
            report.fine_convex_shapes += 1;
            continue;
        }
        let Some(width) = convex_width(&shape, &planes, CONVEX * diagonal) else {
            continue;
        };
        found.push(ConvexPart {
            faces,
            vertices,
            shape,
            width,
        });
    }
    found.retain(|part| {
        let hollow = cavities.iter().any(|&p| is_inside(&part.shape, p));
        report.hollow_shapes += usize::from(hollow);
        !hollow
    });
    report.convex_shapes = found.len();
    found
}

/// Faces connected by edges, and whether each edge is between exactly two that agree. In the order of the lowest faces.
fn components(clean: &Clean) -> Vec<(Vec<u32>, bool)> {
    let face_count = clean.faces.len();
    let mut parent: Vec<u32> = (0..face_count as u32).collect();
    let find = |parent: &mut Vec<u32>, mut f: u32| {
        while parent[f as usize] != f {
            parent[f as usize] = parent[parent[f as usize] as usize];
            f = parent[f as usize];
        }
        f
    };
    let mut directed: Vec<(u32, u32, bool, u32)> = Vec::with_capacity(4 * face_count);
    for (f, face) in clean.faces.iter().enumerate() {
        let n = face.corners.len();
        for i in 0..n {
            let [a, b] = [face.corners[i].vertex, face.corners[(i + 1) % n].vertex];
            directed.push((a.min(b), a.max(b), a < b, f as u32));
        }
    }
    directed.sort_unstable();
    let mut good = vec![true; face_count];
    for edge in directed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let fits = edge.len() == 2 && edge[0].2 != edge[1].2;
        for e in edge {
            good[e.3 as usize] &= fits;
            let (x, y) = (find(&mut parent, edge[0].3), find(&mut parent, e.3));
            parent[x.max(y) as usize] = x.min(y);
        }
    }
    let roots: Vec<u32> = (0..face_count as u32)
        .map(|f| find(&mut parent, f))
        .collect();
    let members = Csr::from_pairs(face_count, roots.iter().zip(0u32..).map(|(&r, f)| (r, f)));
    let whole = |faces: &[u32]| {
        let sound = |&f: &u32| good[f as usize] && clean.faces[f as usize].twin.is_none();
        (faces.to_vec(), faces.len() >= 4 && faces.iter().all(sound))
    };
    members
        .iter()
        .filter(|row| !row.is_empty())
        .map(whole)
        .collect()
}

/// The faces as a polyhedron, and the numbers of its vertices, ascending.
fn assemble(clean: &Clean, faces: &[u32]) -> (Polyhedron, Vec<u32>) {
    let corners = |f: u32| clean.faces[f as usize].corners.iter().map(|c| c.vertex);
    let mut vertices: Vec<u32> = faces.iter().flat_map(|&f| corners(f)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let mut rows = Csr::default();
    for &f in faces {
        rows.push(corners(f).map(|v| vertices.binary_search(&v).unwrap_or(0) as u32));
    }
    let shape = Polyhedron {
        verts: vertices
            .iter()
            .map(|&v| clean.positions[v as usize])
            .collect(),
        faces: rows,
        tags: vec![FaceTag::Outer; faces.len()],
        sources: faces.to_vec(),
    };
    (shape, vertices)
}

/// Unit normal and height of the plane of each face.
fn planes(shape: &Polyhedron) -> Vec<(DVec3, f64)> {
    let plane = |f: usize| {
        let n = shape.area_vector(f).normalize_or_zero();
        let row = shape.faces.row(f);
        let mean = row.iter().map(|&v| shape.verts[v as usize]).sum::<DVec3>() / row.len() as f64;
        (n, n.dot(mean))
    };
    (0..shape.faces.rows()).map(plane).collect()
}

/// Whether neighbouring faces lie behind each other: nearly everything that is not convex fails here, in linear time.
fn bends_outwards(shape: &Polyhedron, planes: &[(DVec3, f64)], tolerance: f64) -> bool {
    let mut sides: Vec<(u32, u32, u32)> = Vec::with_capacity(shape.faces.items.len());
    for (f, row) in shape.faces.iter().enumerate() {
        sides.extend(edges(row).map(|(a, b)| (a.min(b), a.max(b), f as u32)));
    }
    sides.sort_unstable();
    let behind = |f: u32, g: u32| {
        let (n, h) = planes[f as usize];
        let below = |&v: &u32| n.dot(shape.verts[v as usize]) <= h + tolerance;
        shape.faces.row(g as usize).iter().all(below)
    };
    let bends_out =
        |pair: &[(u32, u32, u32)]| behind(pair[0].2, pair[1].2) && behind(pair[1].2, pair[0].2);
    sides.chunks_exact(2).all(bends_out)
}

/// The least width along a normal, if no vertex stands out from a plane by more than `tolerance`.
fn convex_width(shape: &Polyhedron, planes: &[(DVec3, f64)], tolerance: f64) -> Option<f64> {
    let mut width = f64::INFINITY;
    for &(n, h) in planes {
        let mut lowest = h;
        for v in &shape.verts {
            let at = n.dot(*v);
            if at > h + tolerance {
                return None;
            }
            lowest = lowest.min(at);
        }
        if n != DVec3::ZERO {
            width = width.min(h - lowest);
        }
    }
    Some(width)
}

fn is_inside(shape: &Polyhedron, p: DVec3) -> bool {
    shape.faces.iter().all(|row| {
        let n = area_vector(row, |v| shape.verts[v as usize]);
        n.dot(p - shape.verts[row[0] as usize]) < 0.0
    })
}
