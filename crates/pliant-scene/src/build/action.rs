//! `[[action]]` → [`Action`].

use std::f32::consts::PI;

use pliant::World;
use pliant::dynamics::{Action, ActionKind};
use pliant::state::{BodyId, Surface};

use super::Site;
use crate::error::Error;
use crate::file::{Cut, Shoot, Verb};

/// Radius of a ball that names none, in particle radii of the first body [CMM16 §4].
const BALL_RADIUS: f32 = 5.0;
/// Density of a ball that names no mass (kg/m³): that of clay.
const BALL_DENSITY: f32 = 1000.0;

/// The action of an index; `groups` are the scene's bodies that each body of the world is made of, `end` is when the run ends (s).
pub(super) fn build(
    site: &Site<'_>,
    index: usize,
    world: &World,
    groups: &[Vec<usize>],
    end: f64,
) -> Result<Action, Error> {
    let action = &site.loaded.scene.action[index];
    let path = format!("action.{index}");
    let for_ever = |until: Option<f32>| until.map_or(f64::INFINITY, f64::from);
    let kind = match action.verb() {
        Some(Verb::Shoot(shoot)) => ball(shoot, world),
        Some(Verb::Pull(pull)) => ActionKind::Pull {
            at: pull.at.into(),
            radius: pull.radius,
            to: pull.to.into(),
            until: pull.until.map_or(end.max(f64::from(action.at)), f64::from),
        },
        Some(Verb::Pin(pin)) => ActionKind::Pin {
            at: pin.at.into(),
            radius: pin.radius,
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
        Some(Verb::Cut(cut)) => ActionKind::Cut {
            point: cut.point.into(),
            normal: cut.normal.into(),
            half: cut.half.unwrap_or(f32::INFINITY),
            body: cut_body(site, &path, cut, world, groups)?,
        },
        Some(_) | None => return Err(site.error(&path, "the action is not supported yet")),
    };
    Ok(Action {
        at: f64::from(action.at),
        kind,
    })
}

/// The body that a cut is for, if it names one; whatever it is for must have a surface that can be cut.
fn cut_body(
    site: &Site<'_>,
    path: &str,
    cut: &Cut,
    world: &World,
    groups: &[Vec<usize>],
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
    let bodies = &site.loaded.scene.body;
    let named = |&index: &usize| bodies[index].name_or_index(index) == *name;
    let of_group = |members: &Vec<usize>| members.iter().any(named);
    let Some(index) = groups.iter().position(of_group) else {
        return Err(site.error(&at, &format!("there is no body `{name}`")));
    };
    if !can_be_cut(&world.surfaces()[index]) {
        let message = format!("the surface of `{name}` cannot be cut, {expected}");
        return Err(site.error(&at, &message));
    }
    Ok(Some(world.bodies()[index].id))
}

fn ball(shoot: &Shoot, world: &World) -> ActionKind {
    let r = world.bodies().first().map_or(0.1, |b| b.particle_radius);
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
