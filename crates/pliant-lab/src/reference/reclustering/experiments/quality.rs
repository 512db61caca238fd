//! How good the embedding is: against the linearised one, in states of the compressed beam [FJLSB17 §3.2.2].

use super::super::beam::{Beam, FLOWING, SCALE, SEED};
use super::super::body::{Body, Recluster};
use super::super::local::LocalSet;
use super::compression::{PRESSED, RELEASED, compression};
use super::twist::{self, FREE, TWISTED};
use pliant::random::{Random, name_key};

/// States that are looked at.
pub const STATES: usize = 50;

/// Numbers of sweeps after which an embedding is looked at; after the last it has converged.
pub const SWEEPS: [usize; 11] = [0, 1, 2, 5, 10, 20, 40, 60, 100, 200, 500];

/// What the embeddings of one local set leave, each under the best rigid placement of every cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// Seconds since the beginning.
    pub time: f64,
    /// E after so many [`SWEEPS`] of the embedding; the first is that of the particles where they are.
    pub swept: [f64; SWEEPS.len()],
    /// The same for accelerated sweeps.
    pub accelerated: [f64; SWEEPS.len()],
    /// E of the linearised embedding.
    pub linear: f64,
    /// The sum that the linearised embedding minimises, where it ends: all rotations are the identity.
    pub unrotated: f64,
    /// Clusters of the set.
    pub clusters: usize,
}

/// Random steps of so many, each with a random particle, by step.
fn states(beam: &Beam, steps: f64) -> Vec<(u64, usize)> {
    let mut random = Random::new([SEED, name_key("states"), 0, 0]);
    let state = |_| {
        let step = u64::from(1 + random.next_below(steps.round() as u32));
        (step, random.next_below(beam.x.len() as u32) as usize)
    };
    let mut states: Vec<(u64, usize)> = (0..STATES).map(state).collect();
    states.sort_unstable();
    states
}

/// What the body looks like in those of the states that are now.
fn look(body: &Body, states: &[(u64, usize)]) -> Vec<Quality> {
    let now = states.iter().filter(|(step, _)| *step == body.steps);
    now.filter_map(|&(_, seed)| quality(body, seed)).collect()
}

/// Looks at random particles in random states of the compressed flowing beam, by time.
pub fn compressed(beam: &Beam) -> Vec<Quality> {
    let run = compression(SCALE, FLOWING, Recluster::Embedded);
    let states = states(beam, (PRESSED + RELEASED) / run.params.dt);
    let mut found = Vec::new();
    run.run(beam, |body, _| found.extend(look(body, &states)));
    found
}

/// Looks at random particles in random states of the twisted beam, by time. The sooner clusters go, the more are made in matter that has
/// turned, and rest shapes turn against each other: what the linearised embedding has no answer to.
pub fn twisted(beam: &Beam, cond_max: f64) -> Vec<Quality> {
    let mut run = twist::twist(Recluster::Embedded);
    run.params.cond_max = cond_max;
    let states = states(beam, (TWISTED + FREE) / run.params.dt);
    let mut found = Vec::new();
    run.run(beam, |body, _| found.extend(look(body, &states)));
    found
}

/// Embeds the set around particle `seed` in both ways.
pub fn quality(body: &Body, seed: usize) -> Option<Quality> {
    let params = compression(SCALE, FLOWING, Recluster::Embedded).params;
    let set = LocalSet::around(body, seed);
    let pinned = set.particles.binary_search(&seed).ok()?;
    let swept = |sweeps| set.energy(&set.embed(&body.x, params.fit, sweeps, 0.0).e);
    let accelerated =
        |sweeps| set.energy(&set.embed_accelerated(&body.x, params.fit, sweeps, 0.0).e);
    let linear = set.embed_linear(pinned, body.x[seed]);
    Some(Quality {
        time: body.time,
        swept: SWEEPS.map(swept),
        accelerated: SWEEPS.map(accelerated),
        linear: set.energy(&linear),
        unrotated: set.unrotated_energy(&linear),
        clusters: set.clusters.len(),
    })
}
