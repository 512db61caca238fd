//! Enright's test: a ball in LeVeque's field, which draws it out to a thin curved sheet and takes it back.

use crate::reproduce::check::Solver::Engine;
use crate::reproduce::pictures::write_sheet;
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};
use glam::{DVec3, Vec3};
use pliant::geometry::Mesh;
use pliant::geometry::solids::sphere;
use pliant::surface::validate::Level;
use pliant::surface::{Tracker, TrackerReport, TrackerSettings};
use std::f64::consts::{PI, TAU};

/// The ball in the unit cube.
const CENTER: Vec3 = Vec3::splat(0.35);
const RADIUS: f32 = 0.15;
/// Time in which the field goes there and back.
const PERIOD: f64 = 3.0;
/// Frames of the period: in the fastest place a vertex moves by half a hundredth of the cube.
const FRAMES: usize = 600;
/// Longest edge: the sheet has some sixty thousand triangles when it is largest.
const EDGE: f32 = 0.01;
/// Longest edge of the long run.
const FINE_EDGE: f32 = 0.006;

/// LeVeque's field, without divergence, that turns around in the middle of the period.
fn velocity(p: DVec3, time: f64) -> DVec3 {
    let whole = (TAU * p).map(f64::sin);
    let half = (PI * p).map(f64::sin);
    DVec3::new(
        2.0 * half.x * half.x * whole.y * whole.z,
        -whole.x * half.y * half.y * whole.z,
        -whole.x * whole.y * half.z * half.z,
    ) * (PI * time / PERIOD).cos()
}

/// Where the field takes a point within a frame, by one Runge-Kutta step of fourth order.
fn carried(p: Vec3, time: f64, step: f64) -> Vec3 {
    let p = p.as_dvec3();
    let a = velocity(p, time);
    let b = velocity(p + 0.5 * step * a, time + 0.5 * step);
    let c = velocity(p + 0.5 * step * b, time + 0.5 * step);
    let d = velocity(p + step * c, time + step);
    (p + step / 6.0 * (a + 2.0 * b + 2.0 * c + d)).as_vec3()
}

/// Changes of topology in a frame.
fn events(report: &TrackerReport) -> usize {
    report.events.resolved
        + (report.remesh.necks + report.remesh.tunnels) as usize
        + report.components.engulfed
        + report.components.inverted
        + report.components.crumbs
        + report.rebuilt
}

/// What was seen on the way.
#[derive(Default)]
struct Journey {
    /// Frames that were not sound, or not one ball.
    unsound: usize,
    other_than_ball: usize,
    events: usize,
    largest: usize,
    /// Volume against the first and number of triangles, by time.
    volume: Vec<(f64, f64)>,
    pictures: Vec<(Mesh, String)>,
}

/// T4: the ball comes back as it was.
pub(super) fn there_and_back(bench: &mut Bench) -> Result<(), LabError> {
    let edge = if bench.options.long { FINE_EDGE } else { EDGE };
    // Edges of two thirds of the longest one.
    let mut ball = sphere(RADIUS, (2.4 * RADIUS / edge).ceil() as u32);
    ball.positions.iter_mut().for_each(|p| *p += CENTER);
    let mut tracker = Tracker::new(&ball, TrackerSettings::new(edge))?;
    let journey = travel(&mut tracker);
    let returned = tracker.mesh().to_mesh();
    let distance = returned
        .positions
        .iter()
        .map(|p| (p.distance(CENTER) - RADIUS).abs())
        .fold(0.0, f32::max);
    bench.plot(
        "t4-volume.svg",
        "Volume of the ball on its way",
        ["time", "volume / volume at first"],
        &[Series {
            label: format!("Lmax {edge}"),
            points: journey.volume.clone(),
        }],
    )?;
    write_sheet(bench, "t4.png", 2, false, &journey.pictures)?;
    judge(bench, &journey, edge, distance);
    Ok(())
}

fn travel(tracker: &mut Tracker) -> Journey {
    let mut journey = Journey::default();
    let first = tracker.mesh().volume();
    let step = PERIOD / FRAMES as f64;
    for frame in 0..=FRAMES {
        let time = step * frame as f64;
        if frame.is_multiple_of(FRAMES / 4) && frame != 3 * FRAMES / 4 {
            let count = tracker.mesh().triangle_count();
            let caption = format!("t = {time:.2}: {count} triangles");
            journey.pictures.push((tracker.mesh().to_mesh(), caption));
        }
        if frame == FRAMES {
            break;
        }
        tracker.advect(|p| carried(p, time, step));
        journey.events += events(&tracker.update());
        match tracker.mesh().validate(Level::Everything) {
            Ok(census) => {
                let ball = (census.sheets, census.euler) == (1, 2);
                journey.other_than_ball += usize::from(!ball);
                journey.largest = journey.largest.max(census.triangles);
                journey.volume.push((time + step, census.volume / first));
            }
            Err(_) => journey.unsound += 1,
        }
    }
    journey
}

fn judge(bench: &mut Bench, journey: &Journey, edge: f32, distance: f32) {
    let none = |bench: &mut Bench, what: &str, count: usize| {
        bench.check(Engine, what, count.to_string(), "0", count == 0);
    };
    none(bench, "frames with a broken invariant", journey.unsound);
    none(
        bench,
        "frames that are not one sheet with Euler number 2",
        journey.other_than_ball,
    );
    // None at all, so none where the sheet is thicker than the longest edge.
    none(bench, "changes of topology", journey.events);
    let drift = journey
        .volume
        .iter()
        .map(|v| (v.1 - 1.0).abs())
        .fold(0.0, f64::max);
    bench.check(
        Engine,
        "largest volume drift",
        format!(
            "{:.3} % at Lmax {edge}, {} triangles at most",
            100.0 * drift,
            journey.largest
        ),
        "below 1 %",
        drift < 0.01,
    );
    let edges = distance / edge;
    bench.check(
        Engine,
        "distance of the ball that came back",
        format!("{distance:.5} = {edges:.2} Lmax"),
        "below 2 Lmax",
        edges < 2.0,
    );
}
