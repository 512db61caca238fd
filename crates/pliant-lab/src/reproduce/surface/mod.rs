//! The tracked surface at full size: motions whose result is known.

mod cuts;
mod distance;
mod enright;
mod remesh;

use super::{Bench, Experiment};
use glam::Vec3;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};

/// The group, in order.
pub(super) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "surface/T4",
        title: "a ball is drawn out to a thin sheet and back (Enright's test)",
        run: enright::there_and_back,
    },
    Experiment {
        id: "surface/T6",
        title: "bodies are cut by twenty planes",
        run: cuts::by_planes,
    },
    Experiment {
        id: "surface/T8",
        title: "re-meshing keeps the shape and what is in range",
        run: remesh::in_range,
    },
];

/// The cow made on a grid of the given spacing, or the mesh of the command line, five units long.
fn figure(bench: &Bench, spacing: f32) -> Mesh {
    let cow = Shape::Figure {
        figure: Figure::Cow,
        center: Vec3::ZERO,
    };
    let mut mesh = match &bench.options.mesh {
        Some(mesh) => mesh.clone(),
        None => mesh_shape(&cow, spacing).unwrap_or_default(),
    };
    if let Some((lo, hi)) = mesh.bounds() {
        let scale = 5.0 / (hi - lo).max_element();
        let middle = 0.5 * (lo + hi);
        mesh.positions
            .iter_mut()
            .for_each(|p| *p = (*p - middle) * scale);
    }
    mesh
}
