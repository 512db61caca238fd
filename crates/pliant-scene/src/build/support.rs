//! What scene files can say but the engine cannot do yet.

use super::Site;
use crate::error::Error;
use crate::file::{Body, Copies, Method, Recluster, Surface};

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
    Ok(())
}

/// A field of a body that asks for too much: its name, what it asks for, and what there is instead.
fn unsupported_in_body(body: &Body) -> Option<(&'static str, String, &'static str)> {
    let method = body.method.unwrap_or_default();
    if method == Method::Implicit {
        let what = format!("the method `{}`", method.name());
        return Some(("method", what, "`clusters`, `oriented` or `visual`"));
    }
    // The file's own check has refused the surfaces of other methods.
    let tracked =
        method == Method::Clusters && matches!(body.surface, None | Some(Surface::Tracked));
    let rest = [
        (
            "parts",
            !body.parts.is_empty() && method != Method::Visual,
            "one `material`, or the method `visual`",
        ),
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
