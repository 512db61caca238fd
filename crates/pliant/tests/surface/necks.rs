//! Necks and tunnels that shrink to a thread are cut, cleanly, and nothing else is.

use crate::motions::{between, check, dumbbell, ramp, repaired, ring, unit};
use glam::Vec3;
use pliant::surface::{Tracker, TrackerSettings};

/// What became of a shape.
#[derive(Debug, PartialEq)]
struct End {
    sheets: usize,
    euler: i64,
}

/// A tube of the given radius shrinks by `rate` a frame to a thread of a hundredth, then the thread gets longer.
struct Squeeze {
    radius: f32,
    start: f32,
    rate: f32,
    length: f32,
    growth: f32,
}

impl Squeeze {
    /// Factor of the radius in the next frame, and by how much the thread then gets longer.
    fn next(&mut self) -> (f32, f32) {
        let to = (self.radius - self.rate).max(0.01 * self.start);
        let shrink = to / self.radius;
        let at_end = to == self.radius;
        self.radius = to;
        let grow = if at_end { self.growth } else { 0.0 };
        self.length += grow;
        (shrink, grow)
    }
}

/// Carries and repairs a surface, frame by frame, and looks whether it ends as it should.
fn run(
    mut tracker: Tracker,
    frames: usize,
    expected: &End,
    mut motion: impl FnMut(&mut Tracker),
) -> Result<(), String> {
    let mut end = None;
    for frame in 0..frames {
        motion(&mut tracker);
        let (_, census) = repaired(&mut tracker, frame)?;
        end = Some(End {
            sheets: census.sheets,
            euler: census.euler,
        });
    }
    if end.as_ref() == Some(expected) {
        return Ok(());
    }
    Err(format!(
        "{end:?} instead of {expected:?} after {frames} frames"
    ))
}

const ONE_BALL: End = End {
    sheets: 1,
    euler: 2,
};
const TWO_BALLS: End = End {
    sheets: 2,
    euler: 4,
};

/// A dumbbell whose tube shrinks and then gets longer.
fn dumbbell_case(seed: u64) -> Result<(), String> {
    let edge = between(seed, 0, 0.2, 0.3);
    let tube = between(seed, 1, 0.25, 0.4);
    let rate = edge * 0.02 * 25f32.powf(unit(seed, 2));
    let reach = between(seed, 3, 1.6, 2.0);
    let tilt = glam::Quat::from_euler(
        glam::EulerRot::XYZ,
        unit(seed, 4),
        unit(seed, 5),
        unit(seed, 6),
    );
    let mut mesh = dumbbell(reach, tube, edge);
    for p in &mut mesh.positions {
        *p = tilt * *p;
    }
    let tracker = Tracker::new(&mesh, TrackerSettings::new(edge)).unwrap();
    let mut squeeze = Squeeze {
        radius: tube,
        start: tube,
        rate,
        length: reach - 1.0,
        growth: 0.2 * edge,
    };
    let frames = (tube / rate).ceil() as usize + 20;
    run(tracker, frames, &TWO_BALLS, |tracker| {
        let half = squeeze.length;
        let (shrink, grow) = squeeze.next();
        tracker.advect(|p| {
            let p = tilt.inverse() * p;
            let inside = 1.0 - ramp(0.6 * half, 1.1 * half, p.x.abs());
            let s = 1.0 + (shrink - 1.0) * inside;
            let x = p.x + grow * p.x.signum() * (p.x.abs() / half).min(1.0);
            tilt * Vec3::new(x, p.y * s, p.z * s)
        });
    })
}

/// A torus whose tube shrinks at one place and then gets longer.
fn torus_tube_case(seed: u64) -> Result<(), String> {
    let edge = between(seed, 10, 0.2, 0.3);
    let tube = between(seed, 11, 0.3, 0.4);
    let rate = edge * 0.02 * 25f32.powf(unit(seed, 12));
    let major = between(seed, 13, 1.2, 1.6);
    let tracker = Tracker::new(&ring(major, tube, 0.8 * edge), TrackerSettings::new(edge)).unwrap();
    let mut squeeze = Squeeze {
        radius: tube,
        start: tube,
        rate,
        length: 0.5,
        growth: 0.2 * edge,
    };
    let frames = (tube / rate).ceil() as usize + 20;
    run(tracker, frames, &ONE_BALL, |tracker| {
        let half = squeeze.length / major;
        let (shrink, grow) = squeeze.next();
        let grow = grow / major;
        tracker.advect(|p| {
            let angle = p.z.atan2(p.x);
            let radial = p.x.hypot(p.z);
            let inside = 1.0 - ramp(0.6 * half, 1.4 * half, angle.abs());
            let s = 1.0 + (shrink - 1.0) * inside;
            // The rest of the ring gives way.
            let room = std::f32::consts::PI - half;
            let to = if angle.abs() < half {
                angle * (1.0 + grow / half)
            } else {
                angle.signum()
                    * (std::f32::consts::PI
                        - (std::f32::consts::PI - angle.abs()) * (room - grow) / room)
            };
            let radial = major + (radial - major) * s;
            Vec3::new(radial * to.cos(), p.y * s, radial * to.sin())
        });
    })
}

/// A torus whose hole closes.
fn torus_hole_case(seed: u64) -> Result<(), String> {
    let edge = between(seed, 20, 0.2, 0.3);
    let tube = between(seed, 21, 0.5, 0.6);
    let hole = between(seed, 22, 0.3, 0.4);
    let rate = edge * 0.02 * 25f32.powf(unit(seed, 23));
    let major = tube + hole;
    let tracker = Tracker::new(&ring(major, tube, 0.8 * edge), TrackerSettings::new(edge)).unwrap();
    let mut squeeze = Squeeze {
        radius: hole,
        start: hole,
        rate,
        length: 0.3,
        growth: 0.2 * edge,
    };
    let frames = (hole / rate).ceil() as usize + 20;
    run(tracker, frames, &ONE_BALL, |tracker| {
        let half = squeeze.length;
        let from = squeeze.radius;
        let (shrink, grow) = squeeze.next();
        tracker.advect(|p| {
            let radial = p.x.hypot(p.z);
            // Material flows in: the hole's wall moves by (shrink − 1)·hole, less and less further out.
            let pull = (shrink - 1.0) * from * (1.0 - ramp(from, from + 1.5 * tube, radial));
            let to = if radial < from {
                radial * shrink
            } else {
                radial + pull
            };
            let s = to / radial.max(1e-6);
            let near = 1.0 - ramp(0.5 * tube, 1.5 * tube, radial);
            let y = p.y + near * grow * p.y.signum() * (p.y.abs() / half).min(1.0);
            Vec3::new(p.x * s, y, p.z * s)
        });
    })
}

#[test]
fn dumbbells_part_into_two() {
    check(4, dumbbell_case);
}

#[test]
fn a_torus_squeezed_at_its_tube_becomes_a_ball() {
    check(4, torus_tube_case);
}

#[test]
fn a_torus_whose_hole_closes_becomes_a_ball() {
    check(4, torus_hole_case);
}
