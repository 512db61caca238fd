//! Measures the reference of reclustering in its experiments and prints what comes out.

use pliant_lab::reference::reclustering::beam::{Beam, FLOWING, PARTICLES};
use pliant_lab::reference::reclustering::body::Recluster;
use pliant_lab::reference::reclustering::experiments::compression;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let scale: f64 = arguments[1].parse().unwrap();
    let damping: f64 = arguments[2].parse().unwrap();
    let plasticity: f64 = arguments[3].parse().unwrap();
    let recluster = match arguments[4].as_str() {
        "off" => Recluster::Off,
        "world" => Recluster::World,
        _ => Recluster::Embedded,
    };
    let beam = Beam::new(PARTICLES);
    println!("{} particles, spacing {}", beam.x.len(), beam.spacing);
    let mut run = compression(scale, FLOWING, recluster);
    run.params.damping = damping;
    if let Some(p) = &mut run.params.plastic {
        p.plastic_yield = plasticity;
    }
    let start = Instant::now();
    let result = run.run(&beam, |body, report| {
        if body.steps % 30 == 0 {
            println!("{:.2} s: length {:.4} max speed {:.4} energy {:.3e} clusters {} cond {:.2} {report:?}",
                body.time, pliant_lab::reference::reclustering::experiments::length(&body.x), body.max_speed(), body.kinetic_energy(),
                body.clusters.len(), body.max_condition(|_| true));
        }
    });
    println!("{result:#?} {:.1} s", start.elapsed().as_secs_f64());
}
