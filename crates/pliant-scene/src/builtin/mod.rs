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
}

/// All built-in scenes.
pub const SCENES: [Builtin; 4] = [
    Builtin {
        name: "drop",
        title: "a clay figure falls on the floor and slumps",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 2",
        text: include_str!("scenes/drop.toml"),
    },
    Builtin {
        name: "shot",
        title: "balls are shot at a clay figure and leave their dents",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 1",
        text: include_str!("scenes/shot.toml"),
    },
    Builtin {
        name: "flow",
        title: "four figures that flow more and more readily",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 2",
        text: include_str!("scenes/flow.toml"),
    },
    Builtin {
        name: "hardening",
        title: "four figures that harden more and more as they deform",
        figure: "Chentanez, Müller, Macklin 2016, Fig. 3",
        text: include_str!("scenes/hardening.toml"),
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
