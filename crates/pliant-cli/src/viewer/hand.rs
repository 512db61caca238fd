//! What the mouse does to the world: each tool turns presses, drags and releases into commands.

use glam::{Vec2, Vec3};
use pliant_scene::file::{
    Action, Capsule, Cut, MotionKey, Pin, Pull, Shape, Shoot, Sphere, Tool as FileTool,
};
use pliant_scene::live::{Command, View};
use pliant_scene::picture::Hit;

use super::orbit::Orbit;

/// What the left button does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tool {
    /// Takes hold and pulls.
    #[default]
    Grab,
    /// Shoots a ball.
    Shoot,
    /// Cuts along a line.
    Cut,
    /// Holds a place, or lets it go.
    Pin,
    /// Pushes with a roller.
    Roller,
    /// Squeezes with a pair of hands.
    Hands,
}

impl Tool {
    /// All tools, in the order of their keys 1 to 6.
    pub(super) const ALL: [Self; 6] = [
        Self::Grab,
        Self::Shoot,
        Self::Cut,
        Self::Pin,
        Self::Roller,
        Self::Hands,
    ];

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Grab => "Grab",
            Self::Shoot => "Shoot",
            Self::Cut => "Cut",
            Self::Pin => "Pin",
            Self::Roller => "Roller",
            Self::Hands => "Hands",
        }
    }

    /// What it does, in a few words.
    pub(super) fn explanation(self) -> &'static str {
        match self {
            Self::Grab => "drag to pull; beside the body it turns the view",
            Self::Shoot => "click to shoot a ball there",
            Self::Cut => "drag a line across the body",
            Self::Pin => "click to hold a place, click it again to let go",
            Self::Roller => "drag a roller along and into the body",
            Self::Hands => "hold to squeeze between two hands",
        }
    }
}

/// Radius of a grip, in particle radii.
const GRIP: f32 = 3.0;
/// Radius of a pin, in particle radii.
const PIN: f32 = 2.5;
/// Radius of a ball that is shot, in particle radii.
const BALL: f32 = 4.0;
/// How far before the place where it hits a ball starts, in its radii.
const RUN_UP: f32 = 8.0;
/// Radius and half the length of the roller, in particle radii.
const ROLLER: [f32; 2] = [3.0, 14.0];
/// Radius of a hand, in particle radii.
const PALM: f32 = 4.0;
/// How long a pair of hands takes to close (s).
const CLOSING: f32 = 1.5;
/// Friction of rollers and hands: fingers hold on.
const GRIPPING: f32 = 0.8;

/// Something that is held as long as the button is down.
#[derive(Clone, Debug)]
enum Held {
    /// A grip or a roller, on a plane that faces the camera.
    One {
        hand: u64,
        /// Where the mouse has led it (m).
        goal: Vec3,
        /// From the place under the mouse to the hand (m).
        offset: Vec3,
        /// Distance of the plane along the camera's direction (m).
        depth: f32,
        /// Whether it holds the body itself.
        grips: bool,
    },
    /// A pair of hands that closes.
    Pair {
        hands: [u64; 2],
        middle: Vec3,
        side: Vec3,
        depth: f32,
        /// Half of the way between them at first and at last (m).
        gap: [f32; 2],
        since: f64,
    },
    /// A line in the view, from where to where.
    Line { from: Vec2, to: Vec2 },
}

/// A place that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pinned {
    hand: u64,
    /// Where (m).
    pub(super) at: Vec3,
    /// Outward unit normal there.
    pub(super) normal: Vec3,
    /// How wide (m).
    radius: f32,
}

/// The hand of the user.
#[derive(Clone, Debug, Default)]
pub(super) struct Hand {
    /// What the left button does.
    pub(super) tool: Tool,
    /// Speed of a ball that is shot, in sizes of the scene a second.
    pub(super) shot_speed: f32,
    held: Option<Held>,
    pins: Vec<Pinned>,
    next: u64,
}

/// Where the mouse is, and what is under it.
pub(super) struct Touch<'a> {
    /// Where it is in the view, in heights of it.
    pub(super) place: Vec2,
    /// Width over height of the view.
    pub(super) aspect: f32,
    /// The camera.
    pub(super) orbit: &'a Orbit,
    /// What is seen.
    pub(super) view: &'a View,
    /// Time (s).
    pub(super) now: f64,
}

impl Touch<'_> {
    fn ray(&self) -> (Vec3, Vec3) {
        self.orbit.ray(self.place, self.aspect)
    }

    fn hit(&self) -> Option<Hit> {
        let (from, direction) = self.ray();
        self.view.snapshot.hit(from, direction)
    }

    /// The place under the mouse at a depth (m).
    fn at_depth(&self, depth: f32) -> Vec3 {
        let (from, direction) = self.ray();
        let (_, _, forward) = self.orbit.axes();
        from + direction * (depth / direction.dot(forward).max(1e-3))
    }

    fn depth_of(&self, place: Vec3) -> f32 {
        let (_, _, forward) = self.orbit.axes();
        (place - self.orbit.camera().eye).dot(forward)
    }

    fn particle_radius(&self, body: usize) -> f32 {
        let bodies = &self.view.bodies;
        let body = bodies.get(body).or(bodies.first());
        body.map_or(0.1, |body| body.particle_radius)
    }
}

impl Hand {
    /// A hand that holds nothing.
    pub(super) fn new() -> Self {
        Self {
            shot_speed: 6.0,
            ..Self::default()
        }
    }

    /// Forgets all that it holds: the world has begun anew.
    pub(super) fn forget(&mut self) {
        self.held = None;
        self.pins.clear();
    }

    /// Whether a button press began something that lasts.
    pub(super) fn is_busy(&self) -> bool {
        self.held.is_some()
    }

    /// The places that are held.
    pub(super) fn pins(&self) -> &[Pinned] {
        &self.pins
    }

    /// The line of a cut in the making, in the view.
    pub(super) fn line(&self) -> Option<[Vec2; 2]> {
        match self.held {
            Some(Held::Line { from, to }) => Some([from, to]),
            _ => None,
        }
    }

    /// From where to where the spring of a grip goes (m).
    pub(super) fn spring(&self, view: &View) -> Option<[Vec3; 2]> {
        let Some(Held::One {
            hand,
            goal,
            grips: true,
            ..
        }) = &self.held
        else {
            return None;
        };
        let place = view.hands.iter().find(|(own, _)| own == hand)?.1;
        Some([place, *goal])
    }

    /// The left button goes down; `false` if there is nothing to do for the tool, and the view may turn.
    pub(super) fn press(&mut self, touch: &Touch<'_>, tell: &mut dyn FnMut(Command)) -> bool {
        if self.tool == Tool::Cut {
            let place = touch.place;
            self.held = Some(Held::Line {
                from: place,
                to: place,
            });
            return true;
        }
        let Some(hit) = touch.hit() else {
            return false;
        };
        let r = touch.particle_radius(hit.body);
        match self.tool {
            Tool::Grab => self.grab(touch, &hit, r, tell),
            Tool::Shoot => tell(Command::Act(shot(touch, &hit, r, self.shot_speed))),
            Tool::Pin => self.pin(&hit, r, tell),
            Tool::Roller => self.roll(touch, &hit, r, tell),
            Tool::Hands => self.squeeze(touch, &hit, r, tell),
            Tool::Cut => {}
        }
        true
    }

    /// The mouse moves, or time passes, with the button down.
    pub(super) fn drag(&mut self, touch: &Touch<'_>, tell: &mut dyn FnMut(Command)) {
        match &mut self.held {
            Some(Held::One {
                hand,
                goal,
                offset,
                depth,
                ..
            }) => {
                *goal = touch.at_depth(*depth) + *offset;
                tell(Command::Lead(*hand, *goal));
            }
            Some(Held::Pair {
                hands,
                middle,
                side,
                depth,
                gap,
                since,
            }) => {
                *middle = touch.at_depth(*depth);
                let closed = ((touch.now - *since) as f32 / CLOSING).clamp(0.0, 1.0);
                let half = gap[0] + (gap[1] - gap[0]) * closed;
                for (hand, sign) in hands.iter().zip([-1.0, 1.0]) {
                    tell(Command::Lead(*hand, *middle + *side * (sign * half)));
                }
            }
            Some(Held::Line { to, .. }) => *to = touch.place,
            None => {}
        }
    }

    /// The button goes up.
    pub(super) fn release(&mut self, touch: &Touch<'_>, tell: &mut dyn FnMut(Command)) {
        match self.held.take() {
            Some(Held::One { hand, .. }) => tell(Command::LetGo(hand)),
            Some(Held::Pair { hands, .. }) => {
                for hand in hands {
                    tell(Command::LetGo(hand));
                }
            }
            Some(Held::Line { from, .. }) => {
                if let Some(cut) = cut(touch, from) {
                    tell(Command::Act(cut));
                }
            }
            None => {}
        }
    }

    /// Lets all pins go.
    pub(super) fn unpin_all(&mut self, tell: &mut dyn FnMut(Command)) {
        for pin in self.pins.drain(..) {
            tell(Command::LetGo(pin.hand));
        }
    }

    fn take(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn grab(&mut self, touch: &Touch<'_>, hit: &Hit, r: f32, tell: &mut dyn FnMut(Command)) {
        let hand = self.take();
        let pull = Pull {
            at: hit.point.to_array(),
            radius: Some(GRIP * r),
            ..Pull::default()
        };
        tell(Command::Hold(
            hand,
            Action {
                pull: Some(pull),
                ..Action::default()
            },
        ));
        self.held = Some(Held::One {
            hand,
            goal: hit.point,
            offset: Vec3::ZERO,
            depth: touch.depth_of(hit.point),
            grips: true,
        });
    }

    fn pin(&mut self, hit: &Hit, r: f32, tell: &mut dyn FnMut(Command)) {
        let near = |pin: &Pinned| pin.at.distance(hit.point) < pin.radius;
        if let Some(at) = self.pins.iter().position(near) {
            tell(Command::LetGo(self.pins.remove(at).hand));
            return;
        }
        let hand = self.take();
        let pin = Pin {
            at: hit.point.to_array(),
            radius: Some(PIN * r),
            ..Pin::default()
        };
        tell(Command::Hold(
            hand,
            Action {
                pin: Some(pin),
                ..Action::default()
            },
        ));
        self.pins.push(Pinned {
            hand,
            at: hit.point,
            normal: hit.normal,
            radius: PIN * r,
        });
    }

    /// A roller that lies across the view, before the place under the mouse.
    fn roll(&mut self, touch: &Touch<'_>, hit: &Hit, r: f32, tell: &mut dyn FnMut(Command)) {
        let hand = self.take();
        let (right, _, _) = touch.orbit.axes();
        let [radius, half] = ROLLER.map(|x| x * r);
        let shape = Shape::Capsule(Capsule {
            a: (-right * half).to_array(),
            b: (right * half).to_array(),
            radius,
            center: None,
        });
        // It begins just outside of the body, and outside of its own length aslant.
        let offset = hit.normal * (1.1 * radius + 0.5 * r);
        let start = hit.point + offset;
        tell(Command::Hold(hand, obstacle(shape, start)));
        self.held = Some(Held::One {
            hand,
            goal: start,
            offset,
            depth: touch.depth_of(hit.point),
            grips: false,
        });
    }

    /// A ball on either side of what is under the mouse.
    fn squeeze(&mut self, touch: &Touch<'_>, hit: &Hit, r: f32, tell: &mut dyn FnMut(Command)) {
        let hands = [self.take(), self.take()];
        let (right, _, _) = touch.orbit.axes();
        let palm = PALM * r;
        // They start beside the body, wherever it is wide.
        let extent = touch.view.snapshot.bounds().map_or(0.0, |(lo, hi)| {
            let half = 0.5 * (hi - lo);
            half.dot(right.abs())
        });
        let depth = touch.depth_of(hit.point) + palm;
        let middle = touch.at_depth(depth);
        let wide = (extent + 1.5 * palm).min(12.0 * palm);
        for (hand, sign) in hands.into_iter().zip([-1.0, 1.0]) {
            let shape = Shape::Sphere(Sphere {
                radius: palm,
                center: None,
            });
            let start = middle + right * (sign * wide);
            tell(Command::Hold(hand, obstacle(shape, start)));
        }
        self.held = Some(Held::Pair {
            hands,
            middle,
            side: right,
            depth,
            gap: [wide, palm + r],
            since: touch.now,
        });
    }
}

fn obstacle(shape: Shape, at: Vec3) -> Action {
    Action {
        tool: Some(FileTool {
            shape: Some(shape),
            friction: Some(GRIPPING),
            motion: vec![MotionKey {
                time: 0.0,
                position: Some(at.to_array()),
                rotation: None,
            }],
            until: None,
        }),
        ..Action::default()
    }
}

/// A ball on its way to the place under the mouse.
fn shot(touch: &Touch<'_>, hit: &Hit, r: f32, speed: f32) -> Action {
    let (eye, direction) = touch.ray();
    let radius = BALL * r;
    let run_up = (RUN_UP * radius).min(0.9 * hit.point.distance(eye));
    let velocity = direction * (speed * touch.orbit.size());
    Action {
        shoot: Some(Shoot {
            from: (hit.point - direction * run_up).to_array(),
            velocity: velocity.to_array(),
            radius: Some(radius),
            ..Shoot::default()
        }),
        ..Action::default()
    }
}

/// A cut by the plane through the eye and a line in the view, as long as the line and through everything behind it.
fn cut(touch: &Touch<'_>, from: Vec2) -> Option<Action> {
    if from.distance(touch.place) < 0.01 {
        return None;
    }
    let middle = Touch {
        place: 0.5 * (from + touch.place),
        ..*touch
    };
    let depth = middle
        .hit()
        .map_or(touch.orbit.distance(), |hit| touch.depth_of(hit.point));
    let ends = [from, touch.place].map(|place| Touch { place, ..*touch }.at_depth(depth));
    let along = ends[1] - ends[0];
    let (eye, direction) = middle.ray();
    let normal = along.cross(direction);
    let deep = touch.orbit.size() + depth.abs();
    (normal.length() > 0.0).then(|| Action {
        cut: Some(Cut {
            point: (0.5 * (ends[0] + ends[1])).to_array(),
            normal: normal.normalize().to_array(),
            body: None,
            half: Some((0.5 * along.length()).max(1e-4 * eye.length())),
            along: Some(along.normalize().to_array()),
            across: Some(deep),
        }),
        ..Action::default()
    })
}
