//! A scene that runs while somebody plays with it.
//!
//! Whatever is done to a [`Session`] becomes an action of a scene file before it becomes anything else, with the very numbers that the
//! file will hold. So the saved scene, run without anybody's hand, goes through the same states, bit by bit.
//!
//! Hands begin and end between two steps. An action's time lies half a step before the one that it begins with, where rounding cannot
//! make it early or late; a hand's path has one key a step, at its end or a hair later: what is known of the path while the step is made
//! is all that the step would look at if it knew the rest.

pub mod layers;
mod player;
mod save;
#[cfg(test)]
mod tests;

pub use player::{BodyInfo, Command, Counts, Mark, News, Notice, Player, Start, View};

use glam::Vec3;
use pliant::dynamics::{ActionId, PathKey};
use pliant::{StepReport, World};

use crate::build::{BuildOptions, Built, build, convert_action};
use crate::error::Error;
use crate::file::{self, Action, SceneFile};
use crate::load::{Limits, Loaded};
use crate::run::seconds;

/// A hand that holds something: a pull, a pin or a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HoldId(u64);

/// A hand that is there.
#[derive(Debug)]
struct Hold {
    id: HoldId,
    /// Where it is recorded.
    record: usize,
    action: ActionId,
    /// Where it is and where it goes; pins stay.
    way: Option<Way>,
}

/// Where a hand is and where it is led.
#[derive(Clone, Copy, Debug)]
struct Way {
    at: Vec3,
    goal: Vec3,
}

/// Which part of its way to the goal a hand goes in a step: it hangs on what leads it as on a spring.
const EASE: f32 = 0.3;
/// Farthest that a hand goes in a step, in particle radii of the first body: faster ones tear through what they hold.
const REACH: f32 = 1.0;

impl Way {
    /// Goes on by one step.
    fn go(&mut self, farthest: f32) -> Vec3 {
        self.at += ((self.goal - self.at) * EASE).clamp_length_max(farthest);
        self.at
    }
}

/// Something that begins with the next step.
#[derive(Debug)]
struct Waiting {
    action: Action,
    hold: Option<(HoldId, Option<Way>)>,
}

/// A scene that runs while somebody plays with it.
#[derive(Debug)]
pub struct Session {
    loaded: Loaded,
    limits: Limits,
    built: Built,
    /// The world at time 0.
    start: World,
    record: Vec<Action>,
    waiting: Vec<Waiting>,
    holds: Vec<Hold>,
    next_hold: u64,
}

impl Session {
    /// Builds the world of a scene.
    pub fn new(loaded: Loaded, limits: &Limits) -> Result<Self, Error> {
        let options = BuildOptions {
            limits: *limits,
            ..BuildOptions::default()
        };
        let mut built = build(&loaded, &options)?;
        built.world.settings_mut().clock = Some(seconds);
        Ok(Self {
            loaded,
            limits: *limits,
            start: built.world.clone(),
            built,
            record: Vec::new(),
            waiting: Vec::new(),
            holds: Vec::new(),
            next_hold: 0,
        })
    }

    /// The scene as it was built; its world is the one that runs.
    pub fn built(&self) -> &Built {
        &self.built
    }

    /// The world as it is now.
    pub fn world(&self) -> &World {
        &self.built.world
    }

    /// Length of a step (s).
    pub fn dt(&self) -> f32 {
        1.0 / self.built.fps
    }

    /// What was done so far, in the words of a scene file.
    pub fn recorded(&self) -> &[Action] {
        &self.record
    }

    /// Goes back to the beginning and forgets what was done.
    pub fn reset(&mut self) {
        self.built.world = self.start.clone();
        self.record.clear();
        self.waiting.clear();
        self.holds.clear();
    }

    /// Does something with the next step; its time is set here. What a later change of the same things takes back is not done at all.
    pub fn act(&mut self, action: Action) -> Result<(), Error> {
        let action = self.checked(action)?;
        if let Some(last) = self.waiting.last_mut()
            && supersedes(&action, &last.action)
        {
            last.action = action;
        } else {
            self.waiting.push(Waiting { action, hold: None });
        }
        Ok(())
    }

    /// Takes hold of something with the next step: a pull or a tool, which can be led, or a pin.
    ///
    /// A pull needs no path and no end, a tool's motion one key: where it begins.
    pub fn hold(&mut self, action: Action) -> Result<HoldId, Error> {
        let mut action = self.checked(action)?;
        // The end of a turn says how fast it is: whoever ended it early would have turned less than what is saved.
        if action.pull.is_none() && action.pin.is_none() && action.tool.is_none() {
            let message = "only a pull, a pin or a tool can be held";
            return Err(Error::Input(message.to_owned()));
        }
        let place: Option<Vec3> = match (&mut action.pull, &action.tool) {
            (Some(pull), _) => {
                pull.path.get_or_insert_default();
                pull.to = None;
                Some(pull.at.into())
            }
            (None, Some(tool)) => {
                let key = tool.motion.first();
                key.map(|key| key.position.unwrap_or_default().into())
            }
            (None, None) => None,
        };
        let id = HoldId(self.next_hold);
        self.next_hold += 1;
        let way = place.map(|at| Way { at, goal: at });
        let hold = Some((id, way));
        self.waiting.push(Waiting { action, hold });
        Ok(id)
    }

    /// Leads a hand to a place; it follows within a few steps.
    pub fn lead(&mut self, id: HoldId, to: Vec3) {
        if !to.is_finite() {
            return;
        }
        let waiting = self.waiting.iter_mut().filter_map(|w| w.hold.as_mut());
        let waiting = waiting.map(|(id, way)| (*id, way));
        let held = self.holds.iter_mut().map(|h| (h.id, &mut h.way));
        if let Some((_, Some(way))) = waiting.chain(held).find(|(held, _)| *held == id) {
            way.goal = to;
        }
    }

    /// Where a hand is that can be led.
    pub fn place(&self, id: HoldId) -> Option<Vec3> {
        let waiting = self.waiting.iter().filter_map(|w| w.hold);
        let mut all = waiting.chain(self.holds.iter().map(|hold| (hold.id, hold.way)));
        all.find(|(held, _)| *held == id)?.1.map(|way| way.at)
    }

    /// Lets go at the end of the next step; a hand that has not begun leaves no trace.
    pub fn let_go(&mut self, id: HoldId) {
        self.waiting
            .retain(|w| w.hold.is_none_or(|(held, _)| held != id));
        let Some(at) = self.holds.iter().position(|hold| hold.id == id) else {
            return;
        };
        let hold = self.holds.remove(at);
        let until = (self.world().time() + 0.5 * f64::from(self.dt())) as f32;
        let action = &mut self.record[hold.record];
        if let Some(pull) = &mut action.pull {
            pull.until = Some(until);
        }
        if let Some(pin) = &mut action.pin {
            pin.until = Some(until);
        }
        if let Some(tool) = &mut action.tool {
            tool.until = Some(until);
        }
        self.built.world.end_action(hold.action, f64::from(until));
    }

    /// How many particles a hand holds; none if it is no hand or has not begun.
    pub fn held(&self, id: HoldId) -> Option<usize> {
        let hold = self.holds.iter().find(|hold| hold.id == id)?;
        self.world().held_by(hold.action)
    }

    /// Makes a step, with all that waits for it.
    pub fn step(&mut self) -> StepReport {
        let dt = self.dt();
        let end = at_or_after(self.world().time() + f64::from(dt));
        self.lead_hands(end);
        for waiting in std::mem::take(&mut self.waiting) {
            self.begin(waiting, end);
        }
        self.built.world.step(dt)
    }

    /// Tells the hands that are there where to be at the end of the step.
    fn lead_hands(&mut self, end: f32) {
        let farthest = self.farthest();
        for hold in &mut self.holds {
            let Some(way) = &mut hold.way else {
                continue;
            };
            let position = way.go(farthest);
            let key = PathKey {
                time: f64::from(end),
                position,
            };
            if self.built.world.guide(hold.action, key) {
                lead(&mut self.record[hold.record], end, position);
            }
        }
    }

    /// How far a hand goes in a step at most (m).
    fn farthest(&self) -> f32 {
        let first = self.world().bodies().first();
        let r = first.map(|body| body.particle_radius);
        r.filter(|r| *r > 0.0).map_or(f32::INFINITY, |r| REACH * r)
    }

    fn begin(&mut self, mut waiting: Waiting, end: f32) {
        let mut action = waiting.action;
        let farthest = self.farthest();
        if let Some((_, Some(way))) = &mut waiting.hold {
            if let Some(key) = action
                .tool
                .as_mut()
                .and_then(|tool| tool.motion.first_mut())
            {
                key.time = action.at;
            }
            lead(&mut action, end, way.go(farthest));
        }
        // It was fit when it came, and only its times have changed.
        let Ok(converted) = self.converted(&action) else {
            return;
        };
        let ids = converted.into_iter();
        let mut ids = ids.map(|action| self.built.world.add_action(action));
        let first = ids.next();
        ids.for_each(drop);
        if let (Some((hold, way)), Some(id)) = (waiting.hold, first) {
            self.holds.push(Hold {
                id: hold,
                record: self.record.len(),
                action: id,
                way,
            });
        }
        self.record.push(action);
    }

    /// The action at the time of the next step, if the engine can do it.
    fn checked(&self, mut action: Action) -> Result<Action, Error> {
        action.at = (self.world().time() - 0.5 * f64::from(self.dt())).max(0.0) as f32;
        let converted = self.converted(&action)?;
        match converted.iter().find_map(|one| one.kind.complaint()) {
            None => Ok(action),
            Some(complaint) => Err(Error::Input(complaint.to_owned())),
        }
    }

    /// What an action is in the engine.
    fn converted(&self, action: &Action) -> Result<Vec<pliant::dynamics::Action>, Error> {
        let stage = (self.world(), &self.built.cast);
        convert_action(&self.loaded, &self.limits, stage, action)
    }

    /// The scene with all that was done to it; it is as long as it was played.
    pub fn scene(&self) -> SceneFile {
        let mut scene = self.loaded.scene.clone();
        // Pulls that end with the run must go on ending where they did.
        let end = self.built.frames as f32 / self.built.fps;
        for pull in scene.action.iter_mut().filter_map(|a| a.pull.as_mut()) {
            if pull.path.is_none() {
                pull.until.get_or_insert(end);
            }
        }
        scene.action.extend(self.record.iter().cloned());
        let played = u32::try_from(self.world().frame()).unwrap_or(u32::MAX);
        scene.simulation.frames = Some(played.max(1));
        scene
    }
}

/// Whether an action makes one that has not happened yet meaningless: sliders send many.
fn supersedes(new: &Action, old: &Action) -> bool {
    let bodies = |action: &Action| action.change.as_ref().map(|change| change.body.clone());
    (new.gravity.is_some() && old.gravity.is_some())
        || (new.change.is_some() && bodies(new) == bodies(old) && covers(new, old))
}

/// Whether a change gives all values that another gives.
fn covers(new: &Action, old: &Action) -> bool {
    let given = |action: &Action| {
        let c = action.change.clone().unwrap_or_default();
        [c.stiffness, c.r#yield, c.flow, c.hardening].map(|value| value.is_some())
    };
    let (new, old) = (given(new), given(old));
    new.iter().zip(old).all(|(new, old)| *new || !old)
}

/// Adds a place to the way of a hand.
fn lead(action: &mut Action, time: f32, position: Vec3) {
    let position = position.to_array();
    if let Some(pull) = &mut action.pull {
        let path = pull.path.get_or_insert_default();
        path.push(file::PathKey { time, position });
    }
    if let Some(tool) = &mut action.tool {
        tool.motion.push(file::MotionKey {
            time,
            position: Some(position),
            rotation: None,
        });
    }
}

/// The first number of a scene file that is not before a time.
fn at_or_after(time: f64) -> f32 {
    let near = time as f32;
    if f64::from(near) < time {
        near.next_up()
    } else {
        near
    }
}
