//! `[[joint]]`, boxes of joints in meshes, and `[[attachment]]`.

use std::collections::BTreeSet;

use glam::Vec3;
use pliant::World;
use pliant::dynamics::collider::rotation_from_degrees;
use pliant::state::BodyId;
use pliant::visual::{JointDesc, JointKind, Motor};

use super::Site;
use super::boxes::JointBox;
use super::cast::{Cast, Joint, place_of};
use super::visual::Loose;
use crate::error::Error;
use crate::file;

/// What joints call the surroundings.
const WORLD: &str = "world";
/// Half of the sides of a box that gives none (m).
const HALF: [f32; 3] = [0.05; 3];

/// One side of a joint or an attachment.
#[derive(Clone, Debug, PartialEq)]
enum Side {
    Bodies(Vec<BodyId>),
    /// A collider of an index, or a number of them: those of a hands file.
    Colliders(Vec<usize>),
    World,
}

/// Adds the joints of the meshes, then those of the scene.
pub(super) fn add_all(
    site: &Site<'_>,
    loose: &[Loose],
    world: &mut World,
    cast: &mut Cast,
) -> Result<(), Error> {
    for of_body in loose {
        for given in &of_body.boxes {
            add_box(site, of_body, given, world, cast)?;
        }
    }
    for index in 0..site.loaded.scene.joint.len() {
        add(site, index, world, cast)?;
    }
    Ok(())
}

/// Adds a joint of the scene.
fn add(site: &Site<'_>, index: usize, world: &mut World, cast: &mut Cast) -> Result<(), Error> {
    let given = &site.loaded.scene.joint[index];
    let path = format!("joint.{index}");
    let side = |field: &str, name: &str| {
        let found = side(site, world, cast, name);
        found.map_err(|what| site.error(&format!("{path}.{field}"), &what))
    };
    let sides = [side("a", &given.a)?, side("b", &given.b)?];
    let kind = kind(given.kind);
    let name = given.name.clone().unwrap_or_else(|| path.clone());
    let desc = JointDesc {
        name,
        kind,
        a: Vec::new(),
        b: Vec::new(),
        center: given.center.into(),
        half: given.half.unwrap_or(HALF).into(),
        rotation: rotation_from_degrees(Vec3::from_array(given.rotation.unwrap_or_default())),
        limits: given
            .limits
            .map(|limits| limits.map(|x| in_engine(kind, x))),
        motor: given.motor.as_ref().map(|motor| Motor {
            speed: in_engine(kind, motor.speed),
            strength: motor.torque,
        }),
    };
    join(site, &path, desc, sides, world)?;
    cast.add_joint(Joint {
        name: given.name.clone().unwrap_or(path),
        others: Vec::new(),
        kind,
    });
    Ok(())
}

/// Adds a joint of a mesh.
fn add_box(
    site: &Site<'_>,
    of_body: &Loose,
    given: &JointBox,
    world: &mut World,
    cast: &mut Cast,
) -> Result<(), Error> {
    let Loose { body, path, .. } = of_body;
    // Names of parts may have dots themselves: the first way to read them that makes sense is right.
    let known = |name: &str| {
        let own = side(site, world, cast, &format!("{body}/{name}"));
        own.or_else(|_| side(site, world, cast, name)).ok()
    };
    let words: Vec<&str> = given.things.split('.').collect();
    let mut sides = None;
    'ways: for first in 1..words.len() {
        let Some(a) = known(&words[..first].join(".")) else {
            continue;
        };
        for last in [words.len(), words.len() - 1] {
            if last > first
                && let Some(b) = known(&words[first..last].join("."))
            {
                sides = Some([a, b]);
                break 'ways;
            }
        }
    }
    let Some(sides) = sides else {
        let message = format!(
            "the part `joint.{}`: `{}` are not two parts, bodies or colliders, expected `joint.TYPE.A.B`",
            given.name, given.things
        );
        return Err(site.error(path, &message));
    };
    if sides[0] == sides[1] {
        let message = format!(
            "the part `joint.{}` ties something to itself, expected two different things",
            given.name
        );
        return Err(site.error(path, &message));
    }
    let kind = kind(given.kind);
    let mut rules = of_body.rules.iter();
    let rule = rules.find(|rule| given.name.starts_with(rule.start));
    let name = format!("{body}/{}", given.name);
    let desc = JointDesc {
        name: name.clone(),
        kind,
        a: Vec::new(),
        b: Vec::new(),
        center: given.center,
        half: given.half,
        rotation: given.rotation,
        limits: rule
            .and_then(|rule| rule.limits)
            .map(|limits| limits.map(|x| in_engine(kind, x))),
        motor: rule.and_then(|rule| rule.torque).map(|strength| Motor {
            speed: 0.0,
            strength,
        }),
    };
    join(site, path, desc, sides, world)?;
    cast.add_joint(Joint {
        name,
        others: vec![
            given.name.clone(),
            format!("joint.{}", given.name),
            format!("{body}/joint.{}", given.name),
        ],
        kind,
    });
    Ok(())
}

/// Adds a joint between two sides, one of which may be the world.
fn join(
    site: &Site<'_>,
    path: &str,
    mut desc: JointDesc,
    sides: [Side; 2],
    world: &mut World,
) -> Result<(), Error> {
    match sides {
        [Side::Bodies(a), Side::Bodies(b)] => (desc.a, desc.b) = (a, b),
        [Side::Bodies(a), _] => desc.a = a,
        [_, Side::Bodies(b)] => {
            // Seen from the other side everything goes the other way.
            desc.a = b;
            desc.limits = desc.limits.map(|[least, most]| [-most, -least]);
            if let Some(motor) = &mut desc.motor {
                motor.speed = -motor.speed;
            }
        }
        _ => {
            let message = format!("the joint `{}` holds no body, expected one", desc.name);
            return Err(site.error(path, &message));
        }
    }
    let added = world.add_joint(desc);
    added.map_err(|error| site.error(path, &error.to_string()))?;
    Ok(())
}

/// What a name stands for; `Err` says why it cannot be held.
fn side(site: &Site<'_>, world: &World, cast: &Cast, name: &str) -> Result<Side, String> {
    if name == WORLD {
        return Ok(Side::World);
    }
    let scene = &site.loaded.scene;
    let colliders = scene.collider.iter();
    if colliders.clone().any(|c| c.name.as_deref() == Some(name)) {
        let start = format!("{name}.");
        let is_own = |c: &str| c == name || c.starts_with(&start);
        let own = world.colliders().iter().enumerate();
        let own: Vec<(usize, _)> = own.filter(|(_, c)| is_own(&c.name)).collect();
        if own.iter().any(|(_, c)| !c.motion.is_fixed()) {
            return Err(format!(
                "the collider `{name}` moves, expected one that stands still"
            ));
        }
        return Ok(Side::Colliders(own.into_iter().map(|(at, _)| at).collect()));
    }
    let ids = match cast.bodies(name) {
        Ok(ids) => ids,
        Err(_) if !cast.body_names().any(|known| known == name) => {
            let colliders = colliders.filter_map(|c| c.name.as_deref());
            let known = cast.body_names().chain(colliders).chain([WORLD]);
            return Err(file::unknown("body or collider", name, known));
        }
        Err(complaint) => return Err(complaint),
    };
    let is_visual = |id: &BodyId| place_of(world, *id).is_some_and(|at| world.visual(at).is_some());
    if !ids.iter().all(is_visual) {
        return Err(format!(
            "`{name}` cannot be held by joints and attachments, expected a body of method `visual`"
        ));
    }
    Ok(Side::Bodies(ids.to_vec()))
}

fn kind(kind: file::JointKind) -> JointKind {
    match kind {
        file::JointKind::Fixed => JointKind::Fixed,
        file::JointKind::Ball => JointKind::Ball,
        file::JointKind::Hinge => JointKind::Hinge,
        file::JointKind::Slide => JointKind::Slide,
        file::JointKind::Wheel => JointKind::Wheel,
    }
}

/// A number of a joint as the engine wants it: angles of files are degrees, those of the engine radians.
fn in_engine(kind: JointKind, x: f32) -> f32 {
    if kind == JointKind::Slide {
        x
    } else {
        x.to_radians()
    }
}

/// Ties soft bodies to what is rigid: where they overlap and nobody forbids it, and where the scene wants it.
pub(super) fn attach_all(
    site: &Site<'_>,
    world: &mut World,
    cast: &Cast,
    warnings: &mut Vec<String>,
) -> Result<(), Error> {
    let mut done: BTreeSet<(BodyId, BodyId)> = BTreeSet::new();
    for (index, given) in site.loaded.scene.attachment.iter().enumerate() {
        let path = format!("attachment.{index}");
        let find = |field: &str, name: &str| {
            let found = side(site, world, cast, name);
            found.map_err(|what| site.error(&format!("{path}.{field}"), &what))
        };
        let (soft, rigid) = (find("soft", &given.soft)?, find("rigid", &given.rigid)?);
        let Side::Bodies(soft) = soft else {
            let message = format!("`{}` is not soft, expected a soft body", given.soft);
            return Err(site.error(&format!("{path}.soft"), &message));
        };
        let is_off = given.off == Some(true);
        let mut count = 0;
        let failed = |error: pliant::visual::VisualError| site.error(&path, &error.to_string());
        match rigid {
            Side::Bodies(rigid) => {
                for pair in soft
                    .iter()
                    .flat_map(|s| rigid.iter().map(move |r| (*s, *r)))
                {
                    if done.insert(pair) && !is_off {
                        count += world.attach(pair.0, pair.1).map_err(failed)?;
                    }
                }
            }
            Side::Colliders(colliders) => {
                for (s, c) in soft
                    .iter()
                    .flat_map(|s| colliders.iter().map(move |c| (*s, *c)))
                {
                    if !is_off {
                        count += world.attach_to_collider(s, c).map_err(failed)?;
                    }
                }
            }
            Side::World => {}
        }
        if count == 0 && !is_off {
            warnings.push(format!(
                "`{}` and `{}` overlap nowhere: nothing is attached",
                given.soft, given.rigid
            ));
        }
    }
    for (soft, rigid) in overlapping(world) {
        if !done.contains(&(soft, rigid)) {
            let attached = world.attach(soft, rigid);
            attached.map_err(|error| site.error("body", &error.to_string()))?;
        }
    }
    Ok(())
}

/// Soft and rigid bodies whose boxes overlap.
fn overlapping(world: &World) -> Vec<(BodyId, BodyId)> {
    let of = |at: usize, is_soft: bool| {
        let visual = world.visual(at).filter(|v| v.is_soft() == is_soft)?;
        Some((world.bodies()[at].id, visual.bounds()))
    };
    let all = |is_soft: bool| (0..world.bodies().len()).filter_map(move |at| of(at, is_soft));
    let rigid: Vec<_> = all(false).collect();
    let mut pairs = Vec::new();
    for (soft, (lo, hi)) in all(true) {
        let meets = |other: &(Vec3, Vec3)| lo.cmple(other.1).all() && hi.cmpge(other.0).all();
        let met = rigid.iter().filter(|(_, other)| meets(other));
        pairs.extend(met.map(|(id, _)| (soft, *id)));
    }
    pairs
}
