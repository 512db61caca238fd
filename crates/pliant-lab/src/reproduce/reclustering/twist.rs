//! A beam is twisted by its ends and let go.

use super::books::Books;
use super::pictures::record_engine_pictures;
use super::scene::{Scene, TWIST, moment};
use crate::reference::reclustering::Recluster;
use crate::reference::reclustering::beam::{Beam, PARTICLES};
use crate::reference::reclustering::experiments::twist::{
    FINE_CLUSTERS, FINE_REACH, FREE, KEEPING_COND_MAX, Meter, TWISTED, Twisted, twist,
};
use crate::reproduce::check::Solver::{self, Engine, Reference};
use crate::reproduce::{Bench, LabError};

/// Turn of the ends against each other at release, in rad.
const TURN: f64 = 6.0;
/// Share of it that must stay.
const KEPT: f64 = 0.8;
/// Condition number that a beam without reclustering must exceed.
const DISTORTED: f64 = 10.0;

/// Seconds at which the engine's run is pictured.
const PICTURED: [f64; 6] = [0.0, 3.0, 6.0, TWISTED, TWISTED + 1.0, TWISTED + FREE];

/// R5.
pub(super) fn kept(bench: &mut Bench) -> Result<(), LabError> {
    by_reference(bench);
    by_engine(bench)?;
    record_engine_pictures(bench, &TWIST, "r5.png", &PICTURED)
}

fn by_reference(bench: &mut Bench) {
    let beam = Beam::new(PARTICLES);
    let run = twist(Recluster::Embedded);
    let mut books = Books::new(&run.params);
    let result = run.run(&beam, |body, _| books.look(body));
    books.record(bench);
    check_kept(bench, Reference, "", &result);
    check_particles(bench, Reference, &result, beam.x.len());
    let mut accelerated = run;
    accelerated.params.embed_accelerated = true;
    let result = accelerated.run(&beam, |_, _| ());
    check_kept(bench, Reference, ", accelerated sweeps", &result);
    let mut eager = run;
    eager.params.cond_max = KEEPING_COND_MAX;
    check_kept(bench, Reference, &eagerly(), &eager.run(&beam, |_, _| ()));
    let mut fine = run;
    (fine.clusters, fine.params.reach) = (FINE_CLUSTERS, FINE_REACH);
    let how = format!(", {FINE_CLUSTERS} clusters of {FINE_REACH} m");
    check_kept(bench, Reference, &how, &fine.run(&beam, |_, _| ()));
    let kept = twist(Recluster::Off).run(&beam, |_, _| ());
    check_distorted(bench, Reference, &kept);
}

/// A run of the engine, and its number of particles at the start.
fn twist_scene(scene: &Scene) -> Result<(Twisted, usize), LabError> {
    let mut run = scene.start()?;
    let rest = run.positions();
    let mut meter = Meter::new(&rest);
    run.until(TWISTED + FREE, |world, report| {
        meter.look(&moment(world, report));
    });
    Ok((meter.result, rest.len()))
}

fn by_engine(bench: &mut Bench) -> Result<(), LabError> {
    let (result, particles) = twist_scene(&TWIST)?;
    check_kept(bench, Engine, "", &result);
    check_particles(bench, Engine, &result, particles);
    let cond_max = format!("body.0.embedded.cond_max={KEEPING_COND_MAX}");
    let eager = twist_scene(&TWIST.with(&[&cond_max]))?.0;
    check_kept(bench, Engine, &eagerly(), &eager);
    let affine = twist_scene(&TWIST.with(&["body.0.fit=affine"]))?.0;
    check_kept(bench, Engine, ", affine rotations", &affine);
    let kept = twist_scene(&TWIST.with(&["body.0.recluster=off"]))?.0;
    check_distorted(bench, Engine, &kept);
    Ok(())
}

fn eagerly() -> String {
    format!(", clusters go at a condition number of {KEEPING_COND_MAX}")
}

fn check_particles(bench: &mut Bench, solver: Solver, result: &Twisted, particles: usize) {
    bench.check(
        solver,
        "all positions are finite; fewest and most particles of a step",
        format!("{}; {} and {}", result.finite, result.fewest, result.most),
        format!("true; {particles} and {particles}"),
        result.finite && result.fewest == particles && result.most == particles,
    );
}

fn check_distorted(bench: &mut Bench, solver: Solver, kept: &Twisted) {
    bench.check(
        solver,
        "largest condition number of F_p without reclustering",
        format!("{:.2}", kept.condition),
        format!("above {DISTORTED}"),
        kept.condition > DISTORTED,
    );
}

fn check_kept(bench: &mut Bench, solver: Solver, how: &str, result: &Twisted) {
    let share = result.at_end / TURN;
    bench.check(
        solver,
        format!("twist left of {TURN} rad after {FREE} s{how}"),
        format!(
            "{:.0} %: {:.3} rad; {} clusters made",
            100.0 * share,
            result.at_end,
            result.total.created
        ),
        "at least 80 %",
        share >= KEPT,
    );
}
