//! `[[body]]` → a body of the world.

use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use pliant::body::{make_solid, sample};
use pliant::matching::{Averaging, Fit};
use pliant::resample::{MassRule, Membership, Recluster, Resampling};
use pliant::state::Surface;
use pliant::{BodyDesc, BuildError, SurfaceKind, World};

use super::{Site, form, material};
use crate::error::Error;
use crate::file;
use crate::picture::{BodyLook, read_texture};

/// Material of a body that names none.
const DEFAULT_MATERIAL: &str = "clay";

/// Adds the body of an index to the world; `replacement` is a mesh file that takes the place of its form.
pub(super) fn add(
    site: &Site<'_>,
    index: usize,
    replacement: Option<&Path>,
    world: &mut World,
    warnings: &mut Vec<String>,
) -> Result<BodyLook, Error> {
    let body = &site.loaded.scene.body[index];
    let path = format!("body.{index}");
    let name = body.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
    let Some(values) = site.loaded.scene.material(name) else {
        return Err(site.error(
            &format!("{path}.material"),
            &format!("unknown material `{name}`"),
        ));
    };
    let form = form::build(site, index, replacement)?;
    warnings.extend(form.findings);
    check_surface(site, &path, &form.mesh, world)?;

    let r = form.particle_radius;
    let plain = BodyDesc::new(body.name_or_index(index), form.mesh, r);
    let used: usize = world.surfaces().iter().map(Surface::triangle_count).sum();
    let cluster_radius = body.cluster_radius.map_or(plain.cluster_radius, |c| c / r);
    let mut desc = BodyDesc {
        surface: match body.surface {
            Some(file::Surface::None) => SurfaceKind::None,
            Some(file::Surface::Skinned) => SurfaceKind::Skinned,
            _ => SurfaceKind::Tracked {
                edge_length: form.edge_length,
                keep_volume: body.volume.unwrap_or(false),
            },
        },
        cluster_radius,
        // Centres that are farther apart than three quarters of a radius leave particles in too few clusters.
        cluster_spacing: plain.cluster_spacing.min(0.75 * cluster_radius),
        material: material::convert(&values),
        velocity: body.velocity.map_or(Vec3::ZERO, Vec3::from_array),
        fit: match body.fit {
            None | Some(file::Fit::Procrustes) => Fit::Procrustes,
            Some(file::Fit::Affine) => Fit::Affine,
        },
        averaging: match body.averaging {
            None | Some(file::Averaging::Mass) => Averaging::MassWeighted,
            Some(file::Averaging::Count) => Averaging::Count,
        },
        resampling: Resampling {
            recluster: match body.recluster {
                Some(file::Recluster::Off) => Recluster::Off,
                _ => Recluster::World,
            },
            mass: match body.mass {
                Some(file::Mass::Paper) => MassRule::Paper,
                _ => MassRule::Rescale,
            },
            membership: match body.membership {
                Some(file::Membership::Geodesic) => Membership::Geodesic,
                _ => Membership::Euclidean,
            },
            ..plain.resampling
        },
        merge_delay: body.merge_delay.unwrap_or(plain.merge_delay),
        max_particles: site.limits.particles.saturating_sub(world.points().len()),
        max_triangles: site.limits.triangles.saturating_sub(used),
        ..plain
    };
    let radius_path = format!("{path}.particle_radius");
    let refuse = |error: BuildError| {
        let message = error.to_string();
        match error {
            BuildError::TooManyParticles { .. } => site.limit(&radius_path, &message),
            BuildError::TooManyTriangles { .. } => {
                site.limit(&format!("{path}.edge_length"), &message)
            }
            BuildError::TooFewParticles { .. } | BuildError::OnlyCrumbs(_) => {
                site.error(&radius_path, &message)
            }
            BuildError::Repair(_) => site.error(
                &path,
                &match &form.file {
                    Some(file) => format!("{file}: {message}"),
                    None => message,
                },
            ),
            _ => site.error(&path, &message),
        }
    };
    let repaired = make_solid(&mut desc).map_err(&refuse)?;
    if let Some(summary) = repaired.summary() {
        let name = form.file.as_ref().unwrap_or(&desc.name);
        warnings.push(format!("{name}: repaired: {summary}"));
    }
    let sampling = sample(&desc, world.settings().seed).map_err(&refuse)?;
    world.add_sampled(desc, &sampling).map_err(&refuse)?;
    // The engine's limit is an estimate made before the work; this one is exact.
    if world.points().len() > site.limits.particles {
        let message = format!(
            "the scene has {} particles so far, the limit is {}",
            world.points().len(),
            site.limits.particles
        );
        return Err(site.limit(&radius_path, &message));
    }
    look(site, &path, body)
}

/// Holds the surfaces so far against the limits.
fn check_surface(
    site: &Site<'_>,
    path: &str,
    mesh: &pliant::geometry::Mesh,
    world: &World,
) -> Result<(), Error> {
    let so_far =
        |count: fn(&Surface) -> usize| -> usize { world.surfaces().iter().map(count).sum() };
    let totals = [
        (
            "triangles",
            so_far(Surface::triangle_count) + mesh.triangles.len(),
            site.limits.triangles,
        ),
        (
            "vertices",
            so_far(Surface::vertex_count) + mesh.positions.len(),
            site.limits.vertices,
        ),
    ];
    for (name, total, limit) in totals {
        if total > limit {
            let message = format!("the scene has {total} {name} so far, the limit is {limit}");
            return Err(site.limit(path, &message));
        }
    }
    Ok(())
}

fn look(site: &Site<'_>, path: &str, body: &file::Body) -> Result<BodyLook, Error> {
    let at = format!("{path}.texture");
    match body.texture.as_deref() {
        None => Ok(BodyLook::default()),
        Some("checker") => Ok(BodyLook {
            checker: true,
            texture: None,
        }),
        Some(name) => {
            let file = site.file(&at, name)?;
            let texture = read_texture(&file, site.limits.bytes)
                .map_err(|what| site.error(&at, &format!("{}: {what}", file.display())))?;
            Ok(BodyLook {
                checker: false,
                texture: Some(Arc::new(texture)),
            })
        }
    }
}
