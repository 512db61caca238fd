//! The JSON schema in the repository is the one that the types generate.

use std::fs;
use std::path::Path;

use pliant_scene::file::schema;

/// `docs/scene.schema.json` is up to date; `PLIANT_UPDATE=1 cargo test -p pliant-scene --test scene_schema` writes it anew.
#[test]
fn schema_in_the_repository_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.schema.json");
    let generated = schema();
    if std::env::var_os("PLIANT_UPDATE").is_some() {
        fs::write(&path, &generated).expect("the schema can be written");
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    // Compared as values: the order of keys depends on features that other crates switch on.
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    assert!(parse(&generated).is_some(), "the schema is JSON");
    assert!(
        parse(&stored) == parse(&generated),
        "docs/scene.schema.json is out of date; run PLIANT_UPDATE=1 cargo test -p pliant-scene --test scene_schema"
    );
}
