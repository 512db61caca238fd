//! One line of a report.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Which solver was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// The engine, f32.
    Engine,
    /// The plain f64 reference.
    Reference,
}

/// What was measured against what is expected.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Qualified id of the experiment.
    pub id: String,
    /// Which solver.
    pub solver: Solver,
    /// What is measured.
    pub what: String,
    /// The value.
    pub measured: String,
    /// What it should be.
    pub expected: String,
    /// Whether it is.
    pub pass: bool,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.pass { "PASS" } else { "FAIL" };
        let solver = match self.solver {
            Solver::Engine => "",
            Solver::Reference => " [f64 reference]",
        };
        write!(
            f,
            "{verdict} {}{solver} {}: {} ({})",
            self.id, self.what, self.measured, self.expected
        )
    }
}
