//! The keys, in one list: what the help shows is what they do.

use eframe::egui::{Key, Modifiers};

use super::hand::Tool;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Goes on or pauses.
    Play,
    /// Makes one step.
    Step,
    /// Back to the beginning.
    Reset,
    /// Twice as slow.
    Slower,
    /// Twice as fast.
    Faster,
    /// A tool.
    Tool(Tool),
    /// Lets all pins go.
    Unpin,
    /// Shows or hides the surface.
    Surface,
    /// Shows or hides particles.
    Particles,
    /// Shows or hides clusters.
    Clusters,
    /// Shows or hides ellipsoids.
    Ellipsoids,
    /// Shows or hides edges.
    Wireframe,
    /// Shows convex primitives in outline or as solids.
    Primitives,
    /// Shows or hides contacts.
    Contacts,
    /// The next heat map, or none.
    Heat,
    /// Frames the scene.
    Home,
    /// Saves the scene with what was done.
    Save,
    /// Saves a picture.
    Picture,
    /// Begins or ends a film.
    Film,
    /// Writes the mesh.
    Mesh,
    /// Shows or hides the controls.
    Panel,
    /// Shows or hides the graphs.
    Graphs,
    /// Shows or hides this list.
    Help,
    /// Hides what lies over the view.
    Escape,
    /// Closes the window.
    Quit,
}

/// A key, what it asks for, and how the help says it.
pub(super) struct Binding {
    pub(super) key: Key,
    pub(super) modifiers: Modifiers,
    pub(super) wish: Wish,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
}

const fn plain(key: Key, wish: Wish, label: &'static str, help: &'static str) -> Binding {
    Binding {
        key,
        modifiers: Modifiers::NONE,
        wish,
        label,
        help,
    }
}

/// All keys.
pub(super) const BINDINGS: [Binding; 31] = [
    plain(Key::Space, Wish::Play, "Space", "play or pause"),
    plain(Key::Period, Wish::Step, ".", "one step"),
    plain(
        Key::Backspace,
        Wish::Reset,
        "Backspace",
        "back to the beginning",
    ),
    plain(Key::Comma, Wish::Slower, ",", "half as fast"),
    plain(Key::Slash, Wish::Faster, "/", "twice as fast"),
    plain(Key::Num1, Wish::Tool(Tool::Grab), "1", "grab and pull"),
    plain(Key::Num2, Wish::Tool(Tool::Shoot), "2", "shoot"),
    plain(Key::Num3, Wish::Tool(Tool::Cut), "3", "cut"),
    plain(Key::Num4, Wish::Tool(Tool::Pin), "4", "pin"),
    plain(Key::Num5, Wish::Tool(Tool::Roller), "5", "roller"),
    plain(Key::Num6, Wish::Tool(Tool::Hands), "6", "hands"),
    plain(Key::U, Wish::Unpin, "U", "let all pins go"),
    plain(Key::S, Wish::Surface, "S", "surface"),
    plain(Key::P, Wish::Particles, "P", "particles"),
    plain(Key::C, Wish::Clusters, "C", "clusters"),
    plain(Key::E, Wish::Ellipsoids, "E", "ellipsoids of strain"),
    plain(Key::W, Wish::Wireframe, "W", "wireframe"),
    plain(
        Key::V,
        Wish::Primitives,
        "V",
        "convex primitives in outline",
    ),
    plain(Key::K, Wish::Contacts, "K", "contacts"),
    plain(
        Key::T,
        Wish::Heat,
        "T",
        "heat map: strain, plastic strain, none",
    ),
    plain(Key::Home, Wish::Home, "Home", "frame the scene"),
    Binding {
        key: Key::S,
        modifiers: Modifiers::COMMAND,
        wish: Wish::Save,
        label: "Ctrl S",
        help: "save the scene with all that was done",
    },
    Binding {
        key: Key::Q,
        modifiers: Modifiers::COMMAND,
        wish: Wish::Quit,
        label: "Ctrl Q",
        help: "close the window",
    },
    plain(Key::F12, Wish::Picture, "F12", "save a picture"),
    plain(Key::F9, Wish::Film, "F9", "begin or end a film"),
    plain(Key::M, Wish::Mesh, "M", "write the mesh"),
    plain(Key::Tab, Wish::Panel, "Tab", "controls"),
    plain(Key::G, Wish::Graphs, "G", "graphs"),
    plain(Key::F1, Wish::Help, "F1", "this help"),
    plain(Key::H, Wish::Help, "H", "this help"),
    plain(Key::Escape, Wish::Escape, "Esc", "close this help"),
];

/// What the mouse does, for the help.
pub(super) const MOUSE: [(&str, &str); 6] = [
    ("left", "the tool; beside the body it turns the view"),
    ("right drag", "turn the view"),
    ("middle drag", "move the view aside; also Shift with right"),
    ("wheel", "nearer or farther"),
    ("drop a file", "a mesh or a scene to play with"),
    ("double click on a slider", "type a number"),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// No key asks for two things.
    #[test]
    fn keys_are_unambiguous() {
        for (i, a) in BINDINGS.iter().enumerate() {
            for b in &BINDINGS[i + 1..] {
                assert!((a.key, a.modifiers) != (b.key, b.modifiers), "{}", a.label);
            }
        }
    }
}
