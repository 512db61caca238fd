//! The materials that every scene can use without writing them down.

use super::material::{Material, MaterialKind};

/// The names of the presets.
pub const PRESETS: [&str; 8] = [
    "clay", "dough", "taffy", "rubber", "jelly", "steel", "glass", "wood",
];

/// The preset of a name.
///
/// Values of clusters are those of the method's paper where it has such a material. Young's moduli are what a
/// simulation can afford, not what a table of materials says: steel is 2000 times softer than in reality. None gives
/// a `thickness`, because a sensible one follows from the size of the body.
pub fn preset(name: &str) -> Option<Material> {
    match name {
        "clay" => Some(clay()),
        "dough" => Some(dough()),
        "taffy" => Some(taffy()),
        "rubber" => Some(rubber()),
        "jelly" => Some(jelly()),
        "steel" => Some(steel()),
        "glass" => Some(glass()),
        "wood" => Some(wood()),
        _ => None,
    }
}

/// Holds any shape that it is pressed into.
fn clay() -> Material {
    Material {
        stiffness: Some(0.9),
        r#yield: Some(1e-4),
        flow: Some(0.9),
        density: Some(1000.0),
        friction: Some(0.5),
        young: Some(1e6),
        poisson: Some(0.3),
        yield_stress: Some(2e4),
        kind: Some(MaterialKind::Plastic),
        dent_speed: Some(0.5),
        ..common()
    }
}

/// Soft, springs back a little.
fn dough() -> Material {
    Material {
        stiffness: Some(0.1),
        r#yield: Some(0.1),
        flow: Some(0.9),
        density: Some(1000.0),
        friction: Some(0.6),
        young: Some(1e5),
        poisson: Some(0.4),
        yield_stress: Some(5e3),
        kind: Some(MaterialKind::Plastic),
        dent_speed: Some(0.2),
        ..common()
    }
}

/// Stiff at once, flows without end.
fn taffy() -> Material {
    Material {
        stiffness: Some(0.99),
        r#yield: Some(1e-4),
        flow: Some(0.99),
        density: Some(1200.0),
        friction: Some(0.6),
        young: Some(1e6),
        poisson: Some(0.4),
        yield_stress: Some(1e3),
        kind: Some(MaterialKind::Ductile),
        dent_speed: Some(0.2),
        tear_stretch: Some(4.0),
        ..common()
    }
}

/// Elastic and bouncy.
fn rubber() -> Material {
    Material {
        stiffness: Some(0.9),
        density: Some(1100.0),
        friction: Some(0.9),
        restitution: Some(0.5),
        young: Some(1e6),
        poisson: Some(0.45),
        kind: Some(MaterialKind::Soft),
        tear_stretch: Some(3.0),
        ..common()
    }
}

/// Elastic and wobbly.
fn jelly() -> Material {
    Material {
        stiffness: Some(0.1),
        density: Some(1000.0),
        friction: Some(0.3),
        young: Some(1e4),
        poisson: Some(0.45),
        kind: Some(MaterialKind::Soft),
        tear_stretch: Some(1.5),
        ..common()
    }
}

/// Dents, each dent harder than the last.
fn steel() -> Material {
    Material {
        stiffness: Some(0.99),
        r#yield: Some(0.02),
        flow: Some(0.5),
        hardening: Some(1.0),
        density: Some(7800.0),
        friction: Some(0.4),
        restitution: Some(0.2),
        young: Some(1e8),
        poisson: Some(0.29),
        yield_stress: Some(2e6),
        kind: Some(MaterialKind::Ductile),
        dent_speed: Some(2.0),
        tear_stretch: Some(1.2),
        ..common()
    }
}

/// Shatters into rays and rings.
fn glass() -> Material {
    Material {
        stiffness: Some(0.99),
        density: Some(2500.0),
        friction: Some(0.4),
        restitution: Some(0.2),
        young: Some(1e8),
        poisson: Some(0.22),
        kind: Some(MaterialKind::Brittle),
        pattern: Some("glass".to_owned()),
        ..common()
    }
}

/// Breaks into splinters.
fn wood() -> Material {
    Material {
        stiffness: Some(0.99),
        density: Some(700.0),
        friction: Some(0.5),
        restitution: Some(0.3),
        young: Some(5e7),
        poisson: Some(0.35),
        kind: Some(MaterialKind::Brittle),
        pattern: Some("splinters".to_owned()),
        ..common()
    }
}

/// What the presets have in common.
fn common() -> Material {
    Material {
        hardening: Some(0.0),
        restitution: Some(0.0),
        creep: Some(10.0),
        max_strain: Some(0.5),
        ..Material::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of names and the table of values agree.
    #[test]
    fn every_name_has_a_preset() {
        for name in PRESETS {
            assert!(preset(name).is_some(), "{name}");
        }
        assert_eq!(preset("custard"), None);
    }
}
