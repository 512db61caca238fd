//! A box that lies askew is stretched and let go.

use super::engine;
use crate::reference::Fit;
use crate::reference::reclustering::experiments::spin;
use crate::reproduce::check::Solver::Reference;
use crate::reproduce::{Bench, LabError};

/// R9.
pub(super) fn rotations(bench: &mut Bench) -> Result<(), LabError> {
    let procrustes = spin::run(Fit::Procrustes);
    bench.at_most(
        Reference,
        "largest angular momentum by least-squares rotations, kg m²/s",
        procrustes.angular,
        1e-9,
    );
    let affine = spin::run(Fit::Affine);
    bench.check(
        Reference,
        "affine rotations: all positions are finite, largest angular momentum",
        format!("{}, {:.3} kg m²/s", affine.finite, affine.angular),
        "true",
        affine.finite && affine.angular.is_finite(),
    );
    engine::rotations(bench)
}
