//! `[[collider]]` → [`Collider`].

use std::sync::Arc;

use glam::Vec3;
use pliant::dynamics::{
    CapsuleKey, CapsuleTrack, Collider, ColliderShape, Ease, MeshField, Motion, MotionKey,
};

use super::{Site, shape};
use crate::error::Error;
use crate::file;
use crate::picture::Obstacle;

/// Friction of a collider that names none.
const DEFAULT_FRICTION: f32 = 0.5;

/// The collider of an index, and how it looks; hands are a collider for each capsule.
pub(super) fn build(site: &Site<'_>, index: usize) -> Result<Vec<(Collider, Obstacle)>, Error> {
    let given = &site.loaded.scene.collider[index];
    if let Some(file) = &given.hands {
        return hands(site, index, file);
    }
    Ok(vec![solid(site, &format!("collider.{index}"), given)?])
}

/// The obstacle of an action at a path.
pub(super) fn tool(site: &Site<'_>, path: &str, tool: &file::Tool) -> Result<Collider, Error> {
    let given = file::Collider {
        shape: tool.shape.clone(),
        friction: tool.friction,
        motion: Some(tool.motion.clone()),
        ..file::Collider::default()
    };
    Ok(solid(site, &format!("{path}.tool"), &given)?.0)
}

/// The capsules of a hands file.
fn hands(site: &Site<'_>, index: usize, file: &str) -> Result<Vec<(Collider, Obstacle)>, Error> {
    let given = &site.loaded.scene.collider[index];
    let (text, origin) = site.text(&format!("collider.{index}.hands"), file)?;
    let hands = file::parse_hands(&text, &origin)?;
    let name = given.name.clone();
    let name = name.unwrap_or_else(|| format!("collider.{index}"));
    let capsules = hands.capsules.iter().map(|capsule| {
        let keys = capsule.keys.iter().map(|key| CapsuleKey {
            time: f64::from(key.time),
            a: key.a.into(),
            b: key.b.into(),
            radius: key.radius,
        });
        let track = Arc::new(CapsuleTrack {
            keys: keys.collect(),
        });
        let collider = Collider {
            name: format!("{name}.{}.{}", capsule.hand, capsule.capsule),
            shape: ColliderShape::Track(track),
            motion: Motion::fixed(Vec3::ZERO, Vec3::ZERO),
            friction: given.friction.unwrap_or(DEFAULT_FRICTION),
        };
        let look = Obstacle::of(&collider);
        (collider, look)
    });
    Ok(capsules.collect())
}

fn solid(
    site: &Site<'_>,
    path: &str,
    collider: &file::Collider,
) -> Result<(Collider, Obstacle), Error> {
    let (shape, look) = match &collider.shape {
        Some(file::Shape::Plane(plane)) => {
            let shape = ColliderShape::Plane {
                normal: unit(Vec3::from(plane.normal)),
                offset: plane.offset.unwrap_or(0.0),
            };
            (shape, None)
        }
        Some(file::Shape::Mesh(named)) => {
            let at = format!("{path}.shape.mesh.file");
            let mesh = site.mesh(&at, &named.file)?;
            let field = MeshField::new(&mesh).map_err(|what| {
                site.error(
                    &at,
                    &format!("the mesh cannot be an obstacle: {what}, expected a closed mesh"),
                )
            })?;
            let look = Obstacle::Solid(Arc::new(mesh));
            (ColliderShape::Mesh(Arc::new(field)), Some(look))
        }
        Some(solid) => {
            let at = format!("{path}.shape");
            let shape = shape::convert(solid).map_err(|kind| {
                site.error(
                    &at,
                    &format!(
                        "a `{kind}` inside of another shape is not supported yet, expected a collider of its own"
                    ),
                )
            })?;
            shape
                .validate()
                .map_err(|error| site.error(&at, &error.to_string()))?;
            (ColliderShape::Solid(shape), None)
        }
        None => return Err(site.error(path, "the collider has no shape, expected one")),
    };
    let name = match &collider.name {
        Some(name) => name.clone(),
        None => path.to_owned(),
    };
    let collider = Collider {
        name,
        shape,
        motion: motion(collider),
        friction: collider.friction.unwrap_or(DEFAULT_FRICTION),
    };
    let look = look.unwrap_or_else(|| Obstacle::of(&collider));
    Ok((collider, look))
}

fn motion(collider: &file::Collider) -> Motion {
    let vector = |value: Option<[f32; 3]>| value.map_or(Vec3::ZERO, Vec3::from_array);
    let Some(keys) = &collider.motion else {
        return Motion {
            pivot: collider.pivot.map(Vec3::from_array),
            ..Motion::fixed(vector(collider.position), vector(collider.rotation))
        };
    };
    // What a key omits stays as it was.
    let (mut position, mut rotation) = (Vec3::ZERO, Vec3::ZERO);
    let keys = keys.iter().map(|key| {
        position = key.position.map_or(position, Vec3::from_array);
        rotation = key.rotation.map_or(rotation, Vec3::from_array);
        MotionKey {
            time: f64::from(key.time),
            position,
            rotation,
        }
    });
    Motion {
        keys: keys.collect(),
        pivot: collider.pivot.map(Vec3::from_array),
        ease: match collider.ease.unwrap_or_default() {
            file::Ease::Linear => Ease::Linear,
            file::Ease::Smooth => Ease::Smooth,
        },
        looping: collider.looped.unwrap_or(false),
    }
}

/// A vector of length one; also where the squares of its components are too small or too large for a number.
fn unit(v: Vec3) -> Vec3 {
    (v / v.abs().max_element()).normalize_or(Vec3::Y)
}
