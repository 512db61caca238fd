//! How deep points lie below the surface that they carry.

use crate::state::{Points, Surface};
use crate::surface::columns::Inflation;
use crate::world::Body;

/// Depths of all points, and the memory to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Depths {
    depth: Vec<f32>,
    weight: Vec<f32>,
    inflation: Inflation,
}

impl Depths {
    /// How deep each point lies (m): below zero for one that stands out, infinity for one that carries nothing.
    ///
    /// A surface of fixed topology may be coarser than the particles, and some of the outermost carry nothing: there all count, as deep
    /// as a particle is wide.
    pub(crate) fn all(&self) -> &[f32] {
        &self.depth
    }

    /// Finds them anew: the mean over the vertices that a point carries of how far it is behind their tangent planes.
    pub(crate) fn find(&mut self, bodies: &[Body], surfaces: &[Surface], points: &Points) {
        let Self {
            depth,
            weight,
            inflation,
        } = self;
        for column in [&mut *depth, &mut *weight] {
            column.clear();
            column.resize(points.len(), 0.0);
        }
        for (body, surface) in bodies.iter().zip(surfaces) {
            let Surface::Tracked(tracked) = surface else {
                depth[body.points.clone()].fill(body.particle_radius);
                continue;
            };
            let mesh = tracked.mesh();
            // Ahead of every vertex by a particle radius.
            let ahead = inflation.inflate(&mesh.x, &mesh.corner, &mesh.out, body.particle_radius);
            for v in mesh.vertices().map(|v| v as usize) {
                let normal = (ahead[v] - mesh.x[v]) / body.particle_radius;
                let skin = &tracked.skin()[v];
                for (&i, &w) in skin.point.iter().zip(&skin.weight) {
                    depth[i as usize] += w * normal.dot(mesh.x[v] - points.x[i as usize]);
                    weight[i as usize] += w;
                }
            }
            for i in body.points.clone() {
                depth[i] = if weight[i] > 0.0 {
                    depth[i] / weight[i]
                } else {
                    f32::INFINITY
                };
            }
        }
    }
}
