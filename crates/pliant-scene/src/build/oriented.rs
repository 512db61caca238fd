//! `[[body]]` of method `oriented`: particles that cover its form, or those of a model.

use std::path::Path;

use glam::Vec3;
use pliant::dynamics::collider::rotation_from_degrees;
use pliant::geometry::{Mesh, solids};
use pliant::matching::Turning;
use pliant::oriented::{GroupDesc, Particle};
use pliant::state::Blend;
use pliant::{BuildError, OrientedDesc, World};

use super::Site;
use super::body::{Totals, material_of, refuse};
use super::form::{self, Bounds, Placement};
use crate::error::Error;
use crate::file::{self, Document};
use crate::models;

/// Particles of a body that does not say how many.
const DEFAULT_COVER: u32 = 300;
/// Segments of the ellipsoids that are seen of a model without a mesh.
const SEGMENTS: u32 = 12;

/// Adds a body of oriented particles; parts of a model that have no colour of their own get `color`.
pub(super) fn add(
    site: &Site<'_>,
    (index, body): (usize, &file::Body),
    color: [u8; 3],
    replacement: Option<&Path>,
    world: &mut World,
    totals: &mut Totals,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let material = material_of(site, index, body)?;
    let mut desc = if let (Some(model), None) = (&body.model, replacement) {
        let mut desc = modelled(site, (index, body), model, material.density)?;
        place(&mut desc, body);
        totals.add_particles(site, &format!("body.{index}.model"), desc.particles.len())?;
        totals.add_surface(site, index, &desc.mesh)?;
        desc
    } else {
        let mut form = form::build(site, index, body, replacement)?;
        warnings.append(&mut form.findings);
        totals.add_surface(site, index, &form.mesh)?;
        let count = body.particles.unwrap_or(DEFAULT_COVER) as usize;
        totals.add_particles(site, &format!("body.{index}.particles"), count)?;
        let name = body.name_or_index(index);
        let seed = world.settings().seed;
        OrientedDesc::covering(&name, form.mesh, count, material.density, seed)
            .map_err(|error| refuse(site, index, form.file.as_deref(), &error))?
    };
    desc.name = body.name_or_index(index);
    desc.material = material;
    desc.velocity = body.velocity.map_or(Vec3::ZERO, Vec3::from_array);
    desc.second_order = body.second_order.unwrap_or(false);
    desc.turning = match body.turning {
        Some(file::TurningKind::All) => Turning::All,
        None | Some(file::TurningKind::Lead) => Turning::Lead,
    };
    desc.blend = match body.skin {
        Some(file::SkinKind::Dual) => Blend::Dual,
        None | Some(file::SkinKind::Linear) => Blend::Linear,
    };
    let [r, g, b] = color;
    for color in &mut desc.mesh.colors {
        if *color == models::BODY_COLOR {
            *color = [r, g, b, 255];
        }
    }
    if body.surface == Some(file::Surface::None) {
        desc.mesh = Mesh::default();
        desc.home.clear();
    }
    add_groups(site, index, &mut desc)?;
    let refuse = |error: BuildError| refuse(site, index, None, &error);
    world.add_oriented(desc).map_err(refuse)?;
    Ok(())
}

/// Adds the groups that the scene has for a body.
fn add_groups(site: &Site<'_>, index: usize, desc: &mut OrientedDesc) -> Result<(), Error> {
    let scene = &site.loaded.scene;
    let name = scene.body[index].name_or_index(index);
    for (at, group) in scene.group.iter().enumerate() {
        if group.body != name {
            continue;
        }
        let count = desc.particles.len();
        let exists = |&i: &u32| (i as usize) < count;
        if let Some(element) = group.particles.iter().position(|i| !exists(i)) {
            return Err(site.error(
                &format!("group.{at}.particles.{element}"),
                &format!(
                    "`{name}` has no particle {}, expected an index below {count}",
                    group.particles[element]
                ),
            ));
        }
        desc.groups.push(GroupDesc {
            particles: group.particles.clone(),
            stiffness: group.stiffness.unwrap_or(1.0),
            joints: group.omit_moment.clone().unwrap_or_default(),
            lead: None,
            flows: false,
        });
    }
    Ok(())
}

/// The model of a body in its own coordinates, with what is seen of it.
fn modelled(
    site: &Site<'_>,
    (index, body): (usize, &file::Body),
    name: &str,
    density: f32,
) -> Result<OrientedDesc, Error> {
    if let Some(known) = site.models.borrow().get(&index) {
        return Ok(known.clone());
    }
    let path = format!("body.{index}.model");
    let is_file = Path::new(name).extension().is_some() || name.contains(std::path::is_separator);
    let mut desc = if is_file {
        let (text, origin) = site.text(&path, name)?;
        let model = Document::parse(&text, &origin)?.model()?;
        from_file(&model, density)
    } else {
        models::make(name, body.detail.unwrap_or(1.0)).ok_or_else(|| {
            let known = models::NAMES.join("`, `");
            let message =
                format!("unknown model `{name}`, expected a .toml file or one of `{known}`");
            site.error(&path, &message)
        })?
    };
    if let Some(mesh) = form::own_mesh(site, index, body)? {
        desc.mesh = mesh;
        desc.home.clear();
    } else if desc.mesh.triangles.is_empty() {
        show_ellipsoids(&mut desc);
    }
    site.models.borrow_mut().insert(index, desc.clone());
    Ok(desc)
}

/// A body of the particles, edges and groups of a file, made of a material of this density (kg/m³).
fn from_file(model: &file::ModelFile, density: f32) -> OrientedDesc {
    let particle = |given: &file::ModelParticle| {
        let radii = match (given.radii, given.radius) {
            (Some(radii), _) => Vec3::from_array(radii),
            (None, radius) => Vec3::splat(radius.unwrap_or_default()),
        };
        let volume = 4.0 / 3.0 * std::f32::consts::PI * radii.element_product();
        Particle {
            x: given.position.into(),
            axes: rotation_from_degrees(given.rotation.unwrap_or_default().into()),
            radii,
            mass: given.mass.unwrap_or(density * volume),
            turns: given.turns.unwrap_or(true),
            collides: given.collides.unwrap_or(true),
        }
    };
    let group = |given: &file::ModelGroup| GroupDesc {
        particles: given.particles.clone(),
        stiffness: given.stiffness.unwrap_or(1.0),
        joints: given.omit_moment.clone().unwrap_or_default(),
        lead: given.lead,
        flows: given.plastic.unwrap_or(false),
    };
    let particles = model.particle.iter().map(particle).collect();
    let mut desc = OrientedDesc::new("", particles, model.edges.clone());
    desc.groups = model.group.iter().map(group).collect();
    desc
}

/// Lets the ellipsoids of a body be seen, for want of a mesh.
fn show_ellipsoids(desc: &mut OrientedDesc) {
    let ball = solids::sphere(1.0, SEGMENTS);
    for (i, particle) in desc.particles.iter().enumerate() {
        let mut ellipsoid = ball.clone();
        for p in &mut ellipsoid.positions {
            *p = particle.axes * (particle.radii * *p) + particle.x;
        }
        let home = if particle.turns {
            i as u32
        } else {
            nearest_turning(desc, particle.x, i)
        };
        desc.home.extend(vec![home; ellipsoid.positions.len()]);
        desc.mesh.append(&ellipsoid);
    }
}

/// The particle with a rotation that is nearest to `x`, or else `own`.
fn nearest_turning(desc: &OrientedDesc, x: Vec3, own: usize) -> u32 {
    let turning = desc.particles.iter().enumerate().filter(|(_, p)| p.turns);
    let nearest = turning.min_by(|(_, a), (_, b)| {
        let far = |p: &Particle| p.x.distance_squared(x);
        far(a).total_cmp(&far(b))
    });
    nearest.map_or(own, |(i, _)| i) as u32
}

/// Puts a model where the body goes, in the size that it is to have.
fn place(desc: &mut OrientedDesc, body: &file::Body) {
    let bounds = if desc.mesh.positions.is_empty() {
        let ends = desc.particles.iter().map(|p| p.x);
        let (lo, hi) = ends.fold((Vec3::MAX, Vec3::MIN), |(lo, hi), x| (lo.min(x), hi.max(x)));
        Bounds { lo, hi }
    } else {
        Bounds::of(&desc.mesh)
    };
    let placement = Placement::new(body, bounds);
    placement.apply(&mut desc.mesh);
    let (turn, scale) = (placement.turn(), placement.scale);
    for particle in &mut desc.particles {
        particle.x = turn * (scale * (particle.x - placement.center)) + placement.position;
        particle.axes = (turn * particle.axes).normalize();
        particle.radii *= scale;
        particle.mass *= scale.powi(3);
    }
}
