//! The checks of `[[action]]`.

use super::{Action, Cut, Pull, Tool, VERBS, Verb};
use crate::file::check::{At, Range};
use crate::file::collider::{check_motion, check_times};
use crate::file::error::{SceneError, alternatives};
use crate::file::names::Names;
use crate::file::shape::Carrier;

impl Action {
    pub(in crate::file) fn check(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        at.number("at", self.at, Range::NOT_NEGATIVE)?;
        match self.verb_names().as_slice() {
            [] => Err(at.error(format_args!(
                "the action does nothing, expected one of {}",
                alternatives(&VERBS)
            ))),
            [verb] => self.check_verb(at.field(verb), names),
            [first, second, ..] => Err(at.field(second).key_error(format_args!(
                "the action has both `{first}` and `{second}`, expected an [[action]] for each"
            ))),
        }
    }

    fn check_verb(&self, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
        match self.verb() {
            Some(Verb::Cut(cut)) => check_cut(cut, at, names),
            Some(Verb::Shoot(shoot)) => {
                at.number("radius", shoot.radius, Range::POSITIVE)?;
                at.number("mass", shoot.mass, Range::POSITIVE)?;
                at.until(self.at, shoot.until)
            }
            Some(Verb::Pull(pull)) => {
                check_grip("pull", pull.radius, pull.half, at)?;
                check_way(pull, at)?;
                at.until(self.at, pull.until)
            }
            Some(Verb::Turn(turn)) => {
                check_grip("turn", turn.radius, turn.half, at)?;
                at.direction("axis", turn.axis)?;
                at.until(self.at, turn.until)
            }
            Some(Verb::Pin(pin)) => {
                check_grip("pin", pin.radius, pin.half, at)?;
                at.until(self.at, pin.until)
            }
            Some(Verb::Impulse(impulse)) => at.number("radius", impulse.radius, Range::POSITIVE),
            Some(Verb::Tool(tool)) => {
                check_tool(tool, at)?;
                at.until(self.at, tool.until)
            }
            Some(Verb::Change(change)) => {
                at.number("stiffness", change.stiffness, Range::UNIT)?;
                at.number("yield", change.r#yield, Range::NOT_NEGATIVE)?;
                at.number("flow", change.flow, Range::UNIT)?;
                names.check_body(at.field("body"), change.body.as_deref())
            }
            Some(Verb::Gravity(_)) | None => Ok(()),
            Some(Verb::Wind(wind)) => at.until(self.at, wind.until),
            Some(Verb::Squeeze(squeeze)) => {
                at.direction("normal", squeeze.normal)?;
                names.check_body(at.field("body"), squeeze.body.as_deref())?;
                at.until(self.at, squeeze.until)
            }
            Some(Verb::Fracture(fracture)) => {
                names.check_pattern(at.field("pattern"), fracture.pattern.as_deref())
            }
            Some(Verb::Drive(drive)) => {
                names.check_joint(at.field("joint"), &drive.joint)?;
                at.number("torque", drive.torque, Range::NOT_NEGATIVE)?;
                at.until(self.at, drive.until)
            }
            Some(Verb::Steer(steer)) => {
                names.check_joint(at.field("joint"), &steer.joint)?;
                at.until(self.at, steer.until)
            }
        }
    }
}

/// Refuses a pull that knows no way or two, and a path that goes back in time.
fn check_way(pull: &Pull, at: At<'_>) -> Result<(), SceneError> {
    match (&pull.to, &pull.path) {
        (None, None) => Err(at.error("the pull has neither `to` nor `path`, expected one of them")),
        (Some(_), Some(_)) => Err(at
            .field("path")
            .key_error("the pull has both `to` and `path`, expected one of them")),
        (Some(_), None) => Ok(()),
        (None, Some(keys)) => {
            let times: Vec<f32> = keys.iter().map(|key| key.time).collect();
            check_times(&times, at.field("path"))
        }
    }
}

/// Refuses a cut without a plane, or by a blade that is none.
fn check_cut(cut: &Cut, at: At<'_>, names: &Names<'_>) -> Result<(), SceneError> {
    at.direction("normal", cut.normal)?;
    at.number("half", cut.half, Range::POSITIVE)?;
    at.number("across", cut.across, Range::POSITIVE)?;
    if cut.half.is_none() && (cut.along.is_some() || cut.across.is_some()) {
        return Err(at.error(
            "the blade has a direction but no size, expected `half` beside `along` and `across`",
        ));
    }
    if let Some(along) = cut.along {
        at.direction("along", along)?;
    }
    names.check_body(at.field("body"), cut.body.as_deref())
}

/// Refuses a tool without a form or a place.
fn check_tool(tool: &Tool, at: At<'_>) -> Result<(), SceneError> {
    let Some(shape) = &tool.shape else {
        return Err(at.error("the tool has no `shape`, expected one"));
    };
    shape.check(at.field("shape"), Carrier::Collider)?;
    at.number("friction", tool.friction, Range::NOT_NEGATIVE)?;
    check_motion(&tool.motion, at.field("motion"))
}

/// Refuses a hand that is neither a ball nor a box, or both.
fn check_grip(
    verb: &str,
    radius: Option<f32>,
    half: Option<[f32; 3]>,
    at: At<'_>,
) -> Result<(), SceneError> {
    match (radius, half) {
        (None, None) => Err(at.error(format_args!(
            "the {verb} has neither `radius` nor `half`, expected one of them"
        ))),
        (Some(_), Some(_)) => Err(at.field("half").key_error(format_args!(
            "the {verb} has both `radius` and `half`, expected one of them"
        ))),
        _ => {
            at.number("radius", radius, Range::POSITIVE)?;
            at.sizes("half", half)
        }
    }
}
