//! `pliant scenes`: the built-in scenes.

use pliant_scene::builtin::SCENES;
use serde_json::json;

use crate::args::ScenesArgs;
use crate::failure::Failure;
use crate::print;

pub(crate) fn run(args: &ScenesArgs) -> Result<(), Failure> {
    if args.json {
        let list: Vec<serde_json::Value> = SCENES
            .iter()
            .map(|s| json!({ "name": s.name, "title": s.title, "figure": s.figure }))
            .collect();
        return print::line(serde_json::Value::from(list));
    }
    let width = |text: fn(&pliant_scene::builtin::Builtin) -> &str| {
        SCENES
            .iter()
            .map(|s| text(s).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (names, titles) = (width(|s| s.name), width(|s| s.title));
    for scene in &SCENES {
        print::line(format_args!(
            "{:names$}  {:titles$}  {}",
            scene.name, scene.title, scene.figure
        ))?;
    }
    Ok(())
}
