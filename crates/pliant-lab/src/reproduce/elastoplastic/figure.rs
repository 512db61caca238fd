//! The figure that the drop and shot experiments use, its runs and its pictures.

use crate::reproduce::{Bench, LabError};
use glam::{Quat, Vec3};
use pliant::dynamics::Collider;
use pliant::geometry::figures::Figure;
use pliant::geometry::surface_nets::mesh_shape;
use pliant::geometry::{Mesh, Shape};
use pliant::{BodyDesc, Material, Settings, SurfaceKind, World};

/// Particle radius: the figure is 40 r tall.
pub(super) const R: f32 = 0.1;
/// Height of the figure.
const HEIGHT: f32 = 4.0;
/// Height of the lowest point before the drop: 20 r.
const DROP: f32 = 2.0;
/// Largest condition number of F_P where clusters are not renewed.
///
/// Something must keep them usable. The default of 4 stops a figure half-way to the floor; 12 lets it become a pool and still keeps
/// every cluster well conditioned.
const PLASTIC_LIMIT: f32 = 12.0;

/// How the figure falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pose {
    /// On its feet, for pictures.
    Upright,
    /// On its back: an upright figure topples, so heights are measured on this one.
    Back,
}

/// The figure's surface: the golem, or the mesh of the command line, 40 r tall, lowest point 20 r above the floor.
pub(super) fn figure(bench: &Bench, pose: Pose) -> Mesh {
    let golem = || {
        mesh_shape(
            &Shape::Figure {
                figure: Figure::Golem,
                center: Vec3::ZERO,
            },
            0.1,
        )
    };
    let mut mesh = bench
        .options
        .mesh
        .clone()
        .or_else(|| golem().ok())
        .unwrap_or_default();
    if let Some((lo, hi)) = mesh.bounds() {
        let scale = HEIGHT / (hi.y - lo.y);
        let turn = match pose {
            Pose::Upright => Quat::IDENTITY,
            Pose::Back => Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        };
        let middle = (lo + hi) * 0.5;
        mesh.positions
            .iter_mut()
            .for_each(|p| *p = turn * ((*p - middle) * scale));
    }
    if let Some((lo, _)) = mesh.bounds() {
        mesh.positions.iter_mut().for_each(|p| p.y += DROP - lo.y);
    }
    mesh
}

/// Clay of these experiments.
pub(super) fn clay(plastic_yield: f32, plastic_flow: f32, hardening: f32) -> Material {
    Material {
        stiffness: 0.9,
        plastic_yield,
        plastic_flow,
        hardening,
        ..Material::default()
    }
}

/// A world with a floor and the figure above it.
pub(super) fn drop_world(
    bench: &Bench,
    pose: Pose,
    material: Material,
    settings: Settings,
    particle_radius: f32,
) -> Result<World, LabError> {
    let mut world = World::new(settings);
    world.add_collider(Collider::floor(0.0));
    let mut desc = BodyDesc::new("figure", figure(bench, pose), particle_radius);
    desc.surface = SurfaceKind::Tracked {
        edge_length: R,
        keep_volume: false,
    };
    desc.material = material;
    world.add_body(desc)?;
    Ok(world)
}

/// What a drop left behind.
pub(super) struct Dropped {
    /// Final height over initial height.
    pub(super) height: f64,
    /// Numbers that were not finite.
    pub(super) non_finite: u32,
    /// Largest |det F_P − 1| of all frames.
    pub(super) determinant_error: f64,
    /// Mean yield of the groups at the end.
    pub(super) mean_yield: f64,
    /// The world at the end.
    pub(super) world: World,
}

/// Height of the visible surface.
pub(super) fn surface_height(world: &World) -> f64 {
    world.surfaces()[0]
        .bounds()
        .map_or(0.0, |(lo, hi)| f64::from(hi.y - lo.y))
}

/// Drops the figure for five seconds.
pub(super) fn drop_figure(
    bench: &Bench,
    pose: Pose,
    material: Material,
    settings: Settings,
) -> Result<Dropped, LabError> {
    drop_at(bench, pose, material, settings, R)
}

/// [`drop_figure`] with particles of another size.
pub(super) fn drop_at(
    bench: &Bench,
    pose: Pose,
    material: Material,
    settings: Settings,
    particle_radius: f32,
) -> Result<Dropped, LabError> {
    let world = drop_world(bench, pose, material, settings, particle_radius)?;
    Ok(drop_for_five_seconds(world))
}

/// [`drop_figure`] of a body that keeps its particles and clusters.
pub(super) fn drop_unrenewed(
    bench: &Bench,
    pose: Pose,
    material: Material,
    settings: Settings,
) -> Result<Dropped, LabError> {
    let mut world = World::new(settings);
    world.add_collider(Collider::floor(0.0));
    let mut desc = BodyDesc::new("figure", figure(bench, pose), R);
    desc.material = Material {
        plastic_limit: Some(PLASTIC_LIMIT),
        ..material
    };
    world.add_body(desc)?;
    Ok(drop_for_five_seconds(world))
}

fn drop_for_five_seconds(mut world: World) -> Dropped {
    let start = surface_height(&world);
    let (mut non_finite, mut determinant_error) = (0, 0.0_f64);
    for _ in 0..300 {
        non_finite += world.step(1.0 / 60.0).non_finite;
        let worst = world
            .groups()
            .f_p
            .iter()
            .map(|f| f64::from((f.determinant() - 1.0).abs()));
        determinant_error = worst.fold(determinant_error, f64::max);
    }
    let yields = world
        .groups()
        .material
        .iter()
        .map(|m| f64::from(m.plastic_yield));
    let mean_yield = yields.sum::<f64>() / world.groups().len() as f64;
    Dropped {
        height: surface_height(&world) / start,
        non_finite,
        determinant_error,
        mean_yield,
        world,
    }
}
