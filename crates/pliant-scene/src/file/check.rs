//! A cursor over the document for the checks of the typed scene, and the checks that many fields share.

use std::fmt::Display;

use super::document::{Document, Node, Spot, Value};
use super::error::{SceneError, one_line, shortened};

/// A place in the document that a check is looking at.
///
/// The typed scene and the tree below the cursor have the same structure, so a check walks both side by side.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'d> {
    document: &'d Document,
    node: &'d Node,
}

impl<'d> At<'d> {
    pub(super) fn root(document: &'d Document) -> Self {
        Self {
            document,
            node: &document.root,
        }
    }

    /// The entry of a table, or the table itself if the entry is not written.
    pub(super) fn field(self, name: &str) -> Self {
        match &self.node.value {
            Value::Table(table) => self.moved(table.get(name)),
            _ => self,
        }
    }

    /// The element of a list.
    pub(super) fn element(self, index: usize) -> Self {
        match &self.node.value {
            Value::List(list) => self.moved(list.get(index)),
            _ => self,
        }
    }

    fn moved(self, node: Option<&'d Node>) -> Self {
        Self {
            node: node.unwrap_or(self.node),
            ..self
        }
    }

    /// Whether the value was typed on the command line.
    pub(super) fn is_override(self) -> bool {
        matches!(self.node.spot, Spot::Override(_))
    }

    /// An error about the value.
    pub(super) fn error(self, message: impl Display) -> SceneError {
        self.error_at_spot(self.node.spot, &message.to_string())
    }

    /// An error about the name of the field rather than its value.
    pub(super) fn key_error(self, message: impl Display) -> SceneError {
        self.error_at_spot(self.node.key, &message.to_string())
    }

    fn error_at_spot(self, spot: Spot, message: &str) -> SceneError {
        SceneError::Invalid {
            place: self.document.place(spot),
            message: one_line(message),
        }
    }

    /// Refuses a number that does not lie in the range.
    pub(super) fn number(
        self,
        name: &str,
        value: impl Into<Option<f32>>,
        range: Range,
    ) -> Result<(), SceneError> {
        match value.into() {
            Some(value) if !range.contains(value) => Err(self.field(name).error(format_args!(
                "`{name}` is {value}, expected a number {}",
                range.words()
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses a count that does not lie between `least` and `most`.
    pub(super) fn count(
        self,
        name: &str,
        value: impl Into<Option<u32>>,
        least: u32,
        most: u32,
    ) -> Result<(), SceneError> {
        match value.into() {
            Some(value) if !(least..=most).contains(&value) => Err(self.field(name).error(
                format_args!("`{name}` is {value}, expected a whole number from {least} to {most}"),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a vector of sizes with one that is not above zero.
    pub(super) fn sizes(
        self,
        name: &str,
        value: impl Into<Option<[f32; 3]>>,
    ) -> Result<(), SceneError> {
        let Some(value) = value.into() else {
            return Ok(());
        };
        let at = self.field(name);
        for (index, size) in value.into_iter().enumerate() {
            if size <= 0.0 {
                return Err(at.element(index).error(format_args!(
                    "`{name}.{index}` is {size}, expected a number above 0"
                )));
            }
        }
        Ok(())
    }

    /// Refuses a direction of length zero.
    pub(super) fn direction(self, name: &str, value: [f32; 3]) -> Result<(), SceneError> {
        if value == [0.0; 3] {
            return Err(self
                .field(name)
                .error(format_args!("`{name}` is [0, 0, 0], expected a direction")));
        }
        Ok(())
    }

    /// Refuses an end that does not lie after its start.
    pub(super) fn until(self, start: f32, until: impl Into<Option<f32>>) -> Result<(), SceneError> {
        match until.into() {
            Some(end) if end <= start => Err(self.field("until").error(format_args!(
                "`until` is {end}, expected a time after the action's start at {start}"
            ))),
            _ => Ok(()),
        }
    }

    /// Refuses an empty name.
    pub(super) fn name(self, name: &str, value: Option<&str>) -> Result<(), SceneError> {
        match value {
            Some("") => Err(self
                .field(name)
                .error(format_args!("`{name}` is empty, expected a name"))),
            _ => Ok(()),
        }
    }

    /// Refuses a path that leaves the folder of the scene file.
    ///
    /// A scene may come from a stranger; a path typed on the command line may lie anywhere. Symbolic links are
    /// for whoever opens the file.
    pub(super) fn path(self, name: &str, value: Option<&str>) -> Result<(), SceneError> {
        let at = self.field(name);
        let Some(path) = value else { return Ok(()) };
        let shown = one_line(&shortened(path));
        if path.is_empty() || path.contains('\0') {
            return Err(at.error(format_args!(
                "`{name}` is \"{shown}\", expected the path of a file"
            )));
        }
        if !at.is_override() && leaves_folder(path) {
            return Err(at.error(format_args!(
                "the path \"{shown}\" leaves the folder of the scene, expected a file in it or below"
            )));
        }
        Ok(())
    }
}

/// Whether a path could lead out of the folder it starts in, on any system.
fn leaves_folder(path: &str) -> bool {
    path.starts_with(['/', '\\'])
        || path.split(['/', '\\']).any(|part| part == "..")
        // Drive letters and addresses: `C:x.ply`, `file:x.ply`.
        || path.contains(':')
}

/// A range of allowed numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Range {
    /// x > bound.
    Above(f32),
    /// x ≥ bound.
    AtLeast(f32),
    /// Between two bounds, both allowed.
    Within(f32, f32),
    /// Between two bounds, both excluded.
    Between(f32, f32),
}

impl Range {
    /// x > 0.
    pub(super) const POSITIVE: Self = Self::Above(0.0);
    /// x ≥ 0.
    pub(super) const NOT_NEGATIVE: Self = Self::AtLeast(0.0);
    /// A share, 0 to 1.
    pub(super) const UNIT: Self = Self::Within(0.0, 1.0);

    fn contains(self, value: f32) -> bool {
        match self {
            Self::Above(bound) => value > bound,
            Self::AtLeast(bound) => value >= bound,
            Self::Within(least, most) => (least..=most).contains(&value),
            Self::Between(low, high) => value > low && value < high,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Above(bound) => format!("above {bound}"),
            Self::AtLeast(bound) => format!("of at least {bound}"),
            Self::Within(least, most) => format!("from {least} to {most}"),
            Self::Between(low, high) => format!("between {low} and {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::leaves_folder;

    /// Files in the folder or below are fine, everything that could climb out is not.
    #[test]
    fn folders() {
        for inside in ["a.ply", "meshes/a.ply", "./a.ply", "a..b/c...ply"] {
            assert!(!leaves_folder(inside), "{inside}");
        }
        for outside in [
            "/etc/x",
            "../a",
            "a/../../b",
            "a\\..\\b",
            "\\\\host\\x",
            "C:x",
            "file:x",
        ] {
            assert!(leaves_folder(outside), "{outside}");
        }
    }
}
