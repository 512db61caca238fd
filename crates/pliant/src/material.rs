//! What a body is made of.

/// Which measure of strain decides about plastic flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlasticModel {
    /// Largest principal logarithmic strain [CMM16 §3.1].
    #[default]
    Log,
    /// Frobenius norm of the volume-free stretch minus identity [FJLSB17 Eqs. 10–14].
    Frobenius,
}

/// How the stretch of a group is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainMeasure {
    /// From the polar decomposition of F_e.
    #[default]
    Polar,
    /// Least-squares stretch for the rotation of A_pq [Choi 2014], the literal reading of [CMM16 Eq. 5]; for comparison.
    Choi,
}

/// How the plastic factor of one substep is bounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlasticClamp {
    /// The exponent is reduced until all factors lie in [0.8, 1.2]: the determinant stays one.
    #[default]
    Exponent,
    /// Each factor is clamped to [0.8, 1.2] by itself, the paper's wording; for comparison.
    Paper,
}

/// Material of a body.
///
/// `..Material::default()` is clay. Stiffness and flow refer to a reference step (four substeps of four iterations at 60
/// frames a second), so that a finer step behaves the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// K: how much of the way to its goal a particle goes in one iteration of the reference step, 0 to 1.
    pub stiffness: f32,
    /// ε_Y: strain above which the body flows; infinite for an elastic body.
    pub plastic_yield: f32,
    /// ν: share of the excess strain that flows in 1/60 s, 0 to 1.
    pub plastic_flow: f32,
    /// κ: how fast the yield grows with strain (1/s).
    pub hardening: f32,
    /// Strain measure and flow rule.
    pub plastic_model: PlasticModel,
    /// Where the stretch comes from.
    pub strain: StrainMeasure,
    /// Bound of one substep's flow.
    pub clamp: PlasticClamp,
    /// Largest condition number of F_P; flow stops there. Infinite = no limit. `None`: no limit where groups are replaced as they
    /// flow, else [`PLASTIC_LIMIT`].
    pub plastic_limit: Option<f32>,
    /// Share of the excess that flows in a second where particles have rotations (1/s); they have no ν.
    pub creep: f32,
    /// How far such a particle's rest position may flow, in sizes of its group.
    pub max_strain: f32,
    /// Density (kg/m³).
    pub density: f32,
    /// Static friction coefficient; kinetic friction is [`KINETIC_SHARE`] of it.
    pub friction: f32,
    /// Share of the normal speed that an impact gives back, 0 to 1.
    pub restitution: f32,
}

/// Kinetic friction as a share of static friction (0.4 to 0.5).
pub const KINETIC_SHARE: f32 = 0.8;

/// Largest condition number of F_P of groups that are never replaced: beyond it they would turn inside out.
pub const PLASTIC_LIMIT: f32 = 4.0;

impl Default for Material {
    fn default() -> Self {
        Self {
            stiffness: 0.9,
            plastic_yield: 1e-4,
            plastic_flow: 0.9,
            hardening: 0.0,
            plastic_model: PlasticModel::Log,
            strain: StrainMeasure::Polar,
            clamp: PlasticClamp::Exponent,
            plastic_limit: None,
            creep: 10.0,
            max_strain: 0.5,
            density: 1000.0,
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

impl Material {
    /// An elastic material of the given stiffness.
    pub fn elastic(stiffness: f32) -> Self {
        Self {
            stiffness,
            plastic_yield: f32::INFINITY,
            ..Self::default()
        }
    }

    /// The first field that has no meaning, with what was expected; `None` when all is well.
    pub fn complaint(&self) -> Option<&'static str> {
        let unit = |x: f32| (0.0..=1.0).contains(&x);
        let checks = [
            (unit(self.stiffness), "stiffness must lie in [0, 1]"),
            (self.plastic_yield >= 0.0, "yield must be at least 0"),
            (unit(self.plastic_flow), "flow must lie in [0, 1]"),
            (self.hardening.is_finite(), "hardening must be finite"),
            (
                self.plastic_limit.is_none_or(|limit| limit >= 1.0),
                "plastic_limit must be at least 1",
            ),
            (
                self.creep >= 0.0 && self.creep.is_finite(),
                "creep must be at least 0",
            ),
            (
                self.max_strain >= 0.0 && self.max_strain.is_finite(),
                "max_strain must be at least 0",
            ),
            (
                self.density > 0.0 && self.density.is_finite(),
                "density must be above 0",
            ),
            (
                self.friction >= 0.0 && self.friction.is_finite(),
                "friction must be at least 0",
            ),
            (unit(self.restitution), "restitution must lie in [0, 1]"),
        ];
        checks.iter().find(|(ok, _)| !ok).map(|(_, text)| *text)
    }
}
