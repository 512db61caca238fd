//! From the materials of scene files to those of the engine.

use pliant::Material;
use pliant::material::{PlasticClamp, PlasticModel, StrainMeasure};

use crate::file::{Clamp, MaterialValues, Plasticity, Strain};

/// The engine's material.
pub(super) fn convert(values: &MaterialValues) -> Material {
    Material {
        stiffness: values.stiffness,
        plastic_yield: values.r#yield.unwrap_or(f32::INFINITY),
        plastic_flow: values.flow,
        hardening: values.hardening,
        plastic_model: match values.plasticity {
            Plasticity::Log => PlasticModel::Log,
            Plasticity::Frobenius => PlasticModel::Frobenius,
        },
        strain: match values.strain {
            Strain::Polar => StrainMeasure::Polar,
            Strain::Choi => StrainMeasure::Choi,
        },
        clamp: match values.clamp {
            Clamp::Exponent => PlasticClamp::Exponent,
            Clamp::Paper => PlasticClamp::Paper,
        },
        plastic_limit: values.plastic_limit,
        density: values.density,
        friction: values.friction,
        restitution: values.restitution,
        creep: values.creep,
        max_strain: values.max_strain,
    }
}
