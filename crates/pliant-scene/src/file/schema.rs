//! The JSON schema of scene files, for editors.

use schemars::schema_for;

use super::SceneFile;

/// The JSON schema of the format, as pretty-printed JSON.
///
/// It says what editors can use: names, types, alternatives and what each field means. Ranges and references between
/// fields are checked by [`parse_scene`](super::parse_scene) only.
pub fn schema() -> String {
    let mut text = format!("{:#}", schema_for!(SceneFile).as_value());
    text.push('\n');
    text
}
