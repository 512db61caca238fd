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
use workshop::Workshop;

/// The names of the models.
pub const NAMES: [&str; 5] = ["tree", "toy", "chain", "head", "truck"];

/// A vertex of this colour has the colour of its body.
pub(crate) const BODY_COLOR: [u8; 4] = [0; 4];

/// Makes the model of a name, around its origin. What is seen of it is about as fine as `detail` says: 1 is the finest, at a half edges are
/// twice as long.
pub fn make(name: &str, detail: f32) -> Option<OrientedDesc> {
    let shop = Workshop::new(detail);
    match name {
        "tree" => Some(tree::make(shop)),
        "toy" => Some(toy::make(shop)),
        "chain" => Some(chain::make(shop)),
        "head" => Some(head::make(shop)),
        "truck" => Some(truck::make(shop)),
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
            let desc = make(name, 1.0).unwrap();
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
            let coarse = make(name, 0.5).unwrap();
            assert_eq!(coarse.particles, desc.particles, "{name}");
            let triangles = (coarse.mesh.triangles.len(), desc.mesh.triangles.len());
            assert!(5 * triangles.0 < 3 * triangles.1, "{name}: {triangles:?}");
            World::default().add_oriented(coarse).unwrap();
            World::default().add_oriented(desc).unwrap();
        }
        assert!(make("boat", 1.0).is_none());
    }
}
