//! Measures the reference of reclustering in its experiments and prints what comes out.
//!
//! `cargo run --release -p pliant-lab --example reclustering_reference [R1 R5 …]`; without names, all of them.

use pliant_lab::reference::Fit;
use pliant_lab::reference::reclustering::beam::{
    Beam, FIRM, FIRM_SCALE, FLOWING, PARTICLES, SCALE,
};
use pliant_lab::reference::reclustering::body::{Params, Recluster};
use pliant_lab::reference::reclustering::experiments::compression::{Compressed, compression};
use pliant_lab::reference::reclustering::experiments::{quality, sag, spin, twist};
use std::time::Instant;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let wants = |id: &str| asked.is_empty() || asked.iter().any(|a| a == id);
    let beam = Beam::new(PARTICLES);
    println!(
        "beam of {} particles, {:.5} m apart",
        beam.x.len(),
        beam.spacing
    );
    let pressed = [
        ("R1", SCALE, FLOWING, Recluster::Embedded),
        ("R2", SCALE, FLOWING, Recluster::Off),
        ("R3", FIRM_SCALE, FIRM, Recluster::Embedded),
        ("R4", FIRM_SCALE, FIRM, Recluster::World),
    ];
    for (id, scale, plastic, recluster) in pressed {
        if wants(id) {
            timed(id, || {
                print_compressed(&compression(scale, plastic, recluster).run(&beam, |_, _| ()));
            });
        }
    }
    if wants("R5") {
        timed("R5", || print_twists(&beam));
    }
    if wants("R6") {
        timed("R6", print_sags);
    }
    if wants("R7") {
        timed("R7", print_renewals);
    }
    if wants("R8") {
        timed("R8", || {
            print_qualities("compressed", &quality::compressed(&beam));
            print_qualities("twisted", &quality::twisted(&beam));
        });
    }
    if wants("R9") {
        for fit in [Fit::Procrustes, Fit::Affine] {
            println!("R9 {fit:?} {:?}", spin::run(fit));
        }
    }
}

fn timed(id: &str, run: impl FnOnce()) {
    println!("{id}");
    let start = Instant::now();
    run();
    println!("{id} took {:.1} s", start.elapsed().as_secs_f64());
}

fn print_compressed(result: &Compressed) {
    println!("{result:#?}");
    let relative = result.late_speed / result.peak_speed;
    println!("late speed over peak speed {relative:.5}");
}

fn print_sags() {
    let beam = Beam::new(sag::PARTICLES);
    println!("{} particles", beam.x.len());
    let mut last = 0.0;
    for clusters in sag::COUNTS {
        let mut sag = sag::elastic(clusters);
        sag.duration = sag::SETTLED;
        let result = sag.run(&beam);
        println!(
            "{clusters} clusters: mean sag {:.6} (change {:+.6}) {result:?}",
            result.mean_sag,
            result.mean_sag - last
        );
        last = result.mean_sag;
    }
}

fn print_renewals() {
    let beam = Beam::new(sag::PARTICLES);
    for clusters in [15, 62] {
        let elastic = sag::elastic(clusters).run(&beam).mean_sag;
        let kept = sag::firm(clusters, false);
        let renewed = sag::firm(clusters, true);
        let mut hasty = renewed;
        hasty.params.embed_sweeps = Params::default().embed_sweeps;
        for (what, sag) in [
            ("kept", kept),
            ("renewed", renewed),
            ("hastily renewed", hasty),
        ] {
            let result = sag.run(&beam);
            let change = result.mean_sag / elastic - 1.0;
            println!(
                "{clusters} clusters {what}: {change:+.4} of {elastic:.6} elastic, {result:?}"
            );
        }
    }
}

fn print_twists(beam: &Beam) {
    let usual = Params::default().cond_max;
    for (recluster, cond_max) in [
        (Recluster::Embedded, usual),
        (Recluster::Embedded, twist::KEEPING_COND_MAX),
        (Recluster::Off, usual),
    ] {
        let mut run = twist::twist(recluster);
        run.params.cond_max = cond_max;
        let result = run.run(beam, |_, _| ());
        println!("{recluster:?}, cond_max {cond_max}: {result:#?}");
    }
}

fn print_qualities(what: &str, found: &[quality::Quality]) {
    println!("{what}: {:?} … {:?}", found.first(), found.last());
    let ratio = |q: &quality::Quality| q.linear / q.nonlinear;
    let converged = |q: &quality::Quality| q.linear / q.converged;
    print_spread("linear over nonlinear", found.iter().map(ratio).collect());
    print_spread(
        "linear over converged",
        found.iter().map(converged).collect(),
    );
}

fn print_spread(what: &str, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
    println!(
        "{what}, {} states: from {:.3}, median {:.3}, geometric mean {:.3}, to {:.3}",
        ratios.len(),
        ratios[0],
        ratios[ratios.len() / 2],
        mean.exp(),
        ratios[ratios.len() - 1]
    );
}
