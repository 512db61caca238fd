//! The last resort: pieces that cannot be untangled are extracted anew from their winding number.

use super::closed_mesh::{ClosedMesh, INNER, NONE};
use super::components::remove;
use super::extract::extract;
use crate::geometry::grid::PointGrid;
use glam::Vec3;

/// Replaces the sheets that the triangles `tangled` lie in by the boundary of the space they enclose together. Detail and textures
/// are lost there; rest positions and colours come from the nearest old vertex. Returns the number of new triangles.
pub(crate) fn rebuild(mesh: &mut ClosedMesh, tangled: &[u32], max_edge: f32) -> usize {
    let old = sheets_of(mesh, tangled);
    let Some(&first) = old.first() else {
        return 0;
    };
    let mean = old
        .iter()
        .map(|&t| f64::from(mesh.length2(3 * t).sqrt()))
        .sum::<f64>()
        / old.len() as f64;
    let spacing = (mean as f32).clamp(0.3 * max_edge, max_edge);
    let new = extract(&mesh.x, &mesh.corner, &old, spacing);

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
        assert!(rebuild(&mut mesh, &[0, 1000], 0.2) > 0);
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
}
