//! One row of a benchmark: what was measured, how, and what others reach.

use pliant::World;
use pliant_scene::{BuildOptions, Limits, build, load};
use serde::Serialize;
use std::collections::BTreeMap;

/// Milliseconds by stage name.
pub(super) type Millis = BTreeMap<String, f64>;

/// What somebody else measured for the same work.
#[derive(Clone, Debug, Serialize)]
pub struct Reference {
    /// Who and on what.
    pub what: String,
    /// Their milliseconds.
    pub ms: Millis,
}

/// A measured row.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the bench.
    pub bench: String,
    /// Name of the row.
    pub row: String,
    /// Threads used.
    pub threads: usize,
    /// Medians.
    pub ms: Millis,
    /// Minima.
    pub ms_min: Millis,
    /// 95th percentiles.
    pub ms_p95: Millis,
    /// Means, where the reference is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms_mean: Option<Millis>,
    /// Sizes of the workload.
    pub counts: BTreeMap<String, f64>,
    /// Settings that matter.
    pub settings: BTreeMap<String, serde_json::Value>,
    /// What others reach, if known.
    pub reference: Option<Reference>,
}

/// The world of a built-in scene with some changes, timed by `clock` and never asleep.
pub(super) fn start(
    scene: &str,
    overrides: &[&str],
    clock: fn() -> f64,
) -> Result<World, pliant_scene::Error> {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let loaded = load(scene, &overrides, &Limits::default())?;
    let mut world = build(&loaded, &BuildOptions::default())?.world;
    world.settings_mut().clock = Some(clock);
    world.settings_mut().sleep_speed = 0.0;
    Ok(world)
}

/// Repeated measurements of named stages.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    by_name: BTreeMap<String, Vec<f64>>,
}

impl Samples {
    /// Adds one measurement (ms).
    pub fn add(&mut self, name: &str, ms: f64) {
        self.by_name.entry(name.to_owned()).or_default().push(ms);
    }

    /// A row of these times: medians, minima and 95th percentiles on the current thread pool, and nothing besides.
    pub(super) fn row(&self, bench: &str, row: &str) -> Row {
        Row {
            bench: bench.to_owned(),
            row: row.to_owned(),
            threads: rayon::current_num_threads(),
            ms: self.quantile(0.5),
            ms_min: self.quantile(0.0),
            ms_p95: self.quantile(0.95),
            ms_mean: None,
            counts: BTreeMap::new(),
            settings: BTreeMap::new(),
            reference: None,
        }
    }

    /// The mean of every stage.
    pub fn mean(&self) -> Millis {
        let mean = |samples: &[f64]| samples.iter().sum::<f64>() / samples.len() as f64;
        let all = self.by_name.iter();
        all.map(|(name, samples)| (name.clone(), mean(samples)))
            .collect()
    }

    /// The given quantile (0 = minimum, 0.5 = median) of every stage.
    pub fn quantile(&self, q: f64) -> Millis {
        self.by_name
            .iter()
            .map(|(name, samples)| {
                let mut sorted = samples.clone();
                sorted.sort_by(f64::total_cmp);
                let at = ((sorted.len() - 1) as f64 * q).round() as usize;
                (name.clone(), sorted[at])
            })
            .collect()
    }
}
