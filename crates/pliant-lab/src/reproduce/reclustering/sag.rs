//! A clamped beam sags: with few to many clusters, and while every cluster is made anew.

use super::books::Books;
use super::pictures::record_engine_pictures;
use super::scene::{BARS, positions};
use crate::reference::reclustering::Params;
use crate::reference::reclustering::beam::{Beam, HALF};
use crate::reference::reclustering::experiments::sag::{
    COUNTS, DURATION, EMBED_SWEEPS, PARTICLES, SETTLED, Sag, elastic, firm, tip_sag,
};
use crate::reproduce::check::Solver::{self, Engine, Reference};
use crate::reproduce::plot::Series;
use crate::reproduce::{Bench, LabError};

/// The last change of the sag over one between few clusters.
const SHRINKS: f64 = 0.25;
/// The last change of the sag, in lengths of the beam.
const SMALL: f64 = 0.03;
/// How far a beam of renewed clusters may sag from one that kept its own, relative.
const SAME: f64 = 0.1;
/// Numbers of clusters at which a short run renews.
const FEW: [usize; 5] = [3, 7, 15, 31, 62];

/// Tip sag against number of clusters.
type Sags = Vec<(usize, f64)>;

/// Sags after [`DURATION`], and at the end of the run.
fn sags(beam: &Beam, run: &Sag) -> [f64; 2] {
    let mut early = 0.0;
    let result = run.run(beam, |body| {
        if body.time < DURATION + 0.5 * run.params.dt {
            early = tip_sag(&beam.x, &body.x);
        }
    });
    [early, result.mean_sag]
}

fn listed(sags: &Sags) -> String {
    let one = |(n, sag): &(usize, f64)| format!("{n}: {sag:.3}");
    sags.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn line(label: &str, sags: &Sags) -> Series {
    let point = |(n, sag): &(usize, f64)| ((*n as f64).log10(), *sag);
    Series {
        label: label.into(),
        points: sags.iter().map(point).collect(),
    }
}

const AXES: [&str; 2] = ["log10 of the number of clusters", "tip sag (m)"];

/// R6.
pub(super) fn convergence(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    let (mut early, mut settled) = (Sags::new(), Sags::new());
    for clusters in COUNTS {
        let mut run = elastic(clusters);
        if bench.options.long {
            run.duration = SETTLED;
        }
        let [at_three, at_end] = sags(&beam, &run);
        early.push((clusters, at_three));
        settled.push((clusters, at_end));
    }
    let [early_by_engine, settled_by_engine] = engine_sags(bench.options.long)?;
    check_convergence(bench, Reference, "after 3 s", &early);
    check_convergence(bench, Engine, "after 3 s", &early_by_engine);
    let mut lines = vec![
        line("after 3 s, f64 reference", &early),
        line("after 3 s, engine", &early_by_engine),
    ];
    if bench.options.long {
        check_convergence(bench, Reference, "after 8 s, at rest", &settled);
        check_convergence(bench, Engine, "after 8 s, at rest", &settled_by_engine);
        lines.push(line("after 8 s, f64 reference", &settled));
        lines.push(line("after 8 s, engine", &settled_by_engine));
    }
    bench.plot("r6.svg", "A clamped beam sags", AXES, &lines)?;
    record_engine_pictures(bench, &BARS, "r6.png", &[0.0, 0.5, DURATION])
}

/// The engine's sags: after [`DURATION`], and as a mean over the last second of the run. A bar is named by its number of clusters.
fn engine_sags(long: bool) -> Result<[Sags; 2], LabError> {
    let end = if long { SETTLED } else { DURATION };
    let mut run = BARS.start()?;
    let rest = run.positions();
    let counts: Vec<usize> = (run.world.bodies().iter())
        .map(|bar| bar.name.parse().unwrap_or_default())
        .collect();
    let mut early = vec![0.0; counts.len()];
    let (mut sums, mut frames) = (vec![0.0; counts.len()], 0);
    run.until(end, |world, _| {
        let late = world.time() > end - 1.0 + 1e-6;
        frames += usize::from(late);
        for (k, bar) in world.bodies().iter().enumerate() {
            let x = positions(world, bar.points.clone());
            let sag = tip_sag(&rest[bar.points.clone()], &x);
            if world.time() < DURATION + 1e-6 {
                early[k] = sag;
            }
            if late {
                sums[k] += sag;
            }
        }
    });
    let by_count = |sags: Vec<f64>| counts.iter().copied().zip(sags).collect();
    let means = sums.iter().map(|sum| sum / frames as f64).collect();
    Ok([by_count(early), by_count(means)])
}

fn check_convergence(bench: &mut Bench, solver: Solver, when: &str, sags: &Sags) {
    let of = |clusters: usize| {
        let found = sags.iter().find(|(n, _)| *n == clusters);
        found.map_or(f64::NAN, |(_, sag)| *sag)
    };
    bench.check(
        solver,
        format!("tip sag {when}, m"),
        listed(sags),
        "each larger than the one before",
        sags.windows(2).all(|pair| pair[1].1 > pair[0].1),
    );
    let (last, first) = ((of(1000) - of(500)).abs(), (of(62) - of(31)).abs());
    bench.check(
        solver,
        format!("change of the sag {when}: from 500 to 1000 clusters, from 31 to 62"),
        format!("{last:.4} m, {first:.4} m: {:.2}", last / first),
        format!("the first below {SHRINKS} of the second"),
        last < SHRINKS * first,
    );
    let length = 2.0 * HALF.x;
    bench.check(
        solver,
        format!("change of the sag {when} from 500 to 1000 clusters, in lengths of the beam"),
        format!("{:.2} %", 100.0 * last / length),
        "below 3 %",
        last < SMALL * length,
    );
}

/// Tip sags after [`DURATION`] for each of these numbers of clusters.
fn sags_of(beam: &Beam, counts: &[usize], run: impl Fn(usize) -> Sag) -> Sags {
    let sag = |&n: &usize| (n, sags(beam, &run(n))[0]);
    counts.iter().map(sag).collect()
}

/// R7.
pub(super) fn renewal(bench: &mut Bench) -> Result<(), LabError> {
    let beam = Beam::new(PARTICLES);
    let counts: &[usize] = if bench.options.long { &COUNTS } else { &FEW };
    let kept = sags_of(&beam, counts, elastic);
    let mut lines = vec![line("elastic, clusters kept (R6)", &kept)];
    let usual = Params::default().embed_sweeps;
    for (sweeps, accelerated) in [(usual, false), (usual, true), (EMBED_SWEEPS, false)] {
        // So many sweeps of so many clusters would take an hour.
        let counts = if sweeps == usual { counts } else { &FEW };
        let renewed = sags_of(&beam, counts, |clusters| {
            let mut run = firm(clusters, true);
            run.params.embed_sweeps = sweeps;
            run.params.embed_accelerated = accelerated;
            run
        });
        let kind = if accelerated { "accelerated" } else { "plain" };
        let label = format!("{sweeps} {kind} sweeps");
        check_renewed(bench, &label, &kept, &renewed);
        lines.push(line(&format!("renewed, {label} (R7)"), &renewed));
    }
    check_books(bench, &beam);
    let title = "A clamped beam sags, its clusters kept or renewed";
    bench.plot("r7.svg", title, AXES, &lines)
}

fn check_renewed(bench: &mut Bench, sweeps: &str, kept: &Sags, renewed: &Sags) {
    let change = |(n, sag): &(usize, f64)| {
        let same = kept.iter().find(|k| k.0 == *n);
        (*n, same.map_or(f64::NAN, |k| sag / k.1 - 1.0))
    };
    let changes: Vec<(usize, f64)> = renewed.iter().map(change).collect();
    let one = |(n, change): &(usize, f64)| format!("{n}: {:+.1} %", 100.0 * change);
    bench.check(
        Reference,
        format!("sag of renewed clusters over that of kept ones, {sweeps} of the embedding"),
        changes.iter().map(one).collect::<Vec<_>>().join(", "),
        "within 10 %",
        changes.iter().all(|(_, change)| change.abs() <= SAME),
    );
}

fn check_books(bench: &mut Bench, beam: &Beam) {
    let run = firm(62, true);
    let mut books = Books::new(&run.params);
    run.run(beam, |body| books.look(body));
    books.record(bench);
}
