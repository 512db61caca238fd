//! A beam is twisted by its ends and let go.

use super::books::Books;
use super::pictures::record_engine_pictures;
use crate::reference::reclustering::Recluster;
use crate::reference::reclustering::beam::{Beam, PARTICLES};
use crate::reference::reclustering::experiments::twist::{
    FINE_CLUSTERS, FINE_REACH, FREE, KEEPING_COND_MAX, TWISTED, Twisted, twist,
};
use crate::reproduce::check::Solver::Reference;
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
    let beam = Beam::new(PARTICLES);
    let run = twist(Recluster::Embedded);
    let mut books = Books::new(&run.params);
    let mut count = (usize::MAX, 0);
    let result = run.run(&beam, |body, _| {
        books.look(body);
        count = (count.0.min(body.x.len()), count.1.max(body.x.len()));
    });
    books.record(bench);
    check_kept(bench, "", &result);
    bench.check(
        Reference,
        "all positions are finite; fewest and most particles of a step",
        format!("{}; {} and {}", result.finite, count.0, count.1),
        format!("true; {} and {0}", beam.x.len()),
        result.finite && count == (beam.x.len(), beam.x.len()),
    );
    let mut accelerated = run;
    accelerated.params.embed_accelerated = true;
    let result = accelerated.run(&beam, |_, _| ());
    check_kept(bench, ", accelerated sweeps", &result);
    let mut eager = run;
    eager.params.cond_max = KEEPING_COND_MAX;
    let how = format!(", clusters go at a condition number of {KEEPING_COND_MAX}");
    check_kept(bench, &how, &eager.run(&beam, |_, _| ()));
    let mut fine = run;
    (fine.clusters, fine.params.reach) = (FINE_CLUSTERS, FINE_REACH);
    let how = format!(", {FINE_CLUSTERS} clusters of {FINE_REACH} m");
    check_kept(bench, &how, &fine.run(&beam, |_, _| ()));
    let kept = twist(Recluster::Off).run(&beam, |_, _| ());
    bench.check(
        Reference,
        "largest condition number of F_p without reclustering",
        format!("{:.2}", kept.condition),
        format!("above {DISTORTED}"),
        kept.condition > DISTORTED,
    );
    record_engine_pictures(bench, "twist", &[], "r5.png", &PICTURED)
}

fn check_kept(bench: &mut Bench, how: &str, result: &Twisted) {
    let share = result.at_end / TURN;
    bench.check(
        Reference,
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
