//! Oriented bodies that come with Pliant, by name.
//!
//! Each is made of particles one by one, as a tool for such models would: ropes, sheets, rigid parts and joints in one body.

mod chain;
mod head;
mod toy;
mod tree;
mod truck;
mod workshop;

use pliant::OrientedDesc;

/// The names of the models.
pub const NAMES: [&str; 5] = ["tree", "toy", "chain", "head", "truck"];

/// A vertex of this colour has the colour of its body.
pub(crate) const BODY_COLOR: [u8; 4] = [0; 4];

/// Makes the model of a name, around its origin.
pub fn make(name: &str) -> Option<OrientedDesc> {
    match name {
        "tree" => Some(tree::make()),
        "toy" => Some(toy::make()),
        "chain" => Some(chain::make()),
        "head" => Some(head::make()),
        "truck" => Some(truck::make()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::World;

    /// Every model is sound, has about as many particles and triangles as the paper's, and every vertex has a home that turns.
    #[test]
    fn models_are_sound() {
        let sizes = [
            ("tree", 3_000, 90_000),
            ("toy", 20, 2_400),
            ("chain", 1_201, 150_000),
            ("head", 1_000, 100_000),
            ("truck", 300, 100_000),
        ];
        for (name, particles, triangles) in sizes {
            let desc = make(name).unwrap();
            let near = |found: usize, wanted: usize| found.abs_diff(wanted) * 8 <= wanted;
            let found = (desc.particles.len(), desc.mesh.triangles.len());
            assert!(
                near(found.0, particles) && near(found.1, triangles),
                "{name}: {found:?}"
            );
            assert_eq!(desc.home.len(), desc.mesh.positions.len(), "{name}");
            assert_eq!(desc.mesh.colors.len(), desc.mesh.positions.len(), "{name}");
            assert!(
                desc.home.iter().all(|&i| desc.particles[i as usize].turns),
                "{name}"
            );
            World::default().add_oriented(desc).unwrap();
        }
        assert!(make("boat").is_none());
    }
}
