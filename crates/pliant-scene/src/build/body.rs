//! `[[body]]`, one or several that merge → a body of the world.

use std::path::Path;
use std::sync::Arc;

use glam::Vec3;
use pliant::body::{Sampling, make_solid, sample};
use pliant::clustering::{Clustering, Kernel};
use pliant::geometry::Mesh;
use pliant::matching::{Averaging, Dynamics, Fit, Springs};
use pliant::random::{Random, name_key};
use pliant::resample::{Embedded, MassRule, Membership, Recluster, Resampling};
use pliant::state::Surface;
use pliant::visual::PolygonMesh;
use pliant::{BodyDesc, BuildError, Material, SurfaceKind, World};

use super::form::{self, Form};
use super::visual::{self, Loose, Stage};
use super::{Site, material, merge, oriented};
use crate::error::Error;
use crate::file;
use crate::picture::{BodyLook, body_color, read_texture};

/// Material of a body that names none.
pub(super) const DEFAULT_MATERIAL: &str = "clay";

/// Adds the bodies of a group, which merge, as one body of the world; most groups are of one, and some of those are there in several
/// copies. A visual body may become several. `replacement` is a mesh file that takes the place of the first body's form; returned are joints
/// that wait for all bodies.
pub(super) fn add(
    site: &Site<'_>,
    (members, copy): (&[usize], usize),
    replacement: Option<&Path>,
    stage: &mut Stage<'_>,
    warnings: &mut Vec<String>,
) -> Result<Option<Loose>, Error> {
    let mut bodies = merge::complete(site, members)?;
    if let ([index], [body]) = (members, &mut bodies[..]) {
        if let Some(copies) = body.copies.clone() {
            put_aside(body, *index, &copies, copy);
        }
        if visual::is_visual(body) {
            let replacement = replacement.filter(|_| *index == 0);
            let place = (*index, &*body, copy);
            return visual::add(site, place, replacement, stage).map(Some);
        }
    }
    let before = stage.world.bodies().len();
    let place = (members, copy);
    let look = add_one(site, place, &bodies, replacement, stage.world, warnings)?;
    for body in &stage.world.bodies()[before..] {
        stage.looks.push((body.id, look.clone()));
        stage.cast.add_body(&body.name, &[body.id]);
        for &index in members {
            let name = site.loaded.scene.body[index].name_or_index(index);
            stage.cast.add_body(&name, &[body.id]);
        }
    }
    Ok(None)
}

/// Adds one body of particles, made of several bodies of the scene if these merge.
fn add_one(
    site: &Site<'_>,
    (members, copy): (&[usize], usize),
    bodies: &[file::Body],
    replacement: Option<&Path>,
    world: &mut World,
    warnings: &mut Vec<String>,
) -> Result<BodyLook, Error> {
    let mut totals = Totals::of(world);
    if let ([index], [body]) = (members, bodies)
        && body.method == Some(file::Method::Oriented)
    {
        let replacement = replacement.filter(|_| *index == 0);
        oriented::add(
            site,
            (*index, body),
            body_color(*index + copy),
            replacement,
            world,
            &mut totals,
            warnings,
        )?;
        return look(site, (*index, copy), body, false);
    }
    let mut forms = Vec::new();
    for (&index, body) in members.iter().zip(bodies) {
        let replacement = replacement.filter(|_| index == 0);
        let mut form = form::build(site, index, body, replacement)?;
        warnings.append(&mut form.findings);
        totals.add_surface(site, index, &form.mesh)?;
        forms.push(form);
    }
    merge::agree(site, members, &mut forms)?;
    let first = members.first().copied().unwrap_or_default();
    let look = look(site, (first, copy), &bodies[0], members.len() > 1)?;
    let mut sampled = Vec::new();
    for ((&index, body), mut form) in members.iter().zip(bodies).zip(forms) {
        if look.blend && look.texture.is_none() && form.mesh.colors.is_empty() {
            let [r, g, b] = body_color(index);
            form.mesh.colors = vec![[r, g, b, 255]; form.mesh.positions.len()];
        }
        sampled.push(member(
            site,
            index,
            body,
            form,
            world,
            &mut totals,
            warnings,
        )?);
    }
    let descs: Vec<&BodyDesc> = sampled.iter().map(|(desc, _)| desc).collect();
    warnings.extend(merge::lost_differences(&descs));
    match sampled.pop() {
        Some((desc, sampling)) if sampled.is_empty() => world.add_sampled(desc, &sampling),
        Some(last) => {
            sampled.push(last);
            world.add_sampled_merging(sampled)
        }
        None => return Ok(look),
    }
    .map_err(|error| refuse(site, first, None, &error))?;
    Ok(look)
}

/// Makes a body its own copy of a number.
fn put_aside(body: &mut file::Body, index: usize, copies: &file::Copies, copy: usize) {
    let name = body.name_or_index(index);
    let mut random = Random::new([1, name_key(&name), copy as u64, 0]);
    let [nx, ny, _] = copies.count.map(|n| n.max(1) as usize);
    let place = [copy % nx, copy / nx % ny, copy / (nx * ny)];
    let (mut position, mut rotation) = (
        body.position.unwrap_or_default(),
        body.rotation.unwrap_or_default(),
    );
    for axis in 0..3 {
        position[axis] += place[axis] as f32 * copies.spacing[axis];
        rotation[axis] += copies.turn.unwrap_or(0.0) * (2.0 * random.next_f32() - 1.0);
    }
    body.name = Some(format!("{name}.{copy}"));
    body.position = Some(position);
    body.rotation = Some(rotation);
}

/// The material of a body.
pub(super) fn material_of(
    site: &Site<'_>,
    index: usize,
    body: &file::Body,
) -> Result<Material, Error> {
    let name = body.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
    let values = site.loaded.scene.material(name).ok_or_else(|| {
        let path = format!("body.{index}.material");
        site.error(&path, &format!("unknown material `{name}`"))
    })?;
    Ok(material::convert(&values))
}

/// Makes the form of a body solid and fills it with particles.
fn member(
    site: &Site<'_>,
    index: usize,
    body: &file::Body,
    form: Form,
    world: &World,
    totals: &mut Totals,
    warnings: &mut Vec<String>,
) -> Result<(BodyDesc, Sampling), Error> {
    let path = format!("body.{index}");
    let material = material_of(site, index, body)?;
    let file = form.file.clone();
    let used: usize = world.surfaces().iter().map(Surface::triangle_count).sum();
    let mut desc = BodyDesc {
        max_particles: site.limits.particles.saturating_sub(totals.particles),
        max_triangles: site.limits.triangles.saturating_sub(used),
        ..describe(body, index, form, material)
    };
    let refuse = |error: BuildError| refuse(site, index, file.as_deref(), &error);
    let repaired = make_solid(&mut desc).map_err(refuse)?;
    if let Some(summary) = repaired.summary() {
        let name = file.as_ref().unwrap_or(&desc.name);
        warnings.push(format!("{name}: repaired: {summary}"));
    }
    let sampling = sample(&desc, world.settings().seed).map_err(refuse)?;
    // The engine's limit is an estimate made before the work; this one is exact.
    let at = format!("{path}.particle_radius");
    totals.add_particles(site, &at, sampling.points.len())?;
    Ok((desc, sampling))
}

/// What the engine needs to know of a body.
fn describe(body: &file::Body, index: usize, form: Form, material: Material) -> BodyDesc {
    let r = form.particle_radius;
    let plain = BodyDesc::new(body.name_or_index(index), form.mesh, r);
    let cluster_radius = body.cluster_radius.map_or(plain.cluster_radius, |c| c / r);
    BodyDesc {
        surface: match body.surface {
            Some(file::Surface::None) => SurfaceKind::None,
            Some(file::Surface::Skinned) => SurfaceKind::Skinned,
            _ => SurfaceKind::Tracked {
                edge_length: form.edge_length,
                keep_volume: body.volume.unwrap_or(false),
            },
        },
        cluster_radius,
        clustering: clustering(body),
        dynamics: dynamics(body),
        // Centres that are farther apart than three quarters of a radius leave particles in too few clusters.
        cluster_spacing: plain.cluster_spacing.min(0.75 * cluster_radius),
        material,
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
                Some(file::Recluster::Embedded) => Recluster::Embedded,
                None | Some(file::Recluster::World) => Recluster::World,
            },
            embedded: embedded(body),
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
        ..plain
    }
}

fn has_springs(body: &file::Body) -> bool {
    body.dynamics == Some(file::Dynamics::Springs)
}

fn dynamics(body: &file::Body) -> Dynamics {
    if !has_springs(body) {
        return Dynamics::Positions;
    }
    let given = body.springs.clone().unwrap_or_default();
    let plain = Springs::default();
    Dynamics::Springs(Springs {
        goal: given.goal.unwrap_or(plain.goal),
        damping: given.damping.unwrap_or(plain.damping),
        max_stretch: given.max_stretch.unwrap_or(plain.max_stretch),
        relax: given.relax.unwrap_or(plain.relax),
        sweeps: given.sweeps.unwrap_or(plain.sweeps),
    })
}

fn embedded(body: &file::Body) -> Embedded {
    let given = body.embedded.clone().unwrap_or_default();
    let plain = Embedded::default();
    Embedded {
        cond_max: given.cond_max.unwrap_or(plain.cond_max),
        fade_out: given.fade_out.unwrap_or(plain.fade_out),
        fade_in: given.fade_in.unwrap_or(plain.fade_in),
        min_clusters: given.min_clusters.unwrap_or(plain.min_clusters),
        sweeps: given.sweeps.unwrap_or(plain.sweeps),
    }
}

fn clustering(body: &file::Body) -> Clustering {
    let springs = has_springs(body);
    let kernel = match body.kernel {
        None if springs => Kernel::InverseSquare,
        None | Some(file::Kernel::Box) => Kernel::Box,
        Some(file::Kernel::Poly6) => Kernel::Poly6,
        Some(file::Kernel::Blend(more)) => Kernel::Blend(more),
        Some(file::Kernel::Invsq) => Kernel::InverseSquare,
        Some(file::Kernel::Fcm(power)) => Kernel::Fuzzy(power),
    };
    let count = body.clusters;
    let weighted = springs || count.is_some() || kernel != Kernel::Box;
    match body.clustering {
        Some(file::Clustering::Cover) => Clustering::Cover,
        None if !weighted => Clustering::Cover,
        None | Some(file::Clustering::Fuzzy) => Clustering::Fuzzy { count, kernel },
        Some(file::Clustering::Means) => Clustering::Means { count, kernel },
        Some(file::Clustering::Random) => Clustering::Random { kernel },
    }
}

/// Says what the engine has against a body at the field that decides about it.
pub(super) fn refuse(
    site: &Site<'_>,
    index: usize,
    file: Option<&str>,
    error: &BuildError,
) -> Error {
    let path = format!("body.{index}");
    let message = error.to_string();
    let radius_path = format!("{path}.particle_radius");
    match error {
        BuildError::TooManyParticles { .. } => site.limit(&radius_path, &message),
        BuildError::TooManyTriangles { .. } => site.limit(&format!("{path}.edge_length"), &message),
        BuildError::TooFewParticles { .. } | BuildError::OnlyCrumbs(_) => {
            site.error(&radius_path, &message)
        }
        BuildError::Repair(_) => site.error(
            &path,
            &match file {
                Some(file) => format!("{file}: {message}"),
                None => message,
            },
        ),
        _ => site.error(&path, &message),
    }
}

/// What the bodies so far have, to be held against the limits.
pub(super) struct Totals {
    particles: usize,
    triangles: usize,
    vertices: usize,
}

impl Totals {
    pub(super) fn of(world: &World) -> Self {
        let sum = |count: fn(&Surface) -> usize| world.surfaces().iter().map(count).sum();
        Self {
            particles: world.points().len(),
            triangles: sum(Surface::triangle_count),
            vertices: sum(Surface::vertex_count),
        }
    }

    /// Counts more particles; `path` is the field that decides how many.
    pub(super) fn add_particles(
        &mut self,
        site: &Site<'_>,
        path: &str,
        more: usize,
    ) -> Result<(), Error> {
        self.particles += more;
        if self.particles > site.limits.particles {
            let message = format!(
                "the scene has {} particles so far, the limit is {}",
                self.particles, site.limits.particles
            );
            return Err(site.limit(path, &message));
        }
        Ok(())
    }

    pub(super) fn add_surface(
        &mut self,
        site: &Site<'_>,
        index: usize,
        mesh: &Mesh,
    ) -> Result<(), Error> {
        self.add_counts(site, index, mesh.triangles.len(), mesh.positions.len())
    }

    /// Counts polygons that are seen from both sides, once they have a thickness.
    pub(super) fn add_polygons(
        &mut self,
        site: &Site<'_>,
        index: usize,
        mesh: &PolygonMesh,
    ) -> Result<(), Error> {
        let triangles = mesh.faces.items.len().saturating_sub(2 * mesh.face_count());
        self.add_counts(site, index, 2 * triangles, 2 * mesh.positions.len())
    }

    fn add_counts(
        &mut self,
        site: &Site<'_>,
        index: usize,
        triangles: usize,
        vertices: usize,
    ) -> Result<(), Error> {
        self.triangles += triangles;
        self.vertices += vertices;
        let totals = [
            ("triangles", self.triangles, site.limits.triangles),
            ("vertices", self.vertices, site.limits.vertices),
        ];
        for (name, total, limit) in totals {
            if total > limit {
                let message = format!("the scene has {total} {name} so far, the limit is {limit}");
                return Err(site.limit(&format!("body.{index}"), &message));
            }
        }
        Ok(())
    }
}

/// How a body looks; `blend` if it is a group of several.
pub(super) fn look(
    site: &Site<'_>,
    (index, copy): (usize, usize),
    body: &file::Body,
    blend: bool,
) -> Result<BodyLook, Error> {
    let at = format!("body.{index}.texture");
    let plain = BodyLook {
        color: Some(body_color(index + copy)),
        blend,
        ..BodyLook::default()
    };
    match body.texture.as_deref() {
        None => Ok(plain),
        Some("checker") => Ok(BodyLook {
            checker: true,
            ..plain
        }),
        Some(name) => {
            let file = site.file(&at, name)?;
            let texture = read_texture(&file, site.limits.bytes)
                .map_err(|what| site.error(&at, &format!("{}: {what}", file.display())))?;
            Ok(BodyLook {
                texture: Some(Arc::new(texture)),
                ..plain
            })
        }
    }
}
