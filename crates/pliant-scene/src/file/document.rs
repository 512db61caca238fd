//! A scene file as a tree of values that remember where they were written.
//!
//! The tree stands between the TOML parser and the typed scene: overrides change it, the reader turns it
//! into types, and the checks look up the place of whatever they refuse.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::check::At;
use super::error::{Place, SceneError, one_line, shortened};
use super::reader;
use super::{ModelFile, SceneFile};

/// A parsed scene file, before its fields have been given types.
///
/// [`parse_scene`](super::parse_scene) is the short way; whoever has more to say about a field later on (its mesh
/// file is missing, say) keeps the document and asks it for the place.
#[derive(Debug, Clone)]
pub struct Document {
    origin: String,
    text: String,
    pub(super) root: Node,
    pub(super) overrides: Vec<String>,
}

/// A value and the places of its key and of itself.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) spot: Spot,
    pub(super) key: Spot,
}

/// Where something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Spot {
    /// Bytes into the file.
    Text(usize),
    /// The index of an override.
    Override(usize),
}

/// What TOML can say.
#[derive(Debug, Clone)]
pub(super) enum Value {
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// No field is a date, so its value does not matter.
    Date,
    List(Vec<Node>),
    Table(BTreeMap<String, Node>),
}

impl Document {
    /// Reads TOML text. `origin` is the name of the file that messages show.
    ///
    /// Numbers are checked here, once for every field: each one is finite, also as `f32`.
    pub fn parse(text: &str, origin: &str) -> Result<Self, SceneError> {
        let place = |offset| Place::in_text(origin, text, offset);
        // The parser recovers and goes on; the mistake that comes first in the text is the one to show.
        let (table, errors) = DeTable::parse_recoverable(text);
        let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        if let Some(error) = errors.iter().min_by_key(|error| start(error)) {
            return Err(SceneError::Syntax {
                place: place(start(error)),
                message: syntax_message(error.message()),
            });
        }
        let root = Node {
            value: convert_table(table.into_inner(), &Spot::Text).map_err(|(spot, message)| {
                let place = place(match spot {
                    Spot::Text(offset) => offset,
                    Spot::Override(_) => 0,
                });
                SceneError::Invalid { place, message }
            })?,
            spot: Spot::Text(0),
            key: Spot::Text(0),
        };
        Ok(Self {
            origin: origin.to_owned(),
            text: text.to_owned(),
            root,
            overrides: Vec::new(),
        })
    }

    /// The typed and checked scene.
    pub fn scene(&self) -> Result<SceneFile, SceneError> {
        let scene: SceneFile = self.read()?;
        scene.check(At::root(self))?;
        Ok(scene)
    }

    /// The typed and checked model of oriented particles.
    pub fn model(&self) -> Result<ModelFile, SceneError> {
        let model: ModelFile = self.read()?;
        model.check(At::root(self))?;
        Ok(model)
    }

    fn read<'n, T: serde::Deserialize<'n>>(&'n self) -> Result<T, SceneError> {
        reader::read(&self.root).map_err(|error| SceneError::Field {
            place: self.place(error.spot().unwrap_or(self.root.spot)),
            message: error.message(),
        })
    }

    /// The place of the value at a dotted path such as `body.0.mesh`.
    ///
    /// A path that is not in the file gets the place of its nearest ancestor that is.
    pub fn locate(&self, path: &str) -> Place {
        let mut node = &self.root;
        for segment in path.split('.') {
            match node.child(segment) {
                Some(child) => node = child,
                None => break,
            }
        }
        self.place(node.spot)
    }

    /// An error about the value at a dotted path, for whatever shows only after parsing.
    pub fn error_at(&self, path: &str, message: &str) -> SceneError {
        SceneError::Invalid {
            place: self.locate(path),
            message: one_line(message),
        }
    }

    pub(super) fn place(&self, spot: Spot) -> Place {
        match spot {
            Spot::Text(offset) => Place::in_text(&self.origin, &self.text, offset),
            Spot::Override(index) => Place::Override {
                text: one_line(self.overrides.get(index).map_or("", String::as_str)),
            },
        }
    }
}

impl Node {
    /// The entry of a table or the element of a list.
    pub(super) fn child(&self, segment: &str) -> Option<&Self> {
        match &self.value {
            Value::Table(table) => table.get(segment),
            Value::List(list) => list.get(segment.parse::<usize>().ok()?),
            _ => None,
        }
    }
}

/// The reason and the place of a refused number.
type Refusal = (Spot, String);

/// Takes over a value of the parser; `spot` turns the parser's byte offsets into places.
pub(super) fn convert(
    value: Spanned<DeValue<'_>>,
    key: Spot,
    spot: &dyn Fn(usize) -> Spot,
) -> Result<Node, Refusal> {
    let here = spot(value.span().start);
    let value = match value.into_inner() {
        DeValue::String(text) => Value::String(text.into_owned()),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(Value::Integer)
            .map_err(|_| {
                let shown = shortened(integer.as_str());
                let message = format!(
                    "the integer `{shown}` is out of range, expected one of at most 64 bits"
                );
                (here, message)
            })?,
        DeValue::Float(float) => match float.as_str().parse::<f64>() {
            Ok(number) if (number as f32).is_finite() => Value::Float(number),
            _ => return Err((here, not_finite(float.as_str()))),
        },
        DeValue::Boolean(truth) => Value::Boolean(truth),
        DeValue::Datetime(_) => Value::Date,
        DeValue::Array(array) => {
            let mut list = Vec::with_capacity(array.len());
            for element in array {
                let key = spot(element.span().start);
                list.push(convert(element, key, spot)?);
            }
            Value::List(list)
        }
        DeValue::Table(table) => convert_table(table, spot)?,
    };
    Ok(Node {
        value,
        spot: here,
        key,
    })
}

fn convert_table(table: DeTable<'_>, spot: &dyn Fn(usize) -> Spot) -> Result<Value, Refusal> {
    let mut entries = BTreeMap::new();
    for (key, value) in table {
        let key_spot = spot(key.span().start);
        entries.insert(
            key.into_inner().into_owned(),
            convert(value, key_spot, spot)?,
        );
    }
    Ok(Value::Table(entries))
}

fn not_finite(number: &str) -> String {
    format!(
        "the number `{}` is out of range, expected a finite one between -3.4e38 and 3.4e38",
        shortened(number)
    )
}

/// The parser's message as one line in our words.
fn syntax_message(message: &str) -> String {
    // Said also where there is no value at all; a forgotten quotation mark is only one of the reasons.
    if message.starts_with("string values must be quoted") {
        return "this is not a value, expected a number, a list, a table or a quoted string"
            .to_owned();
    }
    if message == "duplicate key" {
        return "this name is already there, expected each name once".to_owned();
    }
    // "nothing" is the parser's word for what cannot be there at all.
    one_line(
        message
            .strip_suffix(", expected nothing")
            .unwrap_or(message),
    )
}
