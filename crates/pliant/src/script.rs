//! What a script or a hand does: actions begin, are guided while they last, and end.

use crate::dynamics::action::{Action, ActionId, ActionKind, PathKey, Squeeze, Tool};
use crate::dynamics::collider::MotionKey;
use crate::dynamics::grab::{Grab, Grip, Way};
use crate::report::StepReport;
use crate::state::{BodyId, Surface};
use crate::surface::cut::Cut;
use crate::visual::joining::WorldJoint;
use crate::world::World;
use glam::Vec3;

/// A time this little ahead has come: frames are sums of rounded steps (s).
const ROUNDING: f64 = 1e-9;

/// What joints are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lead {
    /// A speed (rad/s; of slides m/s), and what may be done for it in place of what the motor can (N m; of slides N).
    Drive(f32, Option<f32>),
    /// An angle about y (rad).
    Steer(f32),
}

/// Whether a name, which may end in a `*` for anything, means a joint.
fn is_meant(name: &str, joint: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => joint.starts_with(start),
        None => joint == name,
    }
}

/// Actions that wait for their time, and what is left of those that have begun.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// In the order of their times; those before `next` have begun.
    actions: Vec<(ActionId, Action)>,
    next: usize,
    added: u64,
}

impl Script {
    /// How many actions have begun.
    pub(crate) fn begun(&self) -> usize {
        self.next
    }

    fn add(&mut self, action: Action) -> ActionId {
        let id = ActionId(self.added);
        self.added += 1;
        self.actions.push((id, action));
        // Stable, so that actions at the same time happen in the order in which they were added.
        self.actions[self.next..].sort_by(|a, b| a.1.at.total_cmp(&b.1.at));
        id
    }

    /// The next action, if its time has come.
    fn due(&mut self, time: f64) -> Option<(ActionId, ActionKind)> {
        let (id, action) = self.actions.get(self.next)?;
        let due = action.at <= time + ROUNDING;
        due.then(|| {
            self.next += 1;
            (*id, action.kind.clone())
        })
    }
}

impl World {
    /// Schedules an action; one whose time has passed happens in the next step.
    pub fn add_action(&mut self, action: Action) -> ActionId {
        self.script.add(action)
    }

    /// Tells a pull or a tool that is under way where to be at a later time, beyond all that it was told before; `false` if there is none
    /// of this id, or if the key is not later than its last. A turn goes its own way.
    ///
    /// A hand that is guided ahead of every step does what one would whose whole path was known from the start.
    pub fn guide(&mut self, action: ActionId, key: PathKey) -> bool {
        let later = |last: Option<f64>| last.is_none_or(|last| key.time > last);
        if !(key.position.is_finite() && key.time.is_finite()) {
            return false;
        }
        if let Some(grab) = self.grabs.iter_mut().find(|grab| grab.action == action) {
            let Way::Path(path) = &mut grab.way else {
                return false;
            };
            let goes_on = later(path.last().map(|key| key.time));
            path.extend(goes_on.then_some(key));
            return goes_on;
        }
        if let Some(tool) = self.tools.iter_mut().find(|tool| tool.action == action) {
            let keys = &mut tool.collider.motion.keys;
            let goes_on = later(keys.last().map(|key| key.time));
            let rotation = keys.last().map_or(Vec3::ZERO, |key| key.rotation);
            keys.extend(goes_on.then_some(MotionKey {
                time: key.time,
                position: key.position,
                rotation,
            }));
            return goes_on;
        }
        false
    }

    /// Lets a pull, a turn, a pin or a tool that is under way end at a time; `false` if there is none of this id.
    pub fn end_action(&mut self, action: ActionId, until: f64) -> bool {
        let grabs = self.grabs.iter_mut();
        let grabs = grabs.map(|grab| (grab.action, &mut grab.until));
        let tools = self.tools.iter_mut();
        let tools = tools.map(|tool| (tool.action, &mut tool.until));
        match grabs.chain(tools).find(|(id, _)| *id == action) {
            Some((_, end)) => {
                *end = until;
                true
            }
            None => false,
        }
    }

    /// Obstacles that are there for a while.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// How many particles a pull, a turn or a pin that is under way holds; none if it is over.
    pub fn held_by(&self, action: ActionId) -> Option<usize> {
        let mut grabs = self.grabs.iter();
        grabs
            .find(|grab| grab.action == action)
            .map(|grab| grab.held.len())
    }

    /// Starts the actions whose time has come.
    pub(crate) fn start_actions(&mut self, report: &mut StepReport) {
        while let Some((id, kind)) = self.script.due(self.time) {
            match kind.complaint() {
                None => self.start(id, kind, report),
                Some(complaint) => report
                    .warnings
                    .push(format!("an action was left out: {complaint}")),
            }
        }
    }

    fn start(&mut self, action: ActionId, kind: ActionKind, report: &mut StepReport) {
        let start = self.time;
        match kind {
            ActionKind::Shoot {
                from,
                velocity,
                radius,
                mass,
                until,
            } => self
                .rigids
                .push_sphere(from, velocity, radius, mass, 0.5, until),
            ActionKind::Pull { grip, path, until } => {
                self.grab(action, &grip, Way::Path(path), [start, until]);
            }
            ActionKind::Turn {
                grip,
                axis,
                degrees,
                until,
            } => {
                let axis = direction(axis);
                let way = Way::Turn {
                    axis,
                    degrees,
                    until,
                };
                self.grab(action, &grip, way, [start, until]);
            }
            ActionKind::Pin { grip, until } => {
                self.grab(action, &grip, Way::Path(Vec::new()), [start, until]);
            }
            ActionKind::Impulse {
                at,
                radius,
                velocity,
            } => {
                for i in 0..self.points.len() {
                    if self.points.x[i].distance_squared(at) <= radius * radius {
                        self.points.v[i] += velocity;
                    }
                }
            }
            ActionKind::Tool { collider, until } => self.tools.push(Tool {
                action,
                collider,
                until,
            }),
            ActionKind::Change {
                body,
                stiffness,
                plastic_yield,
                plastic_flow,
                hardening,
            } => {
                let values = [stiffness, plastic_yield, plastic_flow, hardening];
                self.change_material(body, values);
            }
            ActionKind::Gravity { acceleration } => self.settings.gravity = acceleration,
            ActionKind::Wind { velocity, until } => self.winds.push((velocity, until)),
            ActionKind::Squeeze {
                point,
                normal,
                strength,
                body,
                until,
            } => self.squeezes.push(Squeeze {
                point,
                normal: direction(normal),
                strength,
                body,
                until,
            }),
            ActionKind::Fracture { at, pattern, body } => self.breaks.push((at, pattern, body)),
            ActionKind::Drive {
                joint,
                speed,
                strength,
                until,
            } => self.lead_joints(joint, Lead::Drive(speed, strength), until, report),
            ActionKind::Steer {
                joint,
                angle,
                until,
            } => self.lead_joints(joint, Lead::Steer(angle), until, report),
            ActionKind::Cut {
                point,
                normal,
                blade,
                body,
            } => {
                let cut = Cut {
                    blade,
                    ..Cut::new(point, normal)
                };
                self.ask_for_cut(&cut, body, report);
            }
        }
    }

    /// Drives or steers joints until a time.
    fn lead_joints(&mut self, joint: String, lead: Lead, until: f64, report: &mut StepReport) {
        if !self
            .joints
            .iter()
            .any(|own| is_meant(&joint, &own.joint.name))
        {
            report
                .warnings
                .push(format!("no joint is called `{joint}`, so none is led"));
            return;
        }
        let idle =
            |own: &WorldJoint| is_meant(&joint, &own.joint.name) && own.joint.motor.is_none();
        if matches!(lead, Lead::Drive(_, None)) && self.joints.iter().any(idle) {
            report.warnings.push(format!(
                "`{joint}` is driven, but has no motor; give the joint one, or the drive a torque"
            ));
        }
        self.leads.push((joint, lead, until));
        self.follow_leads();
    }

    /// Joints do what the last of those who lead them wants.
    fn follow_leads(&mut self) {
        for own in &mut self.joints {
            (own.joint.drive, own.joint.steer) = (None, 0.0);
            own.joint.drive_strength = None;
            for (name, lead, _) in &self.leads {
                if is_meant(name, &own.joint.name) {
                    match *lead {
                        Lead::Drive(speed, strength) => {
                            own.joint.drive = Some(speed);
                            own.joint.drive_strength = strength;
                        }
                        Lead::Steer(angle) => own.joint.steer = angle,
                    }
                }
            }
        }
    }

    fn grab(&mut self, action: ActionId, grip: &Grip, way: Way, during: [f64; 2]) {
        let grab = Grab::new(
            &mut self.points,
            &mut self.oriented,
            action,
            grip,
            way,
            during,
        );
        self.grabs.push(grab);
    }

    /// Gives bodies another K, ε_Y, ν and κ.
    fn change_material(&mut self, body: Option<BodyId>, values: [Option<f32>; 4]) {
        let set = |places: [&mut f32; 4]| {
            for (place, value) in places.into_iter().zip(values) {
                *place = value.unwrap_or(*place);
            }
        };
        let chosen = |id: BodyId| body.is_none_or(|body| body == id);
        for body in self.bodies.iter_mut().filter(|body| chosen(body.id)) {
            let m = &mut body.material;
            set([
                &mut m.stiffness,
                &mut m.plastic_yield,
                &mut m.plastic_flow,
                &mut m.hardening,
            ]);
            for m in &mut self.groups.material[body.groups.clone()] {
                set([
                    &mut m.stiffness,
                    &mut m.plastic_yield,
                    &mut m.plastic_flow,
                    &mut m.hardening,
                ]);
            }
        }
    }

    /// Hands a cut to the tracked surfaces that it is for; they make it when they have been carried.
    fn ask_for_cut(&mut self, cut: &Cut, body: Option<BodyId>, report: &mut StepReport) {
        let mut asked = false;
        for (owner, surface) in self.bodies.iter().zip(&mut self.surfaces) {
            if let Surface::Tracked(tracked) = surface
                && body.is_none_or(|id| id == owner.id)
            {
                asked = true;
                if let Err(refusal) = tracked.cut(cut.clone()) {
                    report
                        .warnings
                        .push(format!("{} was not cut: {refusal}", owner.name));
                }
            }
        }
        if !asked {
            let warning = "a cut was left out: no body that it is for has a tracked surface";
            report.warnings.push(warning.to_owned());
        }
    }

    /// Ends the actions whose time is over.
    pub(crate) fn finish_actions(&mut self) {
        let now = self.time + ROUNDING;
        let (points, oriented) = (&mut self.points, &mut self.oriented);
        let grabs = &mut self.grabs;
        if grabs.iter().any(|grab| grab.until <= now) {
            grabs
                .iter()
                .filter(|grab| grab.until <= now)
                .for_each(|grab| grab.release(points, oriented));
            grabs.retain(|grab| grab.until > now);
            // A point in two hands is still held by the other.
            for grab in grabs.iter() {
                for &(i, _) in &grab.held {
                    points.inv_mass[i as usize] = 0.0;
                }
                for &(i, _) in &grab.turned {
                    oriented.held[i as usize] = true;
                }
            }
        }
        self.tools.retain(|tool| tool.until > now);
        self.winds.retain(|(_, until)| *until > now);
        self.squeezes.retain(|squeeze| squeeze.until > now);
        self.rigids.retire(now);
        if self.leads.iter().any(|(.., until)| *until <= now) {
            self.leads.retain(|(.., until)| *until > now);
            self.follow_leads();
        }
    }
}

/// The unit vector along one of any length but zero, however small or large.
fn direction(v: Vec3) -> Vec3 {
    (v / v.abs().max_element()).normalize_or(Vec3::Y)
}
