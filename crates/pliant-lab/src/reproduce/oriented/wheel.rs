//! A wheel on a free chassis: joints by shared particles.

use super::pictures::line;
use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::Turning;
use crate::reference::oriented::experiments::ByReference;
use crate::reference::oriented::experiments::joint::{SPIN, WheelSpin, run};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Spin that a wheel with free hubs keeps for ten frames, at least (rad/s).
const FREE: f64 = 9.0;
/// Spin that is left after ten frames to one whose hub's moments count, at most (rad/s).
const LOCKED: f64 = 4.0;
/// Spin of the wheel against the chassis, over that at the start, up to which they turn as one.
const AS_ONE: f64 = 0.1;
/// Spin after ten frames and after a second that a prototype in f64 came to (rad/s).
const EXPECTED: [f64; 2] = [9.38, 7.41];
/// How far other choices than the prototype's may lead from its numbers.
const NEAR: f64 = 0.2;

const TURNINGS: [(Turning, &str); 2] = [
    (Turning::Centre, "only centres are turned"),
    (Turning::AllMembers, "all members are turned"),
];

/// E9.
pub(super) fn joint(bench: &mut Bench) -> Result<(), LabError> {
    check_wheel::<ByReference>(bench);
    check_wheel::<ByEngine>(bench);
    let lines = [
        spins::<ByEngine>("moments of the hub omitted", false),
        spins::<ByReference>("moments of the hub omitted, f64 reference", false),
        spins::<ByEngine>("moments of the hub kept", true),
        spins::<ByReference>("moments of the hub kept, f64 reference", true),
    ];
    let axes = ["time, s", "spin of the wheel, rad/s"];
    bench.plot("e9.svg", "A wheel on a free chassis", axes, &lines)
}

fn check_wheel<S: Measured>(bench: &mut Bench) {
    for (turning, who) in TURNINGS {
        let free = run::<S>(false, turning, |_, _| ());
        let locked = run::<S>(true, turning, |_, _| ());
        bench.check(
            S::SOLVER,
            format!("spin of a wheel of {SPIN} rad/s after ten frames, hub without moments, {who}"),
            format!("{:.2} rad/s", free.ten_frames),
            format!("above {FREE} rad/s"),
            free.ten_frames > FREE,
        );
        bench.check(
            S::SOLVER,
            format!("the same with the hub's moments, {who}: it is locked to the chassis"),
            format!("{:.2} rad/s", locked.ten_frames),
            format!("below {LOCKED} rad/s"),
            locked.ten_frames < LOCKED,
        );
        // A locked wheel rocks against the chassis for a while, so ten frames alone may be luck.
        let against = |spin: &WheelSpin| (spin.second - spin.chassis).abs();
        bench.check(
            S::SOLVER,
            format!("spin of the wheel against the chassis after a second, {who}: with the hub's moments, without"),
            format!("{:.2}, {:.2} rad/s", against(&locked), against(&free)),
            format!("below {} rad/s, above", AS_ONE * SPIN),
            against(&locked) < AS_ONE * SPIN && against(&free) > AS_ONE * SPIN,
        );
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() <= NEAR;
        bench.check(
            S::SOLVER,
            format!("spin of the free wheel after ten frames and after a second, {who}"),
            format!("{:.2}, {:.2} rad/s", free.ten_frames, free.second),
            format!("{}, {} rad/s within 20 %", EXPECTED[0], EXPECTED[1]),
            near(free.ten_frames, EXPECTED[0]) && near(free.second, EXPECTED[1]),
        );
    }
}

/// Spin over time.
fn spins<S: Measured>(label: &str, hub_moments: bool) -> Series {
    let mut points = vec![(0.0, SPIN)];
    run::<S>(hub_moments, Turning::AllMembers, |time, spin| {
        points.push((time, spin));
    });
    line(label, &points)
}
