use super::*;
use glam::{DVec3, Mat3};

const H: f32 = 1.0 / 240.0;
const PASSES: usize = 4;
const G: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// Bodies and joints between them; side `None` is the world.
struct Rig {
    bodies: Vec<Rigid>,
    joints: Vec<(Joint, usize, Option<usize>)>,
    gravity: Vec3,
}

/// A box of density 1000 kg/m³.
fn cuboid(x: Vec3, size: Vec3) -> Rigid {
    let mass = 1000.0 * size.element_product();
    solid(x, size, mass)
}

/// A box of a mass.
fn solid(x: Vec3, size: Vec3, mass: f32) -> Rigid {
    let s = size * size;
    let moment = Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 12.0);
    Rigid::new(x, mass, Mat3::from_diagonal(moment), false)
}

fn world(p: Vec3, axes: Quat) -> Anchor {
    Anchor { at: p, axes }
}

impl Rig {
    fn new(bodies: Vec<Rigid>, gravity: Vec3) -> Self {
        Self {
            bodies,
            joints: Vec::new(),
            gravity,
        }
    }

    /// Joins two bodies, or one to the world, at a place in the world.
    fn join(&mut self, kind: JointKind, a: usize, b: Option<usize>, p: Vec3, axes: Quat) -> usize {
        let on_b = b.map_or(world(p, axes), |b| Anchor::on(&self.bodies[b], p, axes));
        let on_a = Anchor::on(&self.bodies[a], p, axes);
        self.joints.push((Joint::new("j", kind, on_a, on_b), a, b));
        self.joints.len() - 1
    }

    fn substep(&mut self) {
        let g = self.gravity;
        let mut frames: Vec<Frame> = self.bodies.iter_mut().map(|b| b.predict(g, H)).collect();
        for (joint, ..) in &mut self.joints {
            joint.begin(H);
        }
        for pass in 0..PASSES {
            for (joint, a, b) in &mut self.joints {
                let mut on_a = frames[*a];
                let mut on_b = b.map_or(Frame::default(), |b| frames[b]);
                joint.solve(&mut on_a, &mut on_b, H, pass + 1 == PASSES);
                frames[*a] = on_a;
                if let Some(b) = *b {
                    frames[b] = on_b;
                }
            }
        }
        for (body, frame) in self.bodies.iter_mut().zip(&frames) {
            assert!(body.settle(frame, H));
        }
    }

    fn run(&mut self, seconds: f32) {
        for _ in 0..(seconds / H).round() as usize {
            self.substep();
        }
    }

    fn energy(&self) -> f64 {
        let of = |b: &Rigid| {
            0.5 * (b.mass * b.v.length_squared() + b.spin.dot(b.angular_momentum()))
                - b.mass * self.gravity.dot(b.x)
        };
        self.bodies.iter().map(|b| f64::from(of(b))).sum()
    }

    fn momenta(&self) -> (DVec3, DVec3) {
        let linear = |b: &Rigid| b.v.as_dvec3() * f64::from(b.mass);
        let angular = |b: &Rigid| b.x.as_dvec3().cross(linear(b)) + b.angular_momentum().as_dvec3();
        (
            self.bodies.iter().map(linear).sum(),
            self.bodies.iter().map(angular).sum(),
        )
    }

    /// How far the two places of a joint are apart (m), and its x axes (rad).
    fn gap(&self, joint: usize) -> (f32, f32) {
        let (j, a, b) = &self.joints[joint];
        let at = |b: &Rigid, anchor: &Anchor| {
            let axes = b.rotation * anchor.axes;
            (b.x + b.rotation * anchor.at, axes * Vec3::X)
        };
        let (p, x) = at(&self.bodies[*a], &j.a);
        let (q, y) = b.map_or((j.b.at, j.b.axes * Vec3::X), |b| at(&self.bodies[b], &j.b));
        (p.distance(q), bend(x, y).length())
    }
}

/// The worked push: a cube of 12 kg whose corner should be a centimetre higher comes there by moving and turning as calculated; along y alone
/// it would be (0, 0.0025, 0) and a turn of (−0.0075, 0, 0.0075), and the other rows keep the corner from going sideways.
#[test]
fn worked_block() {
    let mut cube = Rigid::new(Vec3::ZERO, 12.0, Mat3::IDENTITY * 2.0, false);
    let mut a = cube.predict(Vec3::ZERO, 0.01);
    let mut b = Frame::default();
    let arm = Vec3::new(0.5, -0.5, 0.5);
    let on_a = Anchor {
        at: arm,
        axes: Quat::IDENTITY,
    };
    let on_b = world(arm + Vec3::Y * 0.01, Quat::IDENTITY);
    let mut joint = Joint::new("corner", JointKind::Ball, on_a, on_b);
    joint.begin(0.01);
    joint.solve(&mut a, &mut b, 0.01, true);
    // K = 1/12 − [ρ][ρ]/2 = (1/12 + 3/8) 1 − ρρᵀ/2.
    let k = Mat3::from_diagonal(Vec3::splat(1.0 / 12.0 + 0.375))
        - Mat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * 0.5;
    let push = k.inverse() * (Vec3::Y * 0.01);
    assert!((a.x - push / 12.0).length() < 1e-7, "{}", a.x);
    assert!((a.turned - arm.cross(push) / 2.0).length() < 1e-7);
    let corner = a.x + a.arm(arm);
    assert!(corner.distance(on_b.at) < 1e-4, "{corner}");
}

/// Bodies joined in the air keep their momentum and angular momentum, whatever joins them, and gain no energy.
#[test]
fn nothing_from_nothing() {
    use JointKind::{Ball, Fixed, Hinge, Slide, Wheel};
    for kind in [Fixed, Ball, Hinge, Slide, Wheel] {
        let mut rig = Rig::new(
            vec![
                cuboid(Vec3::new(-0.3, 0.0, 0.0), Vec3::new(0.6, 0.2, 0.3)),
                cuboid(Vec3::new(0.2, 0.05, 0.1), Vec3::new(0.4, 0.3, 0.2)),
            ],
            Vec3::ZERO,
        );
        let axes = Quat::from_rotation_y(0.4) * Quat::from_rotation_z(-0.3);
        rig.join(kind, 0, Some(1), Vec3::new(0.0, 0.03, 0.02), axes);
        rig.bodies[0].v = Vec3::new(0.4, 1.0, -0.5);
        rig.bodies[0].spin = Vec3::new(2.0, 3.0, -1.0);
        rig.bodies[1].spin = Vec3::new(-1.0, 2.0, 2.5);
        // The first substep takes what the joint does not let be.
        rig.substep();
        let (p, l) = rig.momenta();
        let before = rig.energy();
        let mut most = before;
        for _ in 0..240 * 2 {
            rig.substep();
            most = most.max(rig.energy());
        }
        let (p1, l1) = rig.momenta();
        let (dp, dl) = (
            (p1 - p).length() / p.length(),
            (l1 - l).length() / l.length(),
        );
        assert!(dp < 1e-5, "{kind:?}: {dp}");
        assert!(dl < 2e-3, "{kind:?}: {dl}");
        assert!(most / before < 1.005, "{kind:?}: {}", most / before);
    }
}

/// A rod on a hinge swings with the period of a physical pendulum and stays at its hinge.
#[test]
fn pendulum() {
    let (length, width) = (1.0f32, 0.05);
    let mut rig = Rig::new(
        vec![cuboid(
            Vec3::new(0.0, -0.5 * length, 0.0),
            Vec3::new(width, length, width),
        )],
        G,
    );
    let hinge = rig.join(JointKind::Hinge, 0, None, Vec3::ZERO, Quat::IDENTITY);
    // Released at 0.1 rad about x.
    let tilt = Quat::from_rotation_x(0.1);
    rig.bodies[0].rotation = tilt;
    rig.bodies[0].x = tilt * rig.bodies[0].x;
    let about = (length * length + width * width) / 12.0 + 0.25 * length * length;
    let expected = TAU * (about / (9.81 * 0.5 * length)).sqrt() * (1.0 + 0.01 / 16.0);
    let mut crossings = Vec::new();
    let mut last = 0.1;
    let mut largest: f32 = 0.0;
    for k in 0..240 * 20 {
        rig.substep();
        let angle = rig.joints[hinge].0.angle;
        if last > 0.0 && angle <= 0.0 {
            crossings.push(k as f32 - angle / (angle - last));
        }
        if k > 240 * 17 {
            largest = largest.max(angle);
        }
        last = angle;
    }
    let count = crossings.len() - 1;
    let period = (crossings[count] - crossings[0]) * H / count as f32;
    assert!(
        (period / expected - 1.0).abs() < 2e-3,
        "{period} {expected}"
    );
    assert!(largest > 0.095, "{largest}");
}

/// A door on two hinges, a thousand frames under gravity: it stays at them, and on their axis.
#[test]
fn hinges_hold() {
    let mut rig = Rig::new(
        vec![cuboid(Vec3::new(0.0, 1.0, 0.4), Vec3::new(0.04, 2.0, 0.8))],
        G,
    );
    // The hinge's x axis upright and a little askew, so that the door swings.
    let axes = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2 - 0.1);
    let x = axes * Vec3::X;
    let joints = [0.2, 1.8].map(|s| rig.join(JointKind::Hinge, 0, None, x * s, axes));
    rig.bodies[0].spin = x * 2.0;
    rig.bodies[0].v = rig.bodies[0].spin.cross(rig.bodies[0].x);
    let before = rig.energy();
    let (mut gap, mut bent, mut most) = (0.0f32, 0.0f32, before);
    for _ in 0..1000 * 4 {
        rig.substep();
        most = most.max(rig.energy());
        for j in joints {
            let (g, b) = rig.gap(j);
            (gap, bent) = (gap.max(g), bent.max(b));
        }
    }
    assert!(gap < 2e-4 && bent < 1e-4, "{gap} {bent}");
    assert!(most < before + 0.02 * before.abs());
}

/// A hinge goes round and round, and its angle is followed; with limits it stops at either.
#[test]
fn limits_of_a_hinge() {
    let mut rig = Rig::new(vec![cuboid(Vec3::Y, Vec3::new(0.1, 0.2, 0.2))], Vec3::ZERO);
    let j = rig.join(JointKind::Hinge, 0, None, Vec3::ZERO, Quat::IDENTITY);
    rig.bodies[0].spin = Vec3::X * 7.0;
    rig.bodies[0].v = Vec3::Z * 7.0;
    rig.run(2.0);
    assert!(
        (rig.joints[j].0.angle - 14.0).abs() < 0.05,
        "{}",
        rig.joints[j].0.angle
    );
    rig.joints[j].0.limits = Some([9.0, 16.0]);
    let (mut least, mut most) = (f32::MAX, f32::MIN);
    rig.gravity = Vec3::new(0.0, -9.81, 4.0);
    for k in 0..240 * 20 {
        if k == 1200 {
            rig.gravity.z = -9.0;
        }
        rig.substep();
        least = least.min(rig.joints[j].0.angle);
        most = most.max(rig.joints[j].0.angle);
    }
    assert!(most < 16.001 && least > 8.999, "{least} {most}");
    assert!(
        least < 9.01 || most > 15.99,
        "it has reached a limit: {least} {most}"
    );
}

/// What was set beyond a limit comes back, and slowly.
#[test]
fn back_to_the_limit() {
    let mut rig = Rig::new(vec![cuboid(Vec3::ZERO, Vec3::splat(0.2))], Vec3::ZERO);
    let j = rig.join(JointKind::Slide, 0, None, Vec3::ZERO, Quat::IDENTITY);
    rig.joints[j].0.limits = Some([0.5, 1.0]);
    let mut fastest: f32 = 0.0;
    for _ in 0..240 {
        rig.substep();
        fastest = fastest.max(rig.bodies[0].v.length());
    }
    assert!(fastest < 2.01, "{fastest}");
    assert!(rig.bodies[0].x.x > 0.499, "{}", rig.bodies[0].x);
}

/// A ball lets everything turn, but no farther than its cone.
#[test]
fn cone_of_a_ball() {
    let mut rig = Rig::new(vec![cuboid(Vec3::X * 0.5, Vec3::new(1.0, 0.1, 0.1))], G);
    let j = rig.join(JointKind::Ball, 0, None, Vec3::ZERO, Quat::IDENTITY);
    rig.joints[j].0.limits = Some([0.0, 0.6]);
    rig.bodies[0].spin = Vec3::X * 3.0;
    let mut most: f32 = 0.0;
    for _ in 0..240 * 4 {
        rig.substep();
        most = most.max(rig.gap(j).1);
        assert!(rig.gap(j).0 < 1e-4);
    }
    assert!(most < 0.601 && most > 0.59, "{most}");
    assert!(
        rig.bodies[0]
            .spin
            .dot(rig.bodies[0].rotation * Vec3::X)
            .abs()
            > 1.0
    );
}

/// A motor turns a flywheel up by its torque and holds the speed; what is stronger turns it back, and it never gives more than its torque.
#[test]
fn motor_of_a_hinge() {
    let mut rig = Rig::new(
        vec![cuboid(Vec3::ZERO, Vec3::new(0.1, 0.4, 0.4))],
        Vec3::ZERO,
    );
    let j = rig.join(JointKind::Hinge, 0, None, Vec3::ZERO, Quat::IDENTITY);
    let about = rig.bodies[0].inertia.x_axis.x;
    let strength = 2.0;
    rig.joints[j].0.motor = Some(Motor {
        speed: 5.0,
        strength,
    });
    rig.run(0.25);
    let expected = strength * 0.25 / about;
    assert!(
        (rig.bodies[0].spin.x / expected - 1.0).abs() < 1e-3,
        "{}",
        rig.bodies[0].spin
    );
    rig.run(2.0);
    assert!((rig.bodies[0].spin.x - 5.0).abs() < 1e-3);
    rig.joints[j].0.drive = Some(-1.0);
    rig.run(3.0);
    assert!((rig.bodies[0].spin.x + 1.0).abs() < 1e-3);
    // Off centre, against gravity: 0.5 m × 16 kg × g is more than it can do.
    let mut rig = Rig::new(vec![cuboid(Vec3::Z * 0.5, Vec3::new(0.1, 0.4, 0.4))], G);
    let j = rig.join(JointKind::Hinge, 0, None, Vec3::ZERO, Quat::IDENTITY);
    let strength = 60.0;
    rig.joints[j].0.motor = Some(Motor {
        speed: -3.0,
        strength,
    });
    let b = &rig.bodies[0];
    let about = b.inertia.x_axis.x + b.mass * 0.25;
    for k in 0..24 {
        let before = rig.bodies[0].spin.x;
        rig.substep();
        let effort = rig.joints[j].0.effort(H);
        assert!(effort.abs() <= strength * 1.0001, "{effort}");
        let gained = (rig.bodies[0].spin.x - before) / H;
        let weight = 0.5 * rig.bodies[0].mass * 9.81;
        let expected = (weight - strength) / about;
        assert!(
            k > 4 || (gained / expected - 1.0).abs() < 0.02,
            "{gained} {expected}"
        );
    }
    rig.joints[j].0.motor = Some(Motor {
        speed: -3.0,
        strength: 400.0,
    });
    rig.run(0.3);
    let spin = rig.bodies[0].spin.x;
    assert!((spin + 3.0).abs() < 0.02, "{spin}");
}

/// A slide keeps to its axis and its attitude, between its limits; its motor lifts as fast as it should.
#[test]
fn slide() {
    let mut rig = Rig::new(vec![cuboid(Vec3::new(0.3, 0.1, 0.2), Vec3::splat(0.3))], G);
    let axes = Quat::from_rotation_z(0.9) * Quat::from_rotation_y(0.2);
    let j = rig.join(JointKind::Slide, 0, None, Vec3::ZERO, axes);
    rig.joints[j].0.limits = Some([-0.5, 0.8]);
    rig.bodies[0].spin = Vec3::new(1.0, 2.0, 3.0);
    let x = axes * Vec3::X;
    let mut least: f32 = 0.0;
    for _ in 0..480 {
        rig.substep();
        let (joint, ..) = &rig.joints[j];
        let p = rig.bodies[0].x + rig.bodies[0].rotation * joint.a.at;
        assert!(p.reject_from(x).length() < 1e-4, "{p}");
        assert!(turn_of(rig.bodies[0].rotation).length() < 1e-3);
        least = least.min(joint.way);
    }
    assert!((least + 0.5).abs() < 1e-3, "{least}");
    let weight = rig.bodies[0].mass * 9.81 * x.y;
    rig.joints[j].0.motor = Some(Motor {
        speed: 0.5,
        strength: 1.5 * weight,
    });
    rig.run(1.0);
    assert!(
        (rig.bodies[0].v - x * 0.5).length() < 1e-3,
        "{}",
        rig.bodies[0].v
    );
    rig.run(4.0);
    assert!((rig.joints[j].0.way - 0.8).abs() < 1e-3);
}

/// A car of a chassis and four wheels whose axles are held: each spring gives way by m g/k = g/ω², and wheels turn to where they are steered.
#[test]
fn wheels() {
    let mut rig = Rig::new(vec![solid(Vec3::Y, Vec3::new(1.6, 0.5, 3.0), 1000.0)], G);
    for (k, (x, z)) in [(-0.8, -1.2), (0.8, -1.2), (-0.8, 1.2), (0.8, 1.2)]
        .into_iter()
        .enumerate()
    {
        let hub = Vec3::new(x, 0.6, z);
        rig.bodies.push(solid(hub, Vec3::new(0.2, 0.6, 0.6), 20.0));
        let j = rig.join(JointKind::Wheel, k + 1, Some(0), hub, Quat::IDENTITY);
        rig.joints[j].0.suspension.mass = 250.0;
        rig.joints[j].0.motor = Some(Motor {
            speed: 20.0,
            strength: 500.0,
        });
    }
    // The ground, as far as wheels need one here: their hubs stay at their height.
    for w in 1..5 {
        rig.bodies[w].inv_mass = 1e-9;
        rig.bodies[w].v = -G * H;
    }
    let hubs: Vec<Vec3> = rig.bodies[1..].iter().map(|b| b.x).collect();
    for j in 0..2 {
        rig.joints[j].0.steer = 0.5;
    }
    for _ in 0..240 * 4 {
        rig.substep();
        for (w, hub) in hubs.iter().enumerate() {
            (rig.bodies[w + 1].x, rig.bodies[w + 1].v) = (*hub, -G * H);
        }
    }
    let omega = TAU * SPRING[0];
    let sag = 1.0 - rig.bodies[0].x.y;
    let expected = 9.81 / (omega * omega);
    assert!((sag / expected - 1.0).abs() < 0.02, "{sag} {expected}");
    for (k, (joint, w, _)) in rig.joints.iter().enumerate() {
        let axle = rig.bodies[*w].rotation * Vec3::X;
        let steered = if k < 2 { 0.5 } else { 0.0 };
        let forward = rig.bodies[0].rotation * turn_by(Vec3::Y * steered) * Vec3::X;
        assert!(bend(axle, forward).length() < 1e-3, "{axle}");
        assert_eq!(joint.steered, steered);
        assert!((joint.way - expected).abs() < 1e-3, "{}", joint.way);
        let spin = (rig.bodies[*w].spin - rig.bodies[0].spin).dot(axle);
        assert!((spin - 20.0).abs() < 0.05, "{spin}");
    }
}

/// A spring alone, without damping, swings at its frequency; beyond its travel it stops.
#[test]
fn spring_of_a_wheel() {
    let mut rig = Rig::new(vec![solid(Vec3::ZERO, Vec3::splat(0.5), 40.0)], Vec3::ZERO);
    let j = rig.join(JointKind::Wheel, 0, None, Vec3::ZERO, Quat::IDENTITY);
    rig.joints[j].0.suspension.damping = 0.0;
    rig.joints[j].0.suspension.travel = 0.2;
    rig.bodies[0].v.y = 1.0;
    let mut crossings = Vec::new();
    let mut last = -1.0;
    for k in 0..480 {
        rig.substep();
        let y = rig.bodies[0].x.y;
        if last < 0.0 && y >= 0.0 {
            crossings.push(k as f32 - y / (y - last));
        }
        last = y;
    }
    let period = (crossings[2] - crossings[1]) * H;
    assert!((period * SPRING[0] - 1.0).abs() < 0.02, "{period}");
    rig.bodies[0].v.y = 20.0;
    for _ in 0..60 {
        rig.substep();
        assert!(rig.bodies[0].x.y.abs() < 0.201, "{}", rig.bodies[0].x);
    }
}

/// A beam of two, fixed to each other and to the wall: nothing bends. At a mass ratio of a hundred, the heavy one outside, four passes are a
/// spring, on which it sags and comes to rest.
#[test]
fn fixed_is_rigid() {
    for (masses, bar) in [([5.0, 1.0], 2e-4), ([1.0, 1.0], 2e-3), ([1.0, 100.0], 0.08)] {
        let beam = |k: usize| {
            let x = Vec3::X * (0.25 + 0.5 * k as f32);
            solid(x, Vec3::new(0.5, 0.1, 0.1), masses[k])
        };
        let mut rig = Rig::new(vec![beam(0), beam(1)], G);
        rig.join(JointKind::Fixed, 0, None, Vec3::ZERO, Quat::IDENTITY);
        rig.join(JointKind::Fixed, 1, Some(0), Vec3::X * 0.5, Quat::IDENTITY);
        rig.run(4.0);
        let end = rig.bodies[1].x;
        assert!(end.distance(Vec3::X * 0.75) < bar, "{end}");
        if masses[1] > masses[0] {
            // Still swinging, and less and less.
            assert!(rig.bodies[1].v.length() < 0.3, "{}", rig.bodies[1].v);
            continue;
        }
        assert!(rig.bodies[1].v.length() < 1e-3);
        let (force, _) = rig.joints[0].0.load();
        let weight = 9.81 * (masses[0] + masses[1]);
        assert!((force.y / weight - 1.0).abs() < 0.02, "{force}");
    }
}

/// Twenty links on balls with fifty times the mass of one at the end stay together, hanging and swinging.
#[test]
fn chain() {
    let size = 0.25;
    for swings in [false, true] {
        let axis = if swings { Vec3::X } else { Vec3::NEG_Y };
        let link = |k: usize| {
            let sizes = if swings {
                Vec3::new(size, 0.05, 0.05)
            } else {
                Vec3::new(0.05, size, 0.05)
            };
            let mass = if k == 19 { 50.0 } else { 1.0 };
            solid(axis * (size * (k as f32 + 0.5)), sizes, mass)
        };
        let mut rig = Rig::new((0..20).map(link).collect(), G);
        for k in 0..20usize {
            let p = axis * (size * k as f32);
            rig.join(JointKind::Ball, k, k.checked_sub(1), p, Quat::IDENTITY);
        }
        let before = rig.energy();
        let (mut widest, mut most) = (0.0f32, before);
        for _ in 0..240 * 6 {
            rig.substep();
            let sum: f32 = (0..20).map(|k| rig.gap(k).0).sum();
            widest = widest.max(sum / (20.0 * size));
            most = most.max(rig.energy());
        }
        // Swinging, the chain carries up to three times as much.
        assert!(widest < if swings { 0.06 } else { 0.02 }, "{widest}");
        assert!(most < before + 0.02 * 50.0 * 9.81 * 4.0, "{before} {most}");
    }
}

/// Nothing to move, nothing to turn, places far apart and axes the wrong way round: the result is finite.
#[test]
fn finite() {
    use JointKind::{Ball, Fixed, Hinge, Slide, Wheel};
    for kind in [Fixed, Ball, Hinge, Slide, Wheel] {
        let half = Quat::from_rotation_y(PI);
        let mut joint = Joint::new(
            "j",
            kind,
            world(Vec3::X, half),
            world(Vec3::Y, Quat::IDENTITY),
        );
        let (mut a, mut b) = (Frame::default(), Frame::default());
        joint.begin(H);
        joint.solve(&mut a, &mut b, H, true);
        assert_eq!(a, Frame::default());
        let mut a = Frame {
            inv_mass: 1.0,
            ..Frame::default()
        };
        for _ in 0..10 {
            joint.begin(H);
            joint.solve(&mut a, &mut b, H, true);
            assert!(a.x.is_finite() && a.rotation.is_finite(), "{kind:?}");
        }
        let mut rig = Rig::new(vec![cuboid(Vec3::ZERO, Vec3::new(1.0, 0.01, 0.01))], G);
        rig.joints.push((joint, 0, None));
        rig.run(3.0);
        let b = &rig.bodies[0];
        assert!(b.x.is_finite() && b.v.length() < 1e3, "{kind:?}: {b:?}");
    }
}
