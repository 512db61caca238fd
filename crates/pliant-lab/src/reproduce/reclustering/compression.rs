//! A beam is pressed together along its axis and let go.

use super::books::Books;
use super::pictures::record_engine_pictures;
use super::scene::{BEAM, BEAM_ELASTIC, Scene, moment};
use crate::reference::reclustering::beam::{Beam, FIRM, FIRM_SCALE, FLOWING, PARTICLES, SCALE};
use crate::reference::reclustering::experiments::compression::{
    Compressed, Compression, Meter, PRESSED, RELEASED, compression,
};
use crate::reference::reclustering::experiments::moment::Moment;
use crate::reference::reclustering::{Params, Recluster};
use crate::reproduce::check::Solver::{self, Engine, Reference};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// Speed that may be left two seconds after release, over the highest.
const LATE_SPEED: f64 = 0.01;
/// Length that may be left of the beam.
const SHORTENED: f64 = 0.8;
/// Growth of a condition number in one step, over the limit at which a cluster goes.
const CONDITION: f64 = 1.5;
/// Energy of the beam that bursts over that of the one that does not.
const BURST: f64 = 10.0;
/// Condition number that counts as bursting.
const USELESS: f64 = 1e3;
/// Clusters that the firmer beam may make, over those of the flowing one.
const FEWER: f64 = 0.5;
/// How much faster a beam reclustered in world space swings.
const SWINGS: f64 = 1.5;

/// Seconds at which the engine's run is pictured: at rest, under pressure, at release and after it.
const PICTURED: [f64; 6] = [0.0, 1.0, 2.0, PRESSED, PRESSED + 1.0, PRESSED + RELEASED];

/// The flowing beam of the engine without reclustering.
const BEAM_KEPT: Scene = BEAM.with(&["body.0.recluster=off"]);
/// The same without the limit that the engine sets to the flow of groups that stay: what the paper's solver does, which has none.
const BEAM_UNLIMITED: Scene =
    BEAM.with(&["body.0.recluster=off", "material.flowing.plastic_limit=1e9"]);
/// The firm beam of the engine with rest shapes from the world as it is.
const BEAM_ELASTIC_WORLD: Scene = BEAM_ELASTIC.with(&["body.0.embedded.sweeps=0"]);

/// The firm beam of the engine with affine rotations, as the reference has them: embedded, and with rest shapes from the world.
const BEAM_ELASTIC_AFFINE: Scene = BEAM_ELASTIC.with(&["body.0.fit=affine"]);
const BEAM_ELASTIC_AFFINE_WORLD: Scene =
    BEAM_ELASTIC.with(&["body.0.fit=affine", "body.0.embedded.sweeps=0"]);

fn flowing_run() -> Compression {
    compression(SCALE, FLOWING, Recluster::Embedded)
}

fn firm_run(recluster: Recluster) -> Compression {
    compression(FIRM_SCALE, FIRM, recluster)
}

/// What a run has done, and RMS speed against time since release.
struct Pressed {
    result: Compressed,
    speeds: Vec<(f64, f64)>,
}

fn record_speed(speeds: &mut Vec<(f64, f64)>, now: &Moment) {
    if now.time >= PRESSED {
        speeds.push((now.time - PRESSED, now.mean_square_speed().sqrt()));
    }
}

/// A run of the reference, and its books.
fn press(run: &Compression) -> (Pressed, Books) {
    let mut books = Books::new(&run.params);
    let mut speeds = Vec::new();
    let result = run.run(&Beam::new(PARTICLES), |body, now| {
        books.look(body);
        record_speed(&mut speeds, now);
    });
    (Pressed { result, speeds }, books)
}

/// A run of the engine.
fn press_scene(scene: &Scene) -> Result<Pressed, LabError> {
    let mut run = scene.start()?;
    let mut meter = Meter::new(&run.positions());
    let mut speeds = Vec::new();
    run.until(PRESSED + RELEASED, |world, report| {
        let now = moment(world, report);
        meter.look(&now);
        record_speed(&mut speeds, &now);
    });
    let result = meter.result();
    Ok(Pressed { result, speeds })
}

fn check_finite(bench: &mut Bench, solver: Solver, result: &Compressed) {
    bench.check(
        solver,
        "all positions are finite",
        format!("{}, {} steps", result.finite, result.steps),
        "true",
        result.finite,
    );
}

/// R1.
pub(super) fn flowing(bench: &mut Bench) -> Result<(), LabError> {
    let (pressed, books) = press(&flowing_run());
    books.record(bench);
    check_flowing(bench, Reference, &pressed.result);
    check_flowing(bench, Engine, &press_scene(&BEAM)?.result);
    record_engine_pictures(bench, &BEAM, "r1.png", &PICTURED)
}

fn check_flowing(bench: &mut Bench, solver: Solver, result: &Compressed) {
    check_finite(bench, solver, result);
    let late = result.late_speed / result.peak_speed;
    bench.check(
        solver,
        "highest speed later than 2 s after release, over the highest of all",
        format!("{:.2} % of {:.3} m/s", 100.0 * late, result.peak_speed),
        "below 1 %",
        late < LATE_SPEED,
    );
    bench.check(
        solver,
        "length at the end over that at rest",
        format!(
            "{:.3}; {:.3} at release",
            result.final_length, result.length_at_release
        ),
        format!("below {SHORTENED}"),
        result.final_length < SHORTENED,
    );
    let bound = CONDITION * Params::default().cond_max;
    bench.check(
        solver,
        "largest condition number of F_p of a cluster of full weight",
        format!("{:.3}", result.alive_condition),
        format!("at most {bound}"),
        result.alive_condition <= bound,
    );
}

/// R2.
pub(super) fn without_reclustering(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    let renewed = flowing_run().run(&beam, |_, _| ());
    let kept = compression(SCALE, FLOWING, Recluster::Off).run(&beam, |_, _| ());
    check_bursts(bench, Reference, "", &renewed, &kept);
    let (renewed, kept) = (press_scene(&BEAM)?, press_scene(&BEAM_KEPT)?);
    check_bursts(bench, Engine, "", &renewed.result, &kept.result);
    let unlimited = press_scene(&BEAM_UNLIMITED)?;
    let how = ", no limit of flow";
    check_bursts(bench, Engine, how, &renewed.result, &unlimited.result);
    record_engine_pictures(bench, &BEAM_KEPT, "r2.png", &PICTURED)
}

fn check_bursts(
    bench: &mut Bench,
    solver: Solver,
    how: &str,
    renewed: &Compressed,
    kept: &Compressed,
) {
    let energy = kept.late_energy / renewed.late_energy;
    bench.check(
        solver,
        format!("finite; kinetic energy later than 2 s after release over that of R1; largest condition number{how}"),
        format!(
            "{}; {energy:.1e}; {:.0}; highest speed then {:.3} m/s",
            kept.finite, kept.condition, kept.late_speed
        ),
        "not finite, or above 10, or above 1000",
        !kept.finite || energy > BURST || kept.condition > USELESS,
    );
}

/// R3.
pub(super) fn firm(bench: &mut Bench) -> Result<(), LabError> {
    let (pressed, books) = press(&firm_run(Recluster::Embedded));
    books.record(bench);
    let flowing = flowing_run().run(&Beam::new(PARTICLES), |_, _| ());
    check_firm(bench, Reference, &pressed.result, &flowing);
    let (firm, flowing) = (press_scene(&BEAM_ELASTIC)?, press_scene(&BEAM)?);
    check_firm(bench, Engine, &firm.result, &flowing.result);
    record_engine_pictures(bench, &BEAM_ELASTIC, "r3.png", &PICTURED)
}

fn check_firm(bench: &mut Bench, solver: Solver, result: &Compressed, flowing: &Compressed) {
    check_finite(bench, solver, result);
    bench.check(
        solver,
        "length over that at rest: at release, at the end",
        format!(
            "{:.4}, {:.4}",
            result.length_at_release, result.final_length
        ),
        "longer at the end",
        result.final_length > result.length_at_release,
    );
    let calls = |result: &Compressed| result.total.created + result.total.rejected;
    let (mine, theirs) = (calls(result), calls(flowing));
    bench.check(
        solver,
        "clusters made, and those of R1",
        format!("{mine}, {theirs}"),
        "less than half of those of R1",
        (mine as f64) < FEWER * theirs as f64,
    );
}

/// R4.
pub(super) fn in_world_space(bench: &mut Bench) -> Result<(), LabError> {
    let (world, books) = press(&firm_run(Recluster::World));
    let (embedded, _) = press(&firm_run(Recluster::Embedded));
    books.record(bench);
    check_swings(bench, Reference, "", &world.result, &embedded.result);
    let (world_by_engine, embedded_by_engine) = (
        press_scene(&BEAM_ELASTIC_WORLD)?,
        press_scene(&BEAM_ELASTIC)?,
    );
    check_swings(
        bench,
        Engine,
        "",
        &world_by_engine.result,
        &embedded_by_engine.result,
    );
    let affine_world = press_scene(&BEAM_ELASTIC_AFFINE_WORLD)?.result;
    let affine = press_scene(&BEAM_ELASTIC_AFFINE)?.result;
    check_swings(bench, Engine, ", affine rotations", &affine_world, &affine);
    let line = |label: &str, pressed: Pressed| Series {
        label: label.into(),
        points: pressed.speeds,
    };
    bench.plot(
        "r4.svg",
        "Speed after release",
        ["time since release (s)", "RMS speed (m/s)"],
        &[
            line("embedded, optimised (R3), f64 reference", embedded),
            line("in world space (R4), f64 reference", world),
            line("embedded, optimised (R3), engine", embedded_by_engine),
            line("in world space (R4), engine", world_by_engine),
        ],
    )?;
    record_engine_pictures(bench, &BEAM_ELASTIC_WORLD, "r4.png", &PICTURED)
}

fn check_swings(
    bench: &mut Bench,
    solver: Solver,
    how: &str,
    world: &Compressed,
    embedded: &Compressed,
) {
    let measures = [
        ("", world.late_rms, embedded.late_rms),
        (
            ", without translation and spin of the whole",
            world.late_oscillation,
            embedded.late_oscillation,
        ),
    ];
    for (part, world, embedded) in measures {
        let ratio = world / embedded;
        bench.check(
            solver,
            format!("RMS speed from 1 s to 3 s after release, over that of R3{part}{how}"),
            format!("{ratio:.2}: {world:.4} m/s and {embedded:.4} m/s"),
            format!("at least {SWINGS}"),
            ratio >= SWINGS,
        );
    }
}
