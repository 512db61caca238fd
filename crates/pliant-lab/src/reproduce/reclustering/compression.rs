//! A beam is pressed together along its axis and let go.

use super::books::Books;
use super::pictures::record_engine_pictures;
use crate::reference::reclustering::beam::{Beam, FIRM, FIRM_SCALE, FLOWING, PARTICLES, SCALE};
use crate::reference::reclustering::experiments::compression::{
    Compressed, Compression, PRESSED, RELEASED, compression,
};
use crate::reference::reclustering::{Params, Recluster};
use crate::reproduce::check::Solver::Reference;
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

fn flowing_run() -> Compression {
    compression(SCALE, FLOWING, Recluster::Embedded)
}

fn firm_run(recluster: Recluster) -> Compression {
    compression(FIRM_SCALE, FIRM, recluster)
}

/// What a run has done, its books, and RMS speed against time since release.
struct Pressed {
    result: Compressed,
    books: Books,
    speeds: Vec<(f64, f64)>,
}

fn press(run: &Compression) -> Pressed {
    let mut books = Books::new(&run.params);
    let mut speeds = Vec::new();
    let result = run.run(&Beam::new(PARTICLES), |body, _| {
        books.look(body);
        if body.time >= PRESSED {
            let mass: f64 = body.mass.iter().sum();
            let rms = (2.0 * body.kinetic_energy() / mass).sqrt();
            speeds.push((body.time - PRESSED, rms));
        }
    });
    Pressed {
        result,
        books,
        speeds,
    }
}

fn check_finite(bench: &mut Bench, result: &Compressed) {
    bench.check(
        Reference,
        "all positions are finite",
        format!("{}, {} steps", result.finite, result.steps),
        "true",
        result.finite,
    );
}

/// R1.
pub(super) fn flowing(bench: &mut Bench) -> Result<(), LabError> {
    let Pressed { result, books, .. } = press(&flowing_run());
    books.record(bench);
    check_finite(bench, &result);
    let late = result.late_speed / result.peak_speed;
    bench.check(
        Reference,
        "highest speed later than 2 s after release, over the highest of all",
        format!("{:.2} % of {:.3} m/s", 100.0 * late, result.peak_speed),
        "below 1 %",
        late < LATE_SPEED,
    );
    bench.check(
        Reference,
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
        Reference,
        "largest condition number of F_p of a cluster of full weight",
        format!("{:.3}", result.alive_condition),
        format!("at most {bound}"),
        result.alive_condition <= bound,
    );
    record_engine_pictures(bench, "beam", &[], "r1.png", &PICTURED)
}

/// R2.
pub(super) fn without_reclustering(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    let renewed = flowing_run().run(&beam, |_, _| ());
    let kept = compression(SCALE, FLOWING, Recluster::Off).run(&beam, |_, _| ());
    let energy = kept.late_energy / renewed.late_energy;
    bench.check(
        Reference,
        "finite; kinetic energy later than 2 s after release over that of R1; largest condition number",
        format!("{}; {energy:.1e}; {:.0}", kept.finite, kept.condition),
        "not finite, or above 10, or above 1000",
        !kept.finite || energy > BURST || kept.condition > USELESS,
    );
    let off = ["body.0.recluster=off"];
    record_engine_pictures(bench, "beam", &off, "r2.png", &PICTURED)
}

/// R3.
pub(super) fn firm(bench: &mut Bench) -> Result<(), LabError> {
    let Pressed { result, books, .. } = press(&firm_run(Recluster::Embedded));
    books.record(bench);
    check_finite(bench, &result);
    bench.check(
        Reference,
        "length over that at rest: at release, at the end",
        format!(
            "{:.4}, {:.4}",
            result.length_at_release, result.final_length
        ),
        "longer at the end",
        result.final_length > result.length_at_release,
    );
    let flowing = flowing_run().run(&Beam::new(PARTICLES), |_, _| ());
    let calls = |result: &Compressed| result.total.created + result.total.rejected;
    let (mine, theirs) = (calls(&result), calls(&flowing));
    bench.check(
        Reference,
        "clusters made, and those of R1",
        format!("{mine}, {theirs}"),
        "less than half of those of R1",
        (mine as f64) < FEWER * theirs as f64,
    );
    record_engine_pictures(bench, "beam-elastic", &[], "r3.png", &PICTURED)
}

/// R4.
pub(super) fn in_world_space(bench: &mut Bench) -> Result<(), LabError> {
    let world = press(&firm_run(Recluster::World));
    let embedded = press(&firm_run(Recluster::Embedded));
    world.books.record(bench);
    let ratio = world.result.late_rms / embedded.result.late_rms;
    bench.check(
        Reference,
        "RMS speed from 1 s to 3 s after release, over that of R3",
        format!(
            "{ratio:.2}: {:.3} m/s and {:.3} m/s",
            world.result.late_rms, embedded.result.late_rms
        ),
        format!("at least {SWINGS}"),
        ratio >= SWINGS,
    );
    bench.plot(
        "r4.svg",
        "Speed after release",
        ["time since release (s)", "RMS speed (m/s)"],
        &[
            Series {
                label: "embedded, optimised (R3)".into(),
                points: embedded.speeds,
            },
            Series {
                label: "in world space (R4)".into(),
                points: world.speeds,
            },
        ],
    )?;
    let world_space = ["body.0.recluster=world"];
    record_engine_pictures(bench, "beam-elastic", &world_space, "r4.png", &PICTURED)
}
