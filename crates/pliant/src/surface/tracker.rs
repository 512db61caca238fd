//! The tracked surface: one closed mesh that is carried along, re-meshed, merged, split and cut.

use super::closed_mesh::{ClosedMesh, ClosedMeshError};
use super::remesh::{Budget, Lengths, RemeshReport, Remesher};
use crate::geometry::Mesh;
use glam::Vec3;
use rayon::prelude::*;

/// How a surface is tracked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackerSettings {
    /// Longest edge (m); the shortest is a tenth of it.
    pub edge_length: f32,
    /// Operations of re-meshing that one frame may try.
    pub max_operations: u32,
    /// Triangles that the surface may have; at the limit edges are no longer split.
    pub max_triangles: usize,
}

impl TrackerSettings {
    /// The usual settings for a longest edge.
    pub fn new(edge_length: f32) -> Self {
        Self {
            edge_length,
            max_operations: 8000,
            max_triangles: 2_000_000,
        }
    }
}

/// What happened to a surface in one frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackerReport {
    /// Re-meshing.
    pub remesh: RemeshReport,
}

/// A surface that stays closed while it is carried along.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    mesh: ClosedMesh,
    edge_length: f32,
    max_operations: u32,
    max_triangles: usize,
    remesher: Remesher,
}

impl Tracker {
    /// Starts tracking a closed, manifold, consistently oriented mesh.
    pub fn new(mesh: &Mesh, settings: TrackerSettings) -> Result<Self, ClosedMeshError> {
        Ok(Self {
            mesh: ClosedMesh::new(mesh)?,
            edge_length: settings.edge_length,
            max_operations: settings.max_operations,
            max_triangles: settings.max_triangles,
            ..Self::default()
        })
    }

    /// The surface as it is.
    pub fn mesh(&self) -> &ClosedMesh {
        &self.mesh
    }

    /// Carries every vertex to where `motion` takes it. A place that is not finite is refused and counted.
    pub fn advect(&mut self, motion: impl Fn(Vec3) -> Vec3 + Sync) -> usize {
        self.mesh
            .x
            .par_iter_mut()
            .with_min_len(1024)
            .map(|x| {
                let to = motion(*x);
                let fine = to.is_finite();
                if fine {
                    *x = to;
                }
                usize::from(!fine)
            })
            .sum()
    }

    /// Repairs the surface after it was carried.
    pub fn update(&mut self) -> TrackerReport {
        let lengths = Lengths::new(self.edge_length, 2.0 * self.edge_length);
        let budget = Budget {
            operations: self.max_operations,
            triangles: self.max_triangles,
        };
        let report = TrackerReport {
            remesh: self.remesher.run(&mut self.mesh, lengths, budget),
        };
        self.mesh.was.clone_from(&self.mesh.x);
        report
    }
}
