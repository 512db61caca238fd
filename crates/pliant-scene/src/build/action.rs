//! `[[action]]` → [`Action`].

use std::f32::consts::PI;

use glam::Vec3;
use pliant::World;
use pliant::dynamics::{Action, ActionKind, Grip, PathKey};
use pliant::state::{BodyId, Surface};
use pliant::surface::cut::Blade;
use pliant::visual::JointKind;

use super::cast::{Cast, Joint, place_of};
use super::{Site, collider, pattern};
use crate::error::Error;
use crate::file::{self, Cut, Pull, Shoot, Verb};

/// Radius of a ball that names none, in particle radii of the first body [CMM16 §4].
const BALL_RADIUS: f32 = 5.0;
/// Density of a ball that names no mass (kg/m³): that of clay.
const BALL_DENSITY: f32 = 1000.0;

/// An action at a path of the scene, in a world whose bodies and joints are called as the cast says; `end` is when the run ends (s). What is
/// done to several joints is an action for each.
pub(super) fn build(
    site: &Site<'_>,
    path: &str,
    action: &file::Action,
    (world, cast): (&World, &Cast),
    end: f64,
) -> Result<Vec<Action>, Error> {
    let for_ever = |until: Option<f32>| until.map_or(f64::INFINITY, f64::from);
    let timed = |kind: ActionKind| Action {
        at: f64::from(action.at),
        kind,
    };
    let kind = match action.verb() {
        Some(Verb::Shoot(shoot)) => ball(shoot, world),
        Some(Verb::Pull(pull)) => carry(pull, end.max(f64::from(action.at))),
        Some(Verb::Turn(turn)) => ActionKind::Turn {
            grip: grip(turn.at, turn.radius, turn.half),
            axis: turn.axis.into(),
            degrees: turn.degrees,
            until: f64::from(turn.until),
        },
        Some(Verb::Pin(pin)) => ActionKind::Pin {
            grip: grip(pin.at, pin.radius, pin.half),
            until: for_ever(pin.until),
        },
        Some(Verb::Impulse(impulse)) => ActionKind::Impulse {
            at: impulse.at.into(),
            radius: impulse.radius,
            velocity: impulse.velocity.into(),
        },
        Some(Verb::Wind(wind)) => ActionKind::Wind {
            velocity: wind.velocity.into(),
            until: for_ever(wind.until),
        },
        Some(Verb::Squeeze(squeeze)) => ActionKind::Squeeze {
            point: squeeze.point.into(),
            normal: squeeze.normal.into(),
            strength: squeeze.strength,
            body: only_body(site, path, "squeeze", squeeze.body.as_deref(), cast)?,
            until: for_ever(squeeze.until),
        },
        Some(Verb::Cut(cut)) => ActionKind::Cut {
            point: cut.point.into(),
            normal: cut.normal.into(),
            blade: blade(cut),
            body: cut_body(site, path, cut, world, cast)?,
        },
        Some(Verb::Tool(tool)) => ActionKind::Tool {
            collider: collider::tool(site, path, tool)?,
            until: for_ever(tool.until),
        },
        Some(Verb::Change(change)) => ActionKind::Change {
            body: only_body(site, path, "change", change.body.as_deref(), cast)?,
            stiffness: change.stiffness,
            plastic_yield: change.r#yield,
            plastic_flow: change.flow,
            hardening: change.hardening,
        },
        Some(Verb::Gravity(gravity)) => ActionKind::Gravity {
            acceleration: gravity.acceleration.into(),
        },
        Some(Verb::Fracture(fracture)) => ActionKind::Fracture {
            at: fracture.at.into(),
            pattern: match &fracture.pattern {
                Some(name) => Some(pattern::build(site, name, &|tear| {
                    pattern::lines_of_all(cast, tear)
                })?),
                None => None,
            },
            body: only_body(site, path, "fracture", fracture.body.as_deref(), cast)?,
        },
        Some(Verb::Drive(drive)) => {
            let able = [JointKind::Hinge, JointKind::Wheel, JointKind::Slide];
            let able = (&able[..], "driven, expected a hinge, a wheel or a slide");
            let at = format!("{path}.drive.joint");
            let joints = joints(site, &at, &drive.joint, able, cast)?;
            let of = |joint: &Joint| ActionKind::Drive {
                joint: joint.name.clone(),
                speed: if joint.kind == JointKind::Slide {
                    drive.speed
                } else {
                    drive.speed.to_radians()
                },
                strength: drive.torque,
                until: for_ever(drive.until),
            };
            return Ok(joints.into_iter().map(|joint| timed(of(joint))).collect());
        }
        Some(Verb::Steer(steer)) => {
            let able = (&[JointKind::Wheel][..], "steered, expected a wheel");
            let at = format!("{path}.steer.joint");
            let joints = joints(site, &at, &steer.joint, able, cast)?;
            let of = |joint: &Joint| ActionKind::Steer {
                joint: joint.name.clone(),
                angle: steer.angle.to_radians(),
                until: for_ever(steer.until),
            };
            return Ok(joints.into_iter().map(|joint| timed(of(joint))).collect());
        }
        None => return Err(site.error(path, "the action does nothing")),
    };
    Ok(vec![timed(kind)])
}

/// The joints that an action is for: those of a name that are of the right kinds. There must be some; words say what others cannot be.
fn joints<'c>(
    site: &Site<'_>,
    at: &str,
    name: &str,
    (kinds, words): (&[JointKind], &str),
    cast: &'c Cast,
) -> Result<Vec<&'c Joint>, Error> {
    let mut found = cast.joints(name).map_err(|what| site.error(at, &what))?;
    found.retain(|joint| kinds.contains(&joint.kind));
    if found.is_empty() {
        return Err(site.error(at, &format!("`{name}` cannot be {words}")));
    }
    Ok(found)
}

/// The body that a cut is for, if it names one; whatever it is for must have a surface that can be cut.
fn cut_body(
    site: &Site<'_>,
    path: &str,
    cut: &Cut,
    world: &World,
    cast: &Cast,
) -> Result<Option<BodyId>, Error> {
    let can_be_cut = |surface: &Surface| matches!(surface, Surface::Tracked(_));
    let expected = "expected a body with `surface = \"tracked\"`";
    let Some(name) = &cut.body else {
        return if world.surfaces().iter().any(can_be_cut) {
            Ok(None)
        } else {
            let message = format!("there is no surface that can be cut, {expected}");
            Err(site.error(&format!("{path}.cut"), &message))
        };
    };
    let at = format!("{path}.cut.body");
    // A body that merges is cut together with those it may merge with: nobody knows later which is which.
    let id = cast.only_body(site, &at, name)?;
    let place = place_of(world, id);
    if !place.is_some_and(|place| can_be_cut(&world.surfaces()[place])) {
        let message = format!("the surface of `{name}` cannot be cut, {expected}");
        return Err(site.error(&at, &message));
    }
    Ok(Some(id))
}

/// The body that an action is for, if it names one.
fn only_body(
    site: &Site<'_>,
    path: &str,
    verb: &str,
    name: Option<&str>,
    cast: &Cast,
) -> Result<Option<BodyId>, Error> {
    let Some(name) = name else {
        return Ok(None);
    };
    let at = format!("{path}.{verb}.body");
    cast.only_body(site, &at, name).map(Some)
}

/// The blade of a cut that has one.
fn blade(cut: &Cut) -> Option<Blade> {
    let half = cut.half?;
    let normal = Vec3::from_array(cut.normal).normalize_or(Vec3::Y);
    let any = || normal.any_orthonormal_vector();
    Some(Blade {
        along: cut.along.map_or_else(any, Vec3::from_array),
        half: [half, cut.across.unwrap_or(half)],
    })
}

/// A pull to a place, where it arrives at `end` if it names no time, or along a path.
fn carry(pull: &Pull, end: f64) -> ActionKind {
    let grip = grip(pull.at, pull.radius, pull.half);
    match (&pull.path, pull.to) {
        (Some(keys), _) => ActionKind::Pull {
            grip,
            path: keys
                .iter()
                .map(|key| PathKey {
                    time: f64::from(key.time),
                    position: key.position.into(),
                })
                .collect(),
            until: pull.until.map_or(f64::INFINITY, f64::from),
        },
        (None, to) => {
            let until = pull.until.map_or(end, f64::from);
            let key = PathKey {
                time: until,
                position: Vec3::from_array(to.unwrap_or(pull.at)),
            };
            ActionKind::Pull {
                grip,
                path: vec![key],
                until,
            }
        }
    }
}

/// Where a hand closes; one that says nothing of its size reaches nowhere, and is refused.
fn grip(at: [f32; 3], radius: Option<f32>, half: Option<[f32; 3]>) -> Grip {
    let at = at.into();
    match (radius, half) {
        (None, Some(half)) => Grip::Box {
            at,
            half: half.into(),
        },
        (radius, _) => Grip::Ball {
            at,
            radius: radius.unwrap_or(0.0),
        },
    }
}

fn ball(shoot: &Shoot, world: &World) -> ActionKind {
    // Bodies of polygons have no particles.
    let mut radii = world.bodies().iter().map(|body| body.particle_radius);
    let r = radii.next().filter(|r| *r > 0.0).unwrap_or(0.1);
    let radius = shoot.radius.unwrap_or(BALL_RADIUS * r);
    let mass = BALL_DENSITY * 4.0 / 3.0 * PI * radius.powi(3);
    ActionKind::Shoot {
        from: shoot.from.into(),
        velocity: shoot.velocity.into(),
        radius,
        // A ball of less than any mass would stop everything it meets from being a number.
        mass: shoot.mass.unwrap_or(mass).clamp(1e-9, 1e12),
        until: shoot.until.map_or(f64::INFINITY, f64::from),
    }
}
