//! Joints between two movers that turn \[DCB14\]: each is a handful of rows, solved together by position.
//!
//! A row says that two places, or two turns, must not differ along one direction. All rows of a joint are solved as one block, so a joint alone
//! is satisfied in one pass; between joints it is Gauss–Seidel.
//!
//! Departs from \[DCB14\] in where pushes act: at the arms of the *beginning* of the substep, as in SHAKE. Errors are measured at its end, as
//! ever. Pushes at the end's arms lose angular momentum and energy in every substep (about 2 ω² h of the energy a second); those at the
//! beginning keep both. What turns so fast that such arms would point elsewhere is pushed at the end's.
//!
//! No pass begins with the pushes of the last substep. Errors of *position* that passes leave are stiff springs as they are; with remembered
//! pushes they would be springs that overshoot.
//!
//! | symbol | meaning |
//! |---|---|
//! | n, t | direction of a row: of its push (1) and of its turning push (1) |
//! | c | how far it is from what it should be (m or rad) |
//! | λ | size of the push that corrects it (kg m or kg m²) |
//! | K | how far row i goes when row j pushes by one |

use super::frame::{Frame, Rigid};
use super::turns::{turn_by, turn_of};
use crate::visual::desc::{JointKind, Motor};
use glam::{Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// How fast wheels are steered at most (rad/s): from one side to the other in about half a second.
const STEERING: f32 = 2.0;

/// How fast what was beyond a limit already comes back (rad/s, m/s): at once would throw it.
const RETURN: f32 = 2.0;

/// How fast sides that are not where they should be are brought there at most (m/s, rad/s): more than any joint in order needs, less than
/// would throw what somebody has put elsewhere.
const REPAIR: f32 = 60.0;

/// Farthest turn of one pass (rad): the rows are those of small turns.
const LARGEST_TURN: f32 = 0.5;

/// Frequency of a wheel's spring (Hz) and its share of the critical damping: those of a firm car.
const SPRING: [f32; 2] = [2.5, 0.4];

/// How far arms may turn in a substep, as a share of their length, before pushes move to the end's.
const FAST: f32 = 0.4;

/// Rows that a joint has at most: six for what it holds, with a limit or a motor in place of one that is free.
const ROWS: usize = 6;

/// Below this share of its own give, a row has nothing to say that others have not said.
const REDUNDANT: f64 = 1e-7;

/// Where a joint is on one of its sides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Anchor {
    /// Place from the centre of mass, in body axes (m).
    pub at: Vec3,
    /// Axes of the joint in those of the body.
    pub axes: Quat,
}

impl Anchor {
    /// What is at `p` in the world, with axes turned by `axes`, as the body carries it.
    pub fn on(body: &Rigid, p: Vec3, axes: Quat) -> Self {
        let back = body.rotation.conjugate();
        Self {
            at: back * (p - body.x),
            axes: (back * axes).normalize(),
        }
    }
}

/// A spring of a wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Suspension {
    /// Mass that hangs on it (kg); 0: what the carrier resists at this place.
    pub mass: f32,
    /// Frequency of that mass on it (Hz).
    pub frequency: f32,
    /// Damping as a share of the critical one.
    pub damping: f32,
    /// How far it goes either way (m).
    pub travel: f32,
}

impl Suspension {
    /// The usual spring, which goes `travel` either way (m).
    pub fn new(travel: f32) -> Self {
        Self {
            mass: 0.0,
            frequency: SPRING[0],
            damping: SPRING[1],
            travel,
        }
    }
}

/// A joint. Which movers its sides are is kept by whoever calls it; `b` carries and `a` is carried: a door on its frame, a wheel on its car.
/// Angles, ways and speeds are those of `a` against `b`.
///
/// Invariant: axes of both anchors have unit length and coincide in the world where the angle or the way is 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// What it lets happen.
    pub kind: JointKind,
    /// Where it is on what is carried.
    pub a: Anchor,
    /// Where it is on what carries; of the world, in its coordinates.
    pub b: Anchor,
    /// Least and largest angle (rad), or way of a slide (m). Of a ball the second one is how far the x axes may be apart.
    pub limits: Option<[f32; 2]>,
    /// What drives it.
    pub motor: Option<Motor>,
    /// Speed that an action wants in place of the motor's (rad/s, m/s).
    pub drive: Option<f32>,
    /// The most that it may do for that in place of the motor's, which it then need not have (N m; of slides N).
    pub drive_strength: Option<f32>,
    /// Spring of a wheel.
    pub suspension: Suspension,
    /// Angle about y that a wheel is to be steered to (rad).
    pub steer: f32,
    /// Angle that it is steered to now (rad).
    pub steered: f32,
    /// Angle of a hinge or a wheel, followed over many turns (rad).
    pub angle: f32,
    /// How far `a` is along the slide, or along the spring of a wheel (m).
    pub way: f32,
    /// What the motor has done in this substep (kg m²; of slides kg m).
    driven: f32,
    /// What the spring has done in this substep (kg m).
    sprung: f32,
    /// Force and torque that it held in the last substep (N, N m).
    load: [Vec3; 2],
    /// What each of its rows has done in this substep (kg m or kg m²).
    done: [f32; ROWS],
    /// What was so when the substep began; none until the first pass.
    begun: Option<Begun>,
}

/// A joint when the substep began.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Begun {
    /// From the two centres to the joint, where pushes act (m).
    arms: [Vec3; 2],
    /// Along the slide or the spring (m).
    way: f32,
    /// How far beyond its limit it was (rad, m).
    beyond: f32,
    /// The spring: its compliance over h², and γ of its damping \[MMC16 Eq. 26\].
    soft: f32,
    damp: f32,
    /// What of the error of each row is left for later (m or rad).
    left: [f32; ROWS],
}

/// One condition.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    n: Vec3,
    t: Vec3,
    c: f32,
    /// What a spring adds to its own give.
    soft: f32,
    /// Whether it is a spring or an end of the way: not what a joint is there to hold.
    passing: bool,
}

/// Rows of one solve.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    rows: [Row; ROWS],
    count: usize,
}

impl Rows {
    fn push(&mut self, row: Row) {
        self.rows[self.count] = row;
        self.count += 1;
    }

    /// Places that must not differ along some directions.
    fn places(&mut self, along: &[Vec3], apart: Vec3) {
        for &n in along {
            let c = n.dot(apart);
            self.push(Row {
                n,
                c,
                ..Row::default()
            });
        }
    }

    /// Turns that must not differ about some directions.
    fn turns(&mut self, about: &[Vec3], apart: Vec3) {
        for &t in about {
            let c = t.dot(apart);
            self.push(Row {
                t,
                c,
                ..Row::default()
            });
        }
    }
}

/// What the axes of the two sides are in the world, and how they differ.
struct Pose {
    /// Axes of what carries; of wheels after steering.
    axes: [Vec3; 3],
    /// The spring's direction: the y axis, not steered.
    along: Vec3,
    /// The x axis of what is carried.
    own: Vec3,
    /// The place of the joint on what is carried, less that on what carries (m).
    apart: Vec3,
    /// The rotation from the axes of what carries to those of what is carried.
    between: Quat,
    /// From the two centres to the joint on what is carried (m).
    arms: [Vec3; 2],
}

impl Joint {
    /// A joint without limits or a motor.
    pub fn new(name: impl Into<String>, kind: JointKind, a: Anchor, b: Anchor) -> Self {
        Self {
            name: name.into(),
            kind,
            a,
            b,
            limits: None,
            motor: None,
            drive: None,
            drive_strength: None,
            suspension: Suspension::new(0.1),
            steer: 0.0,
            steered: 0.0,
            angle: 0.0,
            way: 0.0,
            driven: 0.0,
            sprung: 0.0,
            load: [Vec3::ZERO; 2],
            done: [0.0; ROWS],
            begun: None,
        }
    }

    /// Force and torque on `a` by which the joint held in the last substep, without motor and spring (N, N m).
    pub fn load(&self) -> (Vec3, Vec3) {
        (self.load[0], self.load[1])
    }

    /// What the motor did in the substep in hand (N m; of slides N).
    pub fn effort(&self, h: f32) -> f32 {
        self.driven / (h * h)
    }

    /// Begins a substep of `h` seconds.
    pub fn begin(&mut self, h: f32) {
        let way = self.steer - self.steered;
        self.steered += way.clamp(-STEERING * h, STEERING * h);
        (self.driven, self.sprung) = (0.0, 0.0);
        self.done = [0.0; ROWS];
        self.begun = None;
    }

    /// One pass over the joint in a substep of `h` seconds; after the `last` one its angle and its pushes are remembered.
    pub fn solve(&mut self, a: &mut Frame, b: &mut Frame, h: f32, last: bool) {
        if a.inv_mass + b.inv_mass == 0.0 {
            return;
        }
        let begun = match self.begun {
            Some(begun) => begun,
            None => self.start(a, b, h),
        };
        self.begun = Some(begun);
        self.hold(a, b, &begun, h);
        let pose = self.pose(a, b);
        if let Some(limit) = self.limit(&pose, begun.beyond, h) {
            let mut rows = self.rows(&pose, &begun);
            rows.push(limit);
            let lambda = rows.solve(a, b, &pose, &begun);
            self.apply(a, b, &begun, &rows, &lambda);
        }
        if last {
            let pose = self.pose(a, b);
            self.angle = self.angle_at(&pose);
            self.way = pose.way(self.kind);
            self.note(&pose, &begun, h);
        }
    }

    /// Remembers what it has held.
    fn note(&mut self, pose: &Pose, begun: &Begun, h: f32) {
        let rows = self.rows(pose, begun);
        self.load = [Vec3::ZERO; 2];
        for (k, row) in rows.rows[..rows.count].iter().enumerate() {
            let held = self.done[k] / (h * h);
            self.load[0] += row.n * held;
            self.load[1] += row.t * held;
        }
    }

    /// What is so at the beginning of the substep.
    fn start(&mut self, a: &Frame, b: &Frame, h: f32) -> Begun {
        let before = |f: &Frame| Frame {
            x: f.start,
            rotation: turn_by(-f.turned) * f.rotation,
            ..*f
        };
        let (then, now) = (self.pose(&before(a), &before(b)), self.pose(a, b));
        let way = then.way(self.kind);
        let longest = now.arms[0].length().max(now.arms[1].length());
        let turned = |k: usize| (then.arms[k] - now.arms[k]).length();
        let fast = turned(0).max(turned(1)) / (FAST * longest).max(f32::MIN_POSITIVE) - 1.0;
        let fast = if longest > 0.0 {
            fast.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let mut begun = Begun {
            arms: [0, 1].map(|k| then.arms[k].lerp(now.arms[k], fast)),
            way,
            beyond: self.beyond(&then).map_or(0.0, |x| x.0),
            soft: 0.0,
            damp: 0.0,
            left: [0.0; ROWS],
        };
        if self.kind == JointKind::Wheel {
            if self.suspension.mass <= 0.0 {
                let give = |f: &Frame, k: usize| f.give(now.arms[k], now.along);
                let hangs = if b.inv_mass > 0.0 {
                    give(b, 1)
                } else {
                    give(a, 0)
                };
                self.suspension.mass = 1.0 / hangs;
            }
            let s = &self.suspension;
            let omega = TAU * s.frequency;
            let k = s.mass * omega * omega;
            begun.soft = 1.0 / (k * h * h);
            begun.damp = 2.0 * s.damping / (omega * h);
        }
        let rows = self.rows(&then, &begun);
        let rows = &rows.rows[..rows.count];
        let size = |is_turn: bool| {
            let all = rows.iter().filter(|r| (r.n == Vec3::ZERO) == is_turn);
            let square: f32 = all.filter(|r| !r.passing).map(|r| r.c * r.c).sum();
            (1.0 - REPAIR * h / square.sqrt().max(f32::MIN_POSITIVE)).max(0.0)
        };
        let later = [size(false), size(true)];
        for (left, row) in begun.left.iter_mut().zip(rows) {
            if !row.passing {
                *left = row.c * later[usize::from(row.n == Vec3::ZERO)];
            }
        }
        begun
    }

    /// Where its sides are.
    fn pose(&self, a: &Frame, b: &Frame) -> Pose {
        let (qa, mut qb) = (a.rotation * self.a.axes, b.rotation * self.b.axes);
        let arm = a.arm(self.a.at);
        let at = a.x + arm;
        let along = qb * Vec3::Y;
        if self.kind == JointKind::Wheel && self.steered != 0.0 {
            qb *= turn_by(Vec3::Y * self.steered);
        }
        Pose {
            axes: Vec3::AXES.map(|axis| qb * axis),
            along,
            own: qa * Vec3::X,
            apart: at - b.x - b.arm(self.b.at),
            between: qb.conjugate() * qa,
            // What is held in directions that turn with `b` pushes it where `a` is, not where the joint is on it: a slide may be far out.
            arms: [arm, at - b.x],
        }
    }

    /// Conditions without limits and motors.
    fn rows(&self, pose: &Pose, begun: &Begun) -> Rows {
        let mut rows = Rows::default();
        let [x, y, z] = pose.axes;
        match self.kind {
            JointKind::Fixed => {
                rows.places(&Vec3::AXES, pose.apart);
                rows.turns(&Vec3::AXES, pose.twist());
            }
            JointKind::Ball => {
                rows.places(&Vec3::AXES, pose.apart);
            }
            JointKind::Hinge => {
                rows.places(&Vec3::AXES, pose.apart);
                rows.turns(&[y, z], bend(x, pose.own));
            }
            JointKind::Slide => {
                rows.places(&[y, z], pose.apart);
                rows.turns(&Vec3::AXES, pose.twist());
            }
            JointKind::Wheel => {
                rows.places(&[x, z], pose.apart);
                rows.turns(&[y, z], bend(x, pose.own));
                rows.push(self.spring(pose, begun));
            }
        }
        for (row, left) in rows.rows.iter_mut().zip(&begun.left) {
            row.c -= left;
        }
        rows
    }

    /// The spring of a wheel, or the end of its travel \[MMC16 Eq. 26\].
    fn spring(&self, pose: &Pose, begun: &Begun) -> Row {
        let n = pose.along;
        let way = n.dot(pose.apart);
        let over = way.abs() - self.suspension.travel;
        if over > 0.0 {
            let c = over.copysign(way);
            return Row {
                n,
                c,
                passing: true,
                ..Row::default()
            };
        }
        let share = 1.0 / (1.0 + begun.damp);
        let moved = way - begun.way;
        Row {
            n,
            t: Vec3::ZERO,
            c: share * (way + begun.soft * self.sprung + begun.damp * moved),
            soft: share * begun.soft,
            passing: true,
        }
    }

    /// The angle about x, next to the one that it had.
    fn angle_at(&self, pose: &Pose) -> f32 {
        let q = pose.between;
        let angle = 2.0 * libm::atan2f(q.x, q.w);
        let turns = libm::roundf((self.angle - angle) / TAU);
        angle + turns * TAU
    }

    /// How far beyond its limit it is, and where that acts.
    fn beyond(&self, pose: &Pose) -> Option<(f32, Vec3, Vec3)> {
        let [lo, hi] = self.limits?;
        let x = pose.axes[0];
        let outside = |value: f32| {
            if value > hi {
                (value - hi, 1.0)
            } else {
                (lo - value, -1.0)
            }
        };
        let (over, n, t) = match self.kind {
            JointKind::Hinge => {
                let (over, sign) = outside(self.angle_at(pose));
                (over, Vec3::ZERO, x * sign)
            }
            JointKind::Slide => {
                let (over, sign) = outside(x.dot(pose.apart));
                (over, x * sign, Vec3::ZERO)
            }
            JointKind::Ball => {
                let swing = bend(x, pose.own);
                let angle = swing.length();
                (angle - hi, Vec3::ZERO, swing / angle.max(f32::MIN_POSITIVE))
            }
            JointKind::Fixed | JointKind::Wheel => return None,
        };
        (over > 0.0).then_some((over, n, t))
    }

    /// The row of a limit, if it is beyond. What was beyond when the substep began comes back slowly.
    fn limit(&self, pose: &Pose, before: f32, h: f32) -> Option<Row> {
        let (over, n, t) = self.beyond(pose)?;
        let c = over - (before - RETURN * h).max(0.0);
        (c > 0.0).then_some(Row {
            n,
            t,
            c,
            soft: 0.0,
            passing: true,
        })
    }

    /// What drives it now, if that is strong enough for anything.
    fn motor_now(&self) -> Option<Motor> {
        let strength = self.drive_strength.or(self.motor.map(|m| m.strength))?;
        let speed = self.drive.or(self.motor.map(|m| m.speed))?;
        (strength > 0.0).then_some(Motor { speed, strength })
    }

    /// The row of the motor: the way of the substep, less what it should be.
    fn motor_row(&self, frames: [&Frame; 2], pose: &Pose, begun: &Begun, h: f32) -> Option<Row> {
        let wanted = self.motor_now()?.speed * h;
        let mut row = Row::default();
        match self.kind {
            JointKind::Hinge | JointKind::Wheel => {
                row.t = pose.own;
                row.c = row.t.dot(frames[0].turned - frames[1].turned) - wanted;
            }
            JointKind::Slide => {
                row.n = pose.axes[0];
                row.c = row.n.dot(pose.apart) - begun.way - wanted;
            }
            JointKind::Fixed | JointKind::Ball => return None,
        }
        Some(row)
    }

    /// What is held, and the motor: to the speed that it wants, or as far as it is strong enough.
    fn hold(&mut self, a: &mut Frame, b: &mut Frame, begun: &Begun, h: f32) {
        let mut pose = self.pose(a, b);
        let mut rows = self.rows(&pose, begun);
        if let Some(row) = self.motor_row([a, b], &pose, begun, h) {
            let most = self.motor_now().map_or(0.0, |m| m.strength) * h * h;
            let held = rows;
            rows.push(row);
            let lambda = rows.solve(a, b, &pose, begun);
            let by = lambda[held.count];
            let total = (self.driven + by).clamp(-most, most);
            let able = total == self.driven + by;
            let by = total - self.driven;
            self.driven = total;
            give(a, b, &begun.arms, row.n * by, row.t * by);
            if able {
                self.apply(a, b, begun, &held, &lambda);
                return;
            }
            pose = self.pose(a, b);
            rows = self.rows(&pose, begun);
        }
        let lambda = rows.solve(a, b, &pose, begun);
        self.apply(a, b, begun, &rows, &lambda);
    }

    /// Pushes along rows.
    fn apply(
        &mut self,
        a: &mut Frame,
        b: &mut Frame,
        begun: &Begun,
        rows: &Rows,
        lambda: &[f32; ROWS],
    ) {
        let (push, twist) = rows.sum(lambda);
        let share = bearable(a, b, &begun.arms, push, twist);
        for (k, row) in rows.rows[..rows.count].iter().enumerate() {
            let by = lambda[k] * share;
            if row.soft > 0.0 {
                self.sprung += by;
            }
            if !row.passing {
                self.done[k] += by;
            }
        }
        give(a, b, &begun.arms, push * share, twist * share);
    }
}

/// The share of a push that turns neither side too far for one pass.
fn bearable(a: &Frame, b: &Frame, arms: &[Vec3; 2], push: Vec3, twist: Vec3) -> f32 {
    let turn = |f: &Frame, arm: Vec3| (f.inv_inertia * (arm.cross(push) + twist)).length();
    let most = turn(a, arms[0]).max(turn(b, arms[1]));
    if most > LARGEST_TURN {
        LARGEST_TURN / most
    } else {
        1.0
    }
}

/// Pushes and turns one side, and the other the other way.
fn give(a: &mut Frame, b: &mut Frame, arms: &[Vec3; 2], push: Vec3, twist: Vec3) {
    a.push(arms[0], push);
    a.turn(twist);
    b.push(arms[1], -push);
    b.turn(-twist);
}

/// The turn from one unit vector to another (rad).
fn bend(from: Vec3, to: Vec3) -> Vec3 {
    let (axis, cos) = (from.cross(to), from.dot(to));
    let sin = axis.length();
    if sin > 1e-4 {
        axis * (libm::atan2f(sin, cos) / sin)
    } else if cos > 0.0 {
        axis
    } else {
        from.any_orthonormal_vector() * PI
    }
}

impl Pose {
    /// How far along the slide or the spring (m).
    fn way(&self, kind: JointKind) -> f32 {
        match kind {
            JointKind::Slide => self.axes[0].dot(self.apart),
            JointKind::Wheel => self.along.dot(self.apart),
            JointKind::Fixed | JointKind::Ball | JointKind::Hinge => 0.0,
        }
    }

    /// The turn from the axes of what carries to those of what is carried, in the world (rad).
    fn twist(&self) -> Vec3 {
        let v = turn_of(self.between);
        let [x, y, z] = self.axes;
        x * v.x + y * v.y + z * v.z
    }
}

impl Rows {
    /// The push and the turning push of all rows.
    fn sum(&self, lambda: &[f32; ROWS]) -> (Vec3, Vec3) {
        let mut out = (Vec3::ZERO, Vec3::ZERO);
        for (row, &by) in self.rows[..self.count].iter().zip(lambda) {
            out.0 += row.n * by;
            out.1 += row.t * by;
        }
        out
    }

    /// The pushes that satisfy all rows at once: K λ = −c.
    ///
    /// In f64, with rows scaled to a give of one: metres and radians, and masses a thousand times apart, are then alike. K is not quite
    /// symmetric, for pushes act at other arms than those at which the joint gives way.
    fn solve(&self, a: &Frame, b: &Frame, pose: &Pose, begun: &Begun) -> [f32; ROWS] {
        let count = self.count;
        let rows = &self.rows[..count];
        let mut k = [[0.0f64; ROWS + 1]; ROWS];
        let at = |arm: Vec3, row: &Row| arm.cross(row.n) + row.t;
        for (j, col) in rows.iter().enumerate() {
            let turn_a = a.inv_inertia * at(begun.arms[0], col);
            let turn_b = b.inv_inertia * at(begun.arms[1], col);
            let by = col.n * (a.inv_mass + b.inv_mass);
            for (i, row) in rows.iter().enumerate() {
                let turn = at(pose.arms[0], row).dot(turn_a) + at(pose.arms[1], row).dot(turn_b);
                k[i][j] = f64::from(row.n.dot(by) + turn);
            }
            k[j][j] += f64::from(col.soft);
            k[j][ROWS] = f64::from(-col.c);
        }
        let mut scale = [0.0; ROWS];
        for i in 0..count {
            scale[i] = if k[i][i] > 0.0 {
                1.0 / k[i][i].sqrt()
            } else {
                0.0
            };
        }
        for i in 0..count {
            for j in 0..count {
                k[i][j] *= scale[i] * scale[j];
            }
            k[i][ROWS] *= scale[i];
        }
        let mut free = [false; ROWS];
        for p in 0..count {
            free[p] = k[p][p] > REDUNDANT;
            if !free[p] {
                continue;
            }
            let pivot = k[p];
            for row in &mut k[p + 1..count] {
                let factor = row[p] / pivot[p];
                for (x, y) in row.iter_mut().zip(pivot).skip(p) {
                    *x -= factor * y;
                }
            }
        }
        let mut lambda = [0.0f64; ROWS];
        for i in (0..count).rev().filter(|&i| free[i]) {
            let known: f64 = (i + 1..count).map(|j| k[i][j] * lambda[j]).sum();
            lambda[i] = (k[i][ROWS] - known) / k[i][i];
        }
        let mut out = [0.0; ROWS];
        for i in 0..count {
            out[i] = (lambda[i] * scale[i]) as f32;
        }
        out
    }
}

#[cfg(test)]
mod tests;
