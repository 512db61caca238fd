//! What scene files can say but the engine cannot do yet.

use super::Site;
use crate::error::Error;
use crate::file::{Action, Body, Copies, Method, Recluster, Surface, Verb};

/// Refuses what is not supported yet, in the order of the file's chapters.
pub(super) fn check(site: &Site<'_>) -> Result<(), Error> {
    let scene = &site.loaded.scene;
    let copies = |body: &Body| body.copies.as_ref().map_or(1, Copies::total);
    let bodies = scene.body.iter().map(copies).fold(0, usize::saturating_add);
    if bodies > site.limits.bodies {
        let message = format!(
            "the scene has {bodies} bodies, the limit is {}",
            site.limits.bodies
        );
        return Err(site.limit("body", &message));
    }
    let missing = |path: &str, what: &str, expected: &str| {
        Err(site.error(
            path,
            &format!("{what} is not supported yet, expected {expected}"),
        ))
    };
    for (index, body) in scene.body.iter().enumerate() {
        if let Some((field, what, expected)) = unsupported_in_body(body) {
            return missing(&format!("body.{index}.{field}"), &what, expected);
        }
    }
    for (index, action) in scene.action.iter().enumerate() {
        if let Some(verb) = unsupported_verb(action) {
            let expected = "`cut`, `shoot`, `pull`, `turn`, `pin`, `impulse`, `wind` or `squeeze`";
            return missing(
                &format!("action.{index}.{verb}"),
                &format!("`{verb}`"),
                expected,
            );
        }
    }
    let chapters = [
        ("joint", scene.joint.is_empty()),
        ("attachment", scene.attachment.is_empty()),
        ("pattern", scene.pattern.is_empty()),
    ];
    for (chapter, is_empty) in chapters {
        if !is_empty {
            return missing(
                chapter,
                &format!("`{chapter}`"),
                "bodies, groups, colliders and actions only",
            );
        }
    }
    Ok(())
}

/// A field of a body that asks for too much: its name, what it asks for, and what there is instead.
fn unsupported_in_body(body: &Body) -> Option<(&'static str, String, &'static str)> {
    let method = body.method.unwrap_or_default();
    if !matches!(method, Method::Clusters | Method::Oriented) {
        let what = format!("the method `{}`", method.name());
        return Some(("method", what, "`clusters` or `oriented`"));
    }
    // The file's own check has refused the surfaces of other methods.
    let tracked =
        method == Method::Clusters && matches!(body.surface, None | Some(Surface::Tracked));
    let rest = [
        ("parts", !body.parts.is_empty(), "one `material`"),
        (
            "volume",
            body.volume == Some(true) && !tracked,
            "`surface = \"tracked\"`",
        ),
        (
            "merge_delay",
            body.merge_delay.is_some() && !tracked,
            "`surface = \"tracked\"`",
        ),
        (
            "merge",
            body.merge.is_some() && !tracked,
            "`surface = \"tracked\"`",
        ),
        (
            "merge",
            body.merge.is_some() && body.recluster == Some(Recluster::Off),
            "`recluster = \"world\"`",
        ),
    ];
    rest.into_iter()
        .find(|(_, is_given, _)| *is_given)
        .map(|(field, _, expected)| (field, format!("`{field}`"), expected))
}

fn unsupported_verb(action: &Action) -> Option<&'static str> {
    match action.verb()? {
        Verb::Fracture(_) => Some("fracture"),
        Verb::Drive(_) => Some("drive"),
        Verb::Steer(_) => Some("steer"),
        Verb::Cut(_)
        | Verb::Shoot(_)
        | Verb::Pull(_)
        | Verb::Turn(_)
        | Verb::Pin(_)
        | Verb::Impulse(_)
        | Verb::Tool(_)
        | Verb::Change(_)
        | Verb::Gravity(_)
        | Verb::Wind(_)
        | Verb::Squeeze(_) => None,
    }
}
