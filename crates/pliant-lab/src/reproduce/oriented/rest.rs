//! Ellipsoids fall on a floor and come to rest.

use super::pictures::{Shown, write_sheet};
use super::stepper::{ByEngine, Measured};
use crate::reference::oriented::experiments::drop::{
    DAMPING, Dropped, Start, ellipsoids as before, run,
};
use crate::reference::oriented::experiments::{ByReference, larger};
use crate::reference::oriented::{Body, Order};
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};

/// Largest angle between the shortest axis and the vertical (degrees).
const UPRIGHT: f64 = 2.0;
/// Largest depth in the floor, over the shortest half axis.
const SUNK: f64 = 0.01;

const STARTS: [Start; 6] = [
    Start::tilted(20.0),
    Start::tilted(50.0),
    Start::tilted(80.0),
    Start {
        radii: DVec3::new(0.25, 0.25, 0.1),
        tilt: 60.0,
    },
    Start {
        radii: DVec3::new(0.4, 0.15, 0.1),
        tilt: 35.0,
    },
    Start {
        radii: DVec3::new(0.2, 0.15, 0.05),
        tilt: 70.0,
    },
];

/// E8.
pub(super) fn ellipsoids(bench: &mut Bench) -> Result<(), LabError> {
    for (order, name) in [
        (Order::First, "first order"),
        (Order::Second, "second order"),
    ] {
        check_rest::<ByReference>(bench, order, name);
        let rested = check_rest::<ByEngine>(bench, order, name);
        if order == Order::First {
            let pictures = [(before(&STARTS), "0 s"), (rested, "8 s")].map(|(body, caption)| {
                let shown = vec![Shown::new(body, Vec3::ZERO, 3)];
                (shown, caption.to_owned())
            });
            write_sheet(bench, "e8.png", 2, true, &pictures)?;
        }
    }
    check_rocking::<ByReference>(bench);
    check_rocking::<ByEngine>(bench);
    Ok(())
}

fn check_rest<S: Measured>(bench: &mut Bench, order: Order, name: &str) -> Body {
    let (dropped, body) = run::<S>(&STARTS, DAMPING, order);
    for (start, lies) in STARTS.iter().zip(&dropped) {
        let DVec3 { x, y, z } = start.radii;
        bench.check(
            S::SOLVER,
            format!(
                "half axes {x}, {y}, {z} m, dropped at {}°, {name}: tilt of the shortest axis",
                start.tilt
            ),
            format!("{:.2}° at {:.1e} m/s", lies.tilt, lies.speed),
            format!("at most {UPRIGHT}°"),
            lies.tilt <= UPRIGHT,
        );
    }
    let (sunk, deepest) = depths(&dropped);
    bench.check(
        S::SOLVER,
        format!("depth in the floor over the shortest half axis, largest of all, {name}: in the last second; after any step"),
        format!("{sunk:.1e}; {deepest:.1e}"),
        format!("both at most {SUNK}"),
        sunk <= SUNK && deepest <= SUNK,
    );
    body
}

/// Largest depth of all in the last second, and ever.
fn depths(dropped: &[Dropped]) -> (f64, f64) {
    let deeper = |a: (f64, f64), d: &Dropped| (larger(a.0, d.sunk), larger(a.1, d.deepest));
    dropped.iter().fold((0.0, 0.0), deeper)
}

/// Without damping ellipsoids go on rocking: that they do not sink must not come from that they lose their motion. The bound is for what rests;
/// how deep the first impact goes is told besides.
fn check_rocking<S: Measured>(bench: &mut Bench) {
    let (dropped, _) = run::<S>(&STARTS, 0.0, Order::First);
    let (sunk, deepest) = depths(&dropped);
    bench.check(
        S::SOLVER,
        format!("the same without damping: in the last second; {deepest:.1e} after some step"),
        format!("{sunk:.1e}"),
        format!("at most {SUNK}"),
        sunk <= SUNK,
    );
}
