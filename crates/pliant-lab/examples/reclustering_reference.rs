//! Measures the reference of reclustering in its experiments and prints what comes out.
//!
//! `cargo run --release -p pliant-lab --example reclustering_reference [R1 R5 …]`; without names, all of them.

use pliant_lab::reference::Fit;
use pliant_lab::reference::reclustering::beam::{Beam, FIRM, FLOWING, PARTICLES};
use pliant_lab::reference::reclustering::body::{Params, Recluster};
use pliant_lab::reference::reclustering::experiments::compression::{
    Compressed, FIRM_SCALE, SCALE, compression,
};
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
    for recluster in [Recluster::Embedded, Recluster::Off] {
        if wants("R5") {
            timed("R5", || {
                println!(
                    "{recluster:?} {:#?}",
                    twist::twist(recluster).run(&beam, |_, _| ())
                );
            });
        }
    }
    if wants("R6") {
        timed("R6", print_sags);
    }
    if wants("R7") {
        timed("R7", print_renewals);
    }
    if wants("R8") {
        timed("R8", || print_qualities(&beam));
    }
    if wants("R9") {
        for fit in [Fit::Procrustes, Fit::Affine] {
            println!("R9 {fit:?} {:?}", spin::run(fit));
        }
    }
    println!("defaults: {:?}", Params::default());
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
        let result = sag::elastic(clusters).run(&beam);
        println!(
            "{clusters} clusters: sag {:.6} (change {:+.6}) {result:?}",
            result.sag,
            result.sag - last
        );
        last = result.sag;
    }
}

fn print_renewals() {
    let beam = Beam::new(sag::PARTICLES);
    for clusters in [15, 62, 250] {
        let elastic = sag::elastic(clusters).run(&beam).sag;
        for renewed in [false, true] {
            let result = sag::firm(clusters, renewed).run(&beam);
            println!(
                "{clusters} clusters, renewed {renewed}: sag {:.6} against {elastic:.6} elastic, {result:?}",
                result.sag
            );
        }
    }
}

fn print_qualities(beam: &Beam) {
    let found = quality::qualities(beam);
    for q in &found {
        println!("{q:?} ratio {:.2}", q.linear / q.nonlinear);
    }
    let mut ratios: Vec<f64> = found.iter().map(|q| q.linear / q.nonlinear).collect();
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
    println!(
        "{} states: linear over nonlinear from {:.3}, median {:.3}, geometric mean {:.3}, to {:.3}",
        ratios.len(),
        ratios[0],
        ratios[ratios.len() / 2],
        mean.exp(),
        ratios[ratios.len() - 1]
    );
}
