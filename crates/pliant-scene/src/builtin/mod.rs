//! Scenes that come with Pliant, by name.
//!
//! Each stands for a figure of a paper. They are ordinary scene files that need no other file.

/// A built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name by which it is called.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The figure that it stands for.
    pub figure: &'static str,
    /// The scene file.
    pub text: &'static str,
    /// Other files that it names, with their texts.
    pub files: &'static [(&'static str, &'static str)],
}

/// All built-in scenes.
pub const SCENES: [Builtin; 29] = [
    Builtin {
        name: "drop",
        title: "a clay figure falls on the floor and slumps",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 2",
        text: include_str!("scenes/drop.toml"),
        files: &[],
    },
    Builtin {
        name: "shot",
        title: "balls are shot at a clay figure and leave their dents",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 1",
        text: include_str!("scenes/shot.toml"),
        files: &[],
    },
    Builtin {
        name: "flow",
        title: "eight figures that flow more and more readily",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 2",
        text: include_str!("scenes/flow.toml"),
        files: &[],
    },
    Builtin {
        name: "hardening",
        title: "four figures that harden more and more as they deform",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 3",
        text: include_str!("scenes/hardening.toml"),
        files: &[],
    },
    Builtin {
        name: "bunny",
        title: "a bunny is pulled by its ears, let go and shot at",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 4",
        text: include_str!("scenes/bunny.toml"),
        files: &[],
    },
    Builtin {
        name: "cow",
        title: "a cow is crushed between moving bars until it splits",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 5",
        text: include_str!("scenes/cow.toml"),
        files: &[],
    },
    Builtin {
        name: "taffy",
        title: "a taffy puller with three rods folds a strand and draws it out",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 6",
        text: include_str!("scenes/taffy.toml"),
        files: &[],
    },
    Builtin {
        name: "dough",
        title: "dough is squeezed, rolled out, folded over and cut",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 7",
        text: include_str!("scenes/dough.toml"),
        files: &[],
    },
    Builtin {
        name: "hands",
        title: "two hands knead a dough",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 8",
        text: include_str!("scenes/hands.toml"),
        files: &[("hands.txt", include_str!("scenes/hands.txt"))],
    },
    Builtin {
        name: "beam",
        title: "a beam that keeps every dent is squeezed along its length and let go",
        figure: "Falkenstein, Jones, Levine, Shinar, Bargteil 2017, Fig. 2 left",
        text: include_str!("scenes/beam.toml"),
        files: &[],
    },
    Builtin {
        name: "beam-elastic",
        title: "a beam that gives back part of its change of shape is squeezed along its length and let go",
        figure: "Falkenstein, Jones, Levine, Shinar, Bargteil 2017, Fig. 2 right",
        text: include_str!("scenes/beam-elastic.toml"),
        files: &[],
    },
    Builtin {
        name: "twist",
        title: "the ends of a beam are turned against each other and let go",
        figure: "Falkenstein, Jones, Levine, Shinar, Bargteil 2017, Fig. 4",
        text: include_str!("scenes/twist.toml"),
        files: &[],
    },
    Builtin {
        name: "bars",
        title: "ten bars, held at one end, sag the more the more clusters they have",
        figure: "Falkenstein, Jones, Levine, Shinar, Bargteil 2017, Fig. 3",
        text: include_str!("scenes/bars.toml"),
        files: &[],
    },
    Builtin {
        name: "octopus",
        title: "an octopus of 900 ellipsoids falls over two bars and comes to rest",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/octopus.toml"),
        files: &[],
    },
    Builtin {
        name: "pancreas",
        title: "a pancreas is lifted by its tail, shaken and let go",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/pancreas.toml"),
        files: &[],
    },
    Builtin {
        name: "tree",
        title: "a tree of 3,000 particles bends in the wind",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/tree.toml"),
        files: &[],
    },
    Builtin {
        name: "toys",
        title: "a hundred jointed toys are poured into a heap",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/toys.toml"),
        files: &[],
    },
    Builtin {
        name: "chain",
        title: "a chain of 600 links falls over a ball and hangs from its first link",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/chain.toml"),
        files: &[],
    },
    Builtin {
        name: "cloth-hair",
        title: "a bust shakes its hair and its cape",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/cloth-hair.toml"),
        files: &[],
    },
    Builtin {
        name: "trucks",
        title: "ten monster trucks race down a ramp and crash into pillars and each other",
        figure: "Müller, Chentanez 2011",
        text: include_str!("scenes/trucks.toml"),
        files: &[],
    },
    Builtin {
        name: "car",
        title: "a car is shot at, loses its windows, and runs into a post",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 1",
        text: include_str!("scenes/car.toml"),
        files: &[],
    },
    Builtin {
        name: "door",
        title: "heavy balls are thrown at a double door of metal, which dents, tears and gives way",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 10",
        text: include_str!("scenes/door.toml"),
        files: &[],
    },
    Builtin {
        name: "curtain",
        title: "a curtain hangs from six rings and is parted by a ball that moves",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 5",
        text: include_str!("scenes/curtain.toml"),
        files: &[],
    },
    Builtin {
        name: "monster-truck",
        title: "a monster truck drives over humps, and shots burst its tyres",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 11",
        text: include_str!("scenes/monster-truck.toml"),
        files: &[],
    },
    Builtin {
        name: "bridge",
        title: "a monster truck drives over a bridge of ropes and planks, and a shot bursts one of its tyres",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 11",
        text: include_str!("scenes/bridge.toml"),
        files: &[],
    },
    Builtin {
        name: "wall",
        title: "balls break the panes of a window and the bricks around it",
        figure: "Müller, Chentanez, Macklin 2016, Fig. 7",
        text: include_str!("scenes/wall.toml"),
        files: &[],
    },
    Builtin {
        name: "break",
        title: "a ball is thrown at a figure of glass, which shatters",
        figure: "Pliant",
        text: include_str!("scenes/break.toml"),
        files: &[],
    },
    Builtin {
        name: "two-doughs",
        title: "two doughs are kneaded into one",
        figure: "Pliant",
        text: include_str!("scenes/two-doughs.toml"),
        files: &[],
    },
    Builtin {
        name: "press",
        title: "a letter press stamps a letter into clay",
        figure: "Pliant",
        text: include_str!("scenes/press.toml"),
        files: &[],
    },
];

/// The scene of a name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    SCENES.iter().find(|scene| scene.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::parse_scene;

    /// Names are unique and every scene is a sound file of its title.
    #[test]
    fn scenes_are_sound() {
        for (index, scene) in SCENES.iter().enumerate() {
            assert!(SCENES[..index].iter().all(|other| other.name != scene.name));
            let parsed = parse_scene(scene.text, scene.name, &[]).unwrap();
            assert_eq!(parsed.title.as_deref(), Some(scene.title));
        }
    }
}
