//! `[material.NAME]`: what bodies are made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Range};
use super::error::SceneError;
use super::structure::Tear;

/// `[material.NAME]`: what a body is made of. What is omitted comes from the material that it extends.
///
/// - With `base = "NAME"` that is the named material of the file, or else the preset of that name.
/// - Without a base, a material that is called like a preset extends that preset: `[material.clay]` changes clay.
/// - Any other material extends plain defaults, see [`MaterialValues::default`]; they have no yield, so a material
///   without `yield` is purely elastic.
///
/// A material may carry the fields of several methods; each method reads its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// The material that this one extends.
    pub base: Option<String>,
    /// Stiffness at the reference of 4 substeps and 4 iterations, 0 to 1.
    pub stiffness: Option<f32>,
    /// Strain at which plastic flow starts, in the unit of the method that reads it; purely elastic if nothing gives it.
    pub r#yield: Option<f32>,
    /// Plastic flow in 1/60 s, 0 to 1.
    pub flow: Option<f32>,
    /// Growth of the yield strain with plastic strain; below 0 (softening) only with `plasticity = "frobenius"`.
    pub hardening: Option<f32>,
    /// The law of plastic flow.
    pub plasticity: Option<Plasticity>,
    /// How strain is measured.
    pub strain: Option<Strain>,
    /// How a plastic step is bounded.
    pub clamp: Option<Clamp>,
    /// Condition number that the plastic deformation does not exceed, at least 1.
    pub plastic_limit: Option<f32>,
    /// Density (kg/m³).
    pub density: Option<f32>,
    /// Friction coefficient.
    pub friction: Option<f32>,
    /// Share of the speed that is left after a bounce, 0 to 1.
    pub restitution: Option<f32>,
    /// Plastic creep (1/s); oriented.
    pub creep: Option<f32>,
    /// The most plastic strain; oriented.
    pub max_strain: Option<f32>,
    /// Young's modulus (Pa); implicit.
    pub young: Option<f32>,
    /// Poisson's ratio, above -1 and below 0.5; implicit.
    pub poisson: Option<f32>,
    /// Stress at which plastic flow starts (Pa); implicit.
    pub yield_stress: Option<f32>,
    /// How the material gives way; visual.
    pub kind: Option<MaterialKind>,
    /// Thickness of walls (m); visual.
    pub thickness: Option<f32>,
    /// Impact speed above which it dents (m/s); visual.
    pub dent_speed: Option<f32>,
    /// Stretch at which it tears, above 1; visual.
    pub tear_stretch: Option<f32>,
    /// How it breaks: a `[pattern.NAME]`, or a kind of pattern with its defaults; visual.
    pub pattern: Option<String>,
    /// Which links between the polygons of the mesh itself may tear; none if nothing says so; visual.
    pub tear: Option<Tear>,
}

/// The law of plastic flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Plasticity {
    /// On logarithmic strain.
    #[default]
    Log,
    /// On the Frobenius norm of the deformation's difference from the identity.
    Frobenius,
}

/// How strain is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strain {
    /// By the stretch of the polar decomposition.
    #[default]
    Polar,
    /// By the formula printed in the paper.
    Choi,
}

/// How a plastic step is bounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Clamp {
    /// By a smaller exponent, which keeps the volume.
    #[default]
    Exponent,
    /// Each stretch by itself, as printed in the paper.
    Paper,
}

/// How a material of visual bodies gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MaterialKind {
    /// Not at all.
    Rigid,
    /// It bends and returns.
    Soft,
    /// It dents.
    Plastic,
    /// It shatters.
    Brittle,
    /// It dents, then tears.
    Ductile,
}

/// A material with every field that clusters read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaterialValues {
    /// Stiffness at the reference of 4 substeps and 4 iterations, 0 to 1.
    pub stiffness: f32,
    /// Strain at which plastic flow starts; `None` is purely elastic.
    pub r#yield: Option<f32>,
    /// Plastic flow in 1/60 s, 0 to 1.
    pub flow: f32,
    /// Growth of the yield strain with plastic strain.
    pub hardening: f32,
    /// The law of plastic flow.
    pub plasticity: Plasticity,
    /// How strain is measured.
    pub strain: Strain,
    /// How a plastic step is bounded.
    pub clamp: Clamp,
    /// Condition number that the plastic deformation does not exceed; `None` leaves it to the body.
    pub plastic_limit: Option<f32>,
    /// Density (kg/m³).
    pub density: f32,
    /// Friction coefficient.
    pub friction: f32,
    /// Share of the speed that is left after a bounce, 0 to 1.
    pub restitution: f32,
    /// Plastic creep of oriented bodies (1/s).
    pub creep: f32,
    /// The most plastic strain of oriented bodies.
    pub max_strain: f32,
}

impl Default for MaterialValues {
    /// The plain defaults: stiff, elastic, as heavy as water.
    fn default() -> Self {
        Self {
            stiffness: 0.9,
            r#yield: None,
            flow: 0.9,
            hardening: 0.0,
            plasticity: Plasticity::default(),
            strain: Strain::default(),
            clamp: Clamp::default(),
            plastic_limit: None,
            density: 1000.0,
            friction: 0.5,
            restitution: 0.0,
            creep: 10.0,
            max_strain: 0.5,
        }
    }
}

impl Material {
    /// This material with what it omits taken from `base`.
    #[must_use]
    pub fn extending(&self, base: &Self) -> Self {
        Self {
            base: None,
            stiffness: self.stiffness.or(base.stiffness),
            r#yield: self.r#yield.or(base.r#yield),
            flow: self.flow.or(base.flow),
            hardening: self.hardening.or(base.hardening),
            plasticity: self.plasticity.or(base.plasticity),
            strain: self.strain.or(base.strain),
            clamp: self.clamp.or(base.clamp),
            plastic_limit: self.plastic_limit.or(base.plastic_limit),
            density: self.density.or(base.density),
            friction: self.friction.or(base.friction),
            restitution: self.restitution.or(base.restitution),
            creep: self.creep.or(base.creep),
            max_strain: self.max_strain.or(base.max_strain),
            young: self.young.or(base.young),
            poisson: self.poisson.or(base.poisson),
            yield_stress: self.yield_stress.or(base.yield_stress),
            kind: self.kind.or(base.kind),
            thickness: self.thickness.or(base.thickness),
            dent_speed: self.dent_speed.or(base.dent_speed),
            tear_stretch: self.tear_stretch.or(base.tear_stretch),
            pattern: self.pattern.clone().or_else(|| base.pattern.clone()),
            tear: self.tear.clone().or_else(|| base.tear.clone()),
        }
    }

    /// The fields that clusters read, with plain defaults for what is omitted.
    pub fn values(&self) -> MaterialValues {
        let plain = MaterialValues::default();
        MaterialValues {
            stiffness: self.stiffness.unwrap_or(plain.stiffness),
            r#yield: self.r#yield,
            flow: self.flow.unwrap_or(plain.flow),
            hardening: self.hardening.unwrap_or(plain.hardening),
            plasticity: self.plasticity.unwrap_or(plain.plasticity),
            strain: self.strain.unwrap_or(plain.strain),
            clamp: self.clamp.unwrap_or(plain.clamp),
            plastic_limit: self.plastic_limit,
            density: self.density.unwrap_or(plain.density),
            friction: self.friction.unwrap_or(plain.friction),
            restitution: self.restitution.unwrap_or(plain.restitution),
            creep: self.creep.unwrap_or(plain.creep),
            max_strain: self.max_strain.unwrap_or(plain.max_strain),
        }
    }

    pub(super) fn check(&self, at: At<'_>) -> Result<(), SceneError> {
        at.number("stiffness", self.stiffness, Range::UNIT)?;
        at.number("yield", self.r#yield, Range::NOT_NEGATIVE)?;
        at.number("flow", self.flow, Range::UNIT)?;
        at.number("plastic_limit", self.plastic_limit, Range::AtLeast(1.0))?;
        at.number("density", self.density, Range::POSITIVE)?;
        at.number("friction", self.friction, Range::NOT_NEGATIVE)?;
        at.number("restitution", self.restitution, Range::UNIT)?;
        at.number("creep", self.creep, Range::NOT_NEGATIVE)?;
        at.number("max_strain", self.max_strain, Range::NOT_NEGATIVE)?;
        at.number("young", self.young, Range::POSITIVE)?;
        at.number("poisson", self.poisson, Range::Between(-1.0, 0.5))?;
        at.number("yield_stress", self.yield_stress, Range::NOT_NEGATIVE)?;
        at.number("thickness", self.thickness, Range::POSITIVE)?;
        at.number("dent_speed", self.dent_speed, Range::NOT_NEGATIVE)?;
        at.number("tear_stretch", self.tear_stretch, Range::Above(1.0))?;
        match &self.tear {
            Some(tear) => tear.check_of_mesh(at.field("tear")),
            None => Ok(()),
        }
    }

    /// Checks what depends on the fields of the materials below; `self` has all of them.
    pub(super) fn check_resolved(&self, at: At<'_>) -> Result<(), SceneError> {
        // Softening is part of the Frobenius law only; the exponential of the log law would yield below zero.
        if self.plasticity.unwrap_or_default() == Plasticity::Log {
            at.number("hardening", self.hardening, Range::NOT_NEGATIVE)?;
        }
        Ok(())
    }
}
