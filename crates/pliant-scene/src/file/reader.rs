//! From the tree of a document to typed fields, with messages in our words.
//!
//! Serde's own messages speak of structs and `f32`, and the parser's errors know no nearest name; therefore the
//! tree is its own [`Deserializer`] with its own error.

use std::fmt;

use serde::Deserializer;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, Error as _, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::document::{Node, Spot, Value};
use super::error::{alternatives, one_line, shortened};
use super::nearest::unknown;

/// Up to this many alternatives are listed in a message.
const LISTED_COUNT: usize = 6;

/// Gives the tree below `node` the type `T`.
pub(super) fn read<'n, T: serde::Deserialize<'n>>(node: &'n Node) -> Result<T, ReadError> {
    T::deserialize(node)
}

/// Why a tree does not fit a type.
#[derive(Debug)]
pub(super) struct ReadError {
    problem: Problem,
    /// Where it is; filled in by the innermost value that knows its place.
    spot: Option<Spot>,
    /// The name of the field, with the indices below it: `gravity`, `motion.1`.
    field: Option<String>,
    /// Whether `field` already starts with a name, so that outer names are left out.
    named: bool,
}

#[derive(Debug)]
enum Problem {
    WrongType {
        found: String,
        expected: String,
    },
    WrongCount {
        found: usize,
        expected: String,
    },
    MissingField(&'static str),
    UnknownField {
        name: String,
        known: &'static [&'static str],
    },
    UnknownVariant {
        name: String,
        known: &'static [&'static str],
    },
    Other(String),
}

impl ReadError {
    fn new(problem: Problem) -> Self {
        Self {
            problem,
            spot: None,
            field: None,
            named: false,
        }
    }

    /// The place, if a value knew it.
    pub(super) fn spot(&self) -> Option<Spot> {
        self.spot
    }

    /// Fills in the place unless something further inside already did.
    fn at(mut self, spot: Spot) -> Self {
        self.spot.get_or_insert(spot);
        self
    }

    /// Adds the element's index to the name of the field.
    fn in_element(mut self, index: usize) -> Self {
        if !self.named {
            self.field = Some(match self.field {
                Some(rest) => format!("{index}.{rest}"),
                None => index.to_string(),
            });
        }
        self
    }

    /// Completes the name of the field.
    fn in_field(mut self, name: &str) -> Self {
        if !self.named {
            self.field = Some(match self.field {
                Some(rest) => format!("{name}.{rest}"),
                None => name.to_owned(),
            });
            self.named = true;
        }
        self
    }

    /// What is wrong, and what was expected.
    pub(super) fn message(&self) -> String {
        let field = one_line(&shortened(self.field.as_deref().unwrap_or("scene")));
        match &self.problem {
            Problem::WrongType { found, expected } => {
                format!("`{field}` is {found}, expected {expected}")
            }
            Problem::WrongCount { found, expected } => {
                let entries = if *found == 1 { "entry" } else { "entries" };
                format!("`{field}` has {found} {entries}, expected {expected}")
            }
            Problem::MissingField(name) => format!("missing field `{name}` in `{field}`"),
            Problem::UnknownField { name, known } => unknown("field", name, known.iter().copied()),
            Problem::UnknownVariant { name, known } => {
                let message = unknown(&field, name, known.iter().copied());
                if known.len() <= LISTED_COUNT {
                    format!("{message} (expected {})", alternatives(known))
                } else {
                    message
                }
            }
            Problem::Other(message) => format!("`{field}`: {}", one_line(message)),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message())
    }
}

impl std::error::Error for ReadError {}

impl serde::de::Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Problem::Other(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Problem::WrongType {
            found: describe_found(found),
            expected: describe_expected(&expected.to_string()),
        })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        Self::new(Problem::WrongCount {
            found,
            expected: describe_expected(&expected.to_string()),
        })
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        Self::new(Problem::UnknownVariant {
            name: name.to_owned(),
            known,
        })
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::new(Problem::UnknownField {
            name: name.to_owned(),
            known,
        })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(Problem::MissingField(name))
    }
}

/// A value of the wrong type in the user's words.
fn describe_found(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(truth) => truth.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Float(number) => number.to_string(),
        Unexpected::Str(text) => format!("the string \"{}\"", one_line(&shortened(text))),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Serde's names for types in the user's words.
fn describe_expected(expected: &str) -> String {
    match expected {
        "f32" | "f64" => "a number".to_owned(),
        "u8" | "u16" | "u32" => "a whole number from 0 to 4294967295".to_owned(),
        "u64" | "usize" => "a whole number of at least 0".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        _ if expected.starts_with("struct ") => "a table".to_owned(),
        _ => expected.to_owned(),
    }
}

impl Value {
    fn unexpected(&self) -> Unexpected<'_> {
        match self {
            Self::String(text) => Unexpected::Str(text),
            Self::Integer(number) => Unexpected::Signed(*number),
            Self::Float(number) => Unexpected::Float(*number),
            Self::Boolean(truth) => Unexpected::Bool(*truth),
            Self::Date => Unexpected::Other("a date"),
            Self::List(_) => Unexpected::Seq,
            Self::Table(_) => Unexpected::Map,
        }
    }
}

impl<'n> Deserializer<'n> for &'n Node {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Integer(number) => visitor.visit_i64(*number),
            Value::Float(number) => visitor.visit_f64(*number),
            Value::Boolean(truth) => visitor.visit_bool(*truth),
            Value::Date => Err(ReadError::invalid_type(self.value.unexpected(), &visitor)),
            Value::List(list) => visitor.visit_seq(Elements {
                list: list.iter().enumerate(),
            }),
            Value::Table(table) => {
                // The map is sorted by name; reading in the order of the file reports the first mistake first.
                let mut entries: Vec<_> = table.iter().collect();
                entries.sort_by_key(|(_, node)| node.key);
                visitor.visit_map(Entries {
                    entries: entries.into_iter(),
                    value: None,
                })
            }
        }
        .map_err(|error| error.at(self.spot))
    }

    fn deserialize_option<V: Visitor<'n>>(self, visitor: V) -> Result<V::Value, ReadError> {
        // TOML has no null: what is written is there.
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'n>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::List(list) if list.len() != count => Err(ReadError::new(Problem::WrongCount {
                found: list.len(),
                expected: count.to_string(),
            })),
            Value::List(_) => self.deserialize_any(visitor),
            other => Err(ReadError::new(Problem::WrongType {
                found: describe_found(other.unexpected()),
                expected: format!("a list of {count} numbers"),
            })),
        }
        .map_err(|error| error.at(self.spot))
    }

    fn deserialize_struct<V: Visitor<'n>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        // Derived structs would also take a list of their fields' values; a scene says names.
        match &self.value {
            Value::Table(_) => self.deserialize_any(visitor),
            other => Err(ReadError::invalid_type(other.unexpected(), &visitor).at(self.spot)),
        }
    }

    fn deserialize_enum<V: Visitor<'n>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match &self.value {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                name_spot: self.spot,
                content: None,
            }),
            Value::Table(table) => {
                let mut entries: Vec<_> = table.iter().collect();
                entries.sort_by_key(|(_, node)| node.key);
                match entries.as_slice() {
                    [(name, content)] => visitor.visit_enum(Variant {
                        name,
                        name_spot: content.key,
                        content: Some(content),
                    }),
                    _ => Err(ReadError::new(Problem::WrongCount {
                        found: entries.len(),
                        expected: format!("exactly one of {}", alternatives(variants)),
                    })),
                }
            }
            other => Err(ReadError::invalid_type(
                other.unexpected(),
                &alternatives(variants).as_str(),
            )),
        }
        .map_err(|error| error.at(self.spot))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'n>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple_struct map identifier ignored_any
    }
}

/// The elements of a list.
struct Elements<'n> {
    list: std::iter::Enumerate<std::slice::Iter<'n, Node>>,
}

impl<'n> SeqAccess<'n> for Elements<'n> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'n>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ReadError> {
        let Some((index, node)) = self.list.next() else {
            return Ok(None);
        };
        seed.deserialize(node)
            .map(Some)
            .map_err(|error| error.at(node.spot).in_element(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.list.len())
    }
}

/// The entries of a table, in the order of the file.
struct Entries<'n> {
    entries: std::vec::IntoIter<(&'n String, &'n Node)>,
    value: Option<(&'n String, &'n Node)>,
}

impl<'n> MapAccess<'n> for Entries<'n> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'n>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ReadError> {
        let Some((name, node)) = self.entries.next() else {
            return Ok(None);
        };
        self.value = Some((name, node));
        seed.deserialize(StrDeserializer::new(name))
            .map(Some)
            .map_err(|error: ReadError| error.at(node.key))
    }

    fn next_value_seed<T: DeserializeSeed<'n>>(&mut self, seed: T) -> Result<T::Value, ReadError> {
        let Some((name, node)) = self.value.take() else {
            return Err(ReadError::custom("a value was asked for before its key"));
        };
        seed.deserialize(node)
            .map_err(|error| error.at(node.spot).in_field(name))
    }
}

/// A choice among alternatives: a bare name, or a table with one entry.
struct Variant<'n> {
    name: &'n str,
    name_spot: Spot,
    content: Option<&'n Node>,
}

impl<'n> EnumAccess<'n> for Variant<'n> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'n>>(self, seed: T) -> Result<(T::Value, Self), ReadError> {
        let variant = seed
            .deserialize(StrDeserializer::new(self.name))
            .map_err(|error: ReadError| error.at(self.name_spot))?;
        Ok((variant, self))
    }
}

impl<'n> Variant<'n> {
    fn content(&self) -> Result<&'n Node, ReadError> {
        self.content.ok_or_else(|| {
            ReadError::new(Problem::WrongType {
                found: describe_found(Unexpected::Str(self.name)),
                expected: format!("a table `{{ {} = … }}`", self.name),
            })
            .at(self.name_spot)
        })
    }
}

impl<'n> VariantAccess<'n> for Variant<'n> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(ReadError::new(Problem::WrongType {
                found: "a table".to_owned(),
                expected: format!("the string \"{}\"", self.name),
            })
            .at(self.name_spot)),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'n>>(self, seed: T) -> Result<T::Value, ReadError> {
        let node = self.content()?;
        seed.deserialize(node)
            .map_err(|error| error.at(node.spot).in_field(self.name))
    }

    fn tuple_variant<V: Visitor<'n>>(
        self,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let node = self.content()?;
        node.deserialize_tuple(count, visitor)
            .map_err(|error| error.in_field(self.name))
    }

    fn struct_variant<V: Visitor<'n>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let node = self.content()?;
        node.deserialize_struct("", fields, visitor)
            .map_err(|error| error.in_field(self.name))
    }
}
