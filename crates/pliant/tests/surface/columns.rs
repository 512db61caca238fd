//! Columns answer as exact rays do, except within their spacing of the surface.

use crate::blobs::{Blob, placed};
use crate::motions::{between, check, ring, unit};
use glam::Vec3;
use pliant::geometry::Mesh;
use pliant::random::Random;
use pliant::surface::columns::Columns;
use pliant::surface::rays::winding_above;

/// A surface that may cross itself: blobs in each other, or a crumpled ring.
fn shape(seed: u64) -> Mesh {
    if unit(seed, 0) < 0.5 {
        let count = 1 + (unit(seed, 1) * 5.0) as u64;
        let blobs: Vec<Blob> = (0..count).map(|k| Blob::new(seed, k, 0.0)).collect();
        let segments = (250 / count).isqrt() as u32;
        let rest: Vec<Mesh> = blobs.iter().map(|b| b.rest(segments)).collect();
        return placed(&blobs, &rest);
    }
    let mut mesh = ring(1.0, between(seed, 2, 0.2, 0.5), 0.2);
    let mut random = Random::new([seed, 3, 0, 0]);
    let turn = glam::Quat::from_scaled_axis(random.next_direction() * 2.0);
    let noise = between(seed, 4, 0.0, 0.6);
    for p in &mut mesh.positions {
        *p = turn * (*p + noise * (random.next_in_cube() - 0.5));
    }
    mesh
}

/// Distance from a point to a triangle \[Ericson 2005, §5.1.5\].
fn distance(p: Vec3, [a, b, c]: [Vec3; 3]) -> f32 {
    let on_edge = |a: Vec3, b: Vec3| {
        let t = (p - a).dot(b - a) / (b - a).length_squared().max(1e-30);
        p.distance(a + t.clamp(0.0, 1.0) * (b - a))
    };
    let n = (b - a).cross(c - a);
    let over = |a: Vec3, b: Vec3| (b - a).cross(p - a).dot(n) >= 0.0;
    if over(a, b) && over(b, c) && over(c, a) {
        return (p - a).dot(n.normalize_or_zero()).abs();
    }
    on_edge(a, b).min(on_edge(b, c)).min(on_edge(c, a))
}

/// Points within a few spacings of the surface, where wrong answers are, and some anywhere.
fn points(seed: u64, mesh: &Mesh, d: f32) -> Vec<Vec3> {
    let mut random = Random::new([seed, 5, 0, 0]);
    let near = (0..400).map(|k| {
        let t = mesh.triangles[random.next_below(mesh.triangles.len() as u32) as usize];
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        let w = random.next_in_cube() + 1e-3;
        let on = (w.x * a + w.y * b + w.z * c) / w.element_sum();
        let reach = if k % 4 == 0 { 1.0 } else { 3.0 * d };
        on + (2.0 * random.next_in_cube() - 1.0) * reach
    });
    near.collect()
}

fn against_rays(seed: u64) -> Result<(), String> {
    let mesh = shape(seed);
    let corner = mesh.triangles.as_flattened();
    let exact = |p: glam::DVec3| {
        let all = 0..mesh.triangles.len() as u32;
        winding_above(&mesh.positions, corner, all, p, u32::MAX)
    };
    let mut columns = Columns::new();
    let asked = 0.01 * 20f32.powf(unit(seed, 6));
    let d = columns.build(&mesh.positions, corner, None, asked);
    for p in points(seed, &mesh, d) {
        let told = |what: &str| Err(format!("{what} at {p}; spacing {d}"));
        if columns.winding(p) != exact(columns.snap(p)) {
            return told("another number than the ray on the column");
        }
        let lies = exact(p.as_dvec3()) > 0;
        if columns.contains(p) == lies {
            continue;
        }
        let triangles = mesh.triangles.iter();
        let away = triangles
            .map(|t| distance(p, t.map(|v| mesh.positions[v as usize])))
            .fold(f32::MAX, f32::min);
        if away > d {
            return told(&format!("wrong {away} away from the surface"));
        }
    }
    Ok(())
}

#[test]
fn columns_err_only_near_the_surface() {
    check(18, against_rays);
}
