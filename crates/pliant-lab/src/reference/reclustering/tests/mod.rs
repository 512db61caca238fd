//! Worked numbers and invariants at the tolerances of f64.

mod clustering;
mod edges;
mod embedding;
mod invariants;
mod worked;

use super::body::Body;
use super::clustering::Found;
use glam::DVec3;

/// A body of unit masses at rest at `x`, with box weights in the given clusters.
fn boxed_body(x: &[DVec3], clusters: &[Vec<usize>]) -> Body {
    let weighted = |members: &Vec<usize>| members.iter().map(|&i| (i, 1.0)).collect();
    let found = Found {
        clusters: clusters.iter().map(weighted).collect(),
        reach: 1.0,
    };
    Body::new(x, &vec![1.0; x.len()], &found)
}
