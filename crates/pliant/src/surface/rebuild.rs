//! The last resort: pieces that cannot be untangled are extracted anew from their winding number.

use super::closed_mesh::{ClosedMesh, INNER, NONE};
use super::components::remove;
use super::extract::{Extraction, extract};
use crate::geometry::grid::PointGrid;
use glam::{DVec3, Vec3};

/// Triangles that the extraction makes of an area of one spacing squared, about.
const PER_SQUARE: f64 = 12.0;
/// Nodes of the lattice that each triangle of the limit pays for: a surface that is small in its own box costs the box.
const NODES: f64 = 32.0;
/// A surface at its limit still gets this many triangles.
const FEWEST: usize = 200;

/// Replaces the sheets that the triangles `tangled` lie in by the boundary of the space they enclose together. Detail and textures
/// are lost there; rest positions and colours come from the nearest old vertex. The more of it there is for the `limit` of triangles,
/// the coarser it becomes. Returns the number of new triangles.
pub(crate) fn rebuild(
    mesh: &mut ClosedMesh,
    tangled: &[u32],
    max_edge: f32,
    limit: usize,
) -> usize {
    let old = sheets_of(mesh, tangled);
    let Some(&first) = old.first() else {
        return 0;
    };
    let others = mesh.triangle_count() - old.len();
    let room = limit.saturating_sub(others).max(old.len()).max(FEWEST);
    let new = extract_within(mesh, &old, max_edge, room);
    if new.triangles.is_empty() && others == 0 {
        // Inside out as a whole: a tangled body is better than none.
        return 0;
    }
    let spacing = new.spacing;

    let mut vertices: Vec<u32> = old.iter().flat_map(|&t| mesh.triangle(t)).collect();
    vertices.sort_unstable();
    vertices.dedup();
    let points: Vec<Vec3> = vertices.iter().map(|&v| mesh.x[v as usize]).collect();
    let grid = PointGrid::new(&points, 2.0 * spacing);
    let patch = mesh.patch[first as usize];
    let id = mesh.component[mesh.origin(3 * first) as usize];
    let made: Vec<u32> = new
        .positions
        .iter()
        .map(|&p| {
            let nearest = grid.nearest(p, 1).first().map_or(0, |n| n.0);
            let v = mesh.add_vertex(vertices[nearest as usize], p);
            mesh.component[v as usize] = id;
            v
        })
        .collect();
    remove(mesh, &old);

    let triangles: Vec<u32> = new
        .triangles
        .iter()
        .map(|t| mesh.add_triangle(t.map(|v| made[v as usize]), INNER, patch))
        .collect();
    let mut edges: Vec<(u32, u32, u32)> = triangles
        .iter()
        .flat_map(|&t| 3 * t..3 * t + 3)
        .map(|h| {
            let (a, b) = (mesh.origin(h), mesh.target(h));
            (a.min(b), a.max(b), h)
        })
        .collect();
    edges.sort_unstable();
    for pair in edges.chunks_exact(2) {
        mesh.glue(pair[0].2, pair[1].2);
    }
    for &t in &triangles {
        for h in 3 * t..3 * t + 3 {
            let v = mesh.origin(h) as usize;
            mesh.out[v] = h;
        }
    }
    // A vertex that the extraction did not use has no triangle and must not stay.
    for v in made {
        if mesh.out[v as usize] == NONE {
            mesh.free_vertex(v);
        }
    }
    triangles.len()
}

/// Extracts the triangles `old` at about the length of their edges, or coarser if more than `room` triangles would come out.
fn extract_within(mesh: &ClosedMesh, old: &[u32], max_edge: f32, room: usize) -> Extraction {
    let (mut length, mut area) = (0.0, 0.0);
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &t in old {
        let [a, b, c] = mesh.points(t).map(Vec3::as_dvec3);
        length += a.distance(b);
        area += 0.5 * (b - a).cross(c - a).length();
        low = low.min(a).min(b).min(c);
        high = high.max(a).max(b).max(c);
    }
    let mean = (length / old.len() as f64) as f32;
    let by_area = (PER_SQUARE * area / room as f64).sqrt();
    let by_nodes = libm::cbrt((high - low).element_product() / (NODES * room as f64));
    let mut spacing = mean
        .clamp(0.3 * max_edge, max_edge)
        .max(by_area.max(by_nodes) as f32);
    loop {
        let new = extract(&mesh.x, &mesh.corner, old, spacing);
        if new.triangles.len() <= room {
            return new;
        }
        spacing = 2.0 * new.spacing;
    }
}

/// All triangles that hang together with the given ones, ascending.
fn sheets_of(mesh: &ClosedMesh, triangles: &[u32]) -> Vec<u32> {
    let mut seen = vec![false; mesh.material.len()];
    let mut found: Vec<u32> = Vec::new();
    let meet = |t: u32, seen: &mut Vec<bool>, found: &mut Vec<u32>| {
        if mesh.alive(t) && !std::mem::replace(&mut seen[t as usize], true) {
            found.push(t);
        }
    };
    for &t in triangles {
        meet(t, &mut seen, &mut found);
    }
    let mut k = 0;
    while k < found.len() {
        let t = found[k];
        k += 1;
        for h in 3 * t..3 * t + 3 {
            meet(mesh.twin(h) / 3, &mut seen, &mut found);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::solids::sphere;
    use crate::surface::validate::Level;

    /// Two overlapping balls become one, whatever their surfaces look like.
    #[test]
    fn overlapping_balls_are_rebuilt_as_one() {
        let mut two = sphere(1.0, 10);
        let n = two.positions.len() as u32;
        let moved: Vec<Vec3> = two.positions.iter().map(|p| *p + Vec3::X * 0.9).collect();
        let second: Vec<[u32; 3]> = two.triangles.iter().map(|t| t.map(|v| v + n)).collect();
        two.positions.extend(moved);
        two.triangles.extend(second);
        let mut mesh = ClosedMesh::new(&two).unwrap();
        assert!(rebuild(&mut mesh, &[0, 1000], 0.2, usize::MAX) > 0);
        let census = mesh.validate(Level::Everything).unwrap();
        assert_eq!((census.sheets, census.euler), (1, 2));
        let lens = std::f64::consts::PI * 4.9 * 1.1f64.powi(2) / 12.0;
        let union = 8.0 / 3.0 * std::f64::consts::PI - lens;
        assert!(
            (census.volume / union - 1.0).abs() < 0.05,
            "{}",
            census.volume
        );
    }

    /// A body that is inside out as a whole stays.
    #[test]
    fn a_body_does_not_vanish() {
        let mut ball = sphere(1.0, 6);
        ball.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        let mut mesh = ClosedMesh::new(&ball).unwrap();
        let before = mesh.triangle_count();
        assert_eq!(rebuild(&mut mesh, &[0], 0.2, usize::MAX), 0);
        assert_eq!(mesh.triangle_count(), before);
    }

    /// A surface that is huge against the edges asked for is extracted as finely as the limit of triangles allows.
    #[test]
    fn a_huge_piece_is_rebuilt_within_the_limit() {
        let mut mesh = ClosedMesh::new(&sphere(1000.0, 3)).unwrap();
        let made = rebuild(&mut mesh, &[0], 0.01, 1000);
        assert!((200..=1000).contains(&made), "{made} triangles");
        mesh.validate(Level::Everything).unwrap();
    }
}
