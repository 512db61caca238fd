//! Overrides of the command line: `--set body.0.particle_radius=0.05`.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::document::{Document, Node, Spot, Value, convert};
use super::error::{SceneError, one_line, shortened};
use super::nearest::unknown;

/// The most names in a path. The format nests to about ten; the bound keeps recursion over the tree shallow.
const PATH_LENGTH: usize = 32;

/// Applies overrides of the form `path=value` in order, before the document's fields get their types.
///
/// A path is a dotted list of names and indices: `simulation.gravity`, `body.0.particle_radius`,
/// `material.clay.yield`. An element of a list may also be chosen by its `name`: `body.left.velocity`; a name with
/// dots may be put in double quotes. A table that is missing on the way is made. The value is TOML, or else a bare
/// string: `body.0.material=dough`.
///
/// From then on, errors about such a value name the option instead of a place in the file.
pub fn apply_overrides(document: &mut Document, overrides: &[String]) -> Result<(), SceneError> {
    for text in overrides {
        let index = document.overrides.len();
        document.overrides.push(text.clone());
        let spot = Spot::Override(index);
        apply_override(&mut document.root, text, spot).map_err(|message| SceneError::Override {
            place: document.place(spot),
            message,
        })?;
    }
    Ok(())
}

fn apply_override(root: &mut Node, text: &str, spot: Spot) -> Result<(), String> {
    let (path, value) = split_path(text)?;
    let value = parse_value(value, spot)?;
    let mut node = root;
    // What the list or table in hand is called in messages.
    let mut container = "scene".to_owned();
    let mut rest = path.as_slice();
    while let Some((segment, after)) = rest.split_first() {
        let consumed;
        (node, consumed) = match &mut node.value {
            Value::Table(table) => {
                let entry = table.entry(segment.clone());
                (entry.or_insert_with(|| missing_entry(rest, spot)), 1)
            }
            Value::List(list) => {
                let (index, consumed) = find_element(list, rest, &container)?;
                (&mut list[index], consumed)
            }
            _ => {
                let shown = one_line(segment);
                return Err(format!(
                    "`{container}` is a single value, it has no `{shown}`"
                ));
            }
        };
        // `body.0` is still called a body when something below it is missing.
        if segment.parse::<usize>().is_err() || after.is_empty() {
            container = one_line(&shortened(segment));
        }
        rest = &rest[consumed..];
    }
    *node = value;
    Ok(())
}

/// The lists of tables at the top of a scene; an index into one that is missing must not make a table of it.
const LISTS: [&str; 6] = ["action", "attachment", "body", "collider", "group", "joint"];

/// What stands for an entry that the file does not have, until the rest of the path or the value fills it.
fn missing_entry(path: &[String], spot: Spot) -> Node {
    let is_list = path.len() > 1 && LISTS.contains(&path[0].as_str());
    let value = if is_list {
        Value::List(Vec::new())
    } else {
        Value::Table(BTreeMap::new())
    };
    Node {
        value,
        spot,
        key: spot,
    }
}

/// The element that the start of `path` chooses, and how many of the path's segments that takes.
fn find_element(list: &[Node], path: &[String], container: &str) -> Result<(usize, usize), String> {
    // An unquoted name with dots spans several segments; the longest match wins.
    for count in (1..=path.len()).rev() {
        let name = path[..count].join(".");
        let named = |node: &Node| matches!(node.child("name").map(|name| &name.value), Some(Value::String(text)) if *text == name);
        if let Some(index) = list.iter().position(named) {
            return Ok((index, count));
        }
    }
    let segment = &path[0];
    let (one, many) = nouns(container);
    match segment.parse::<usize>() {
        Ok(index) if index < list.len() => Ok((index, 1)),
        Ok(index) => Err(format!(
            "there is no {one} {index} (the {} has {})",
            if one == "element" { "list" } else { "scene" },
            match list.len() {
                0 => format!("no {many}"),
                1 => format!("1 {one}"),
                count => format!("{count} {many}"),
            }
        )),
        Err(_) => {
            let names: Vec<&str> = list
                .iter()
                .filter_map(|node| match node.child("name").map(|name| &name.value) {
                    Some(Value::String(name)) => Some(name.as_str()),
                    _ => None,
                })
                .collect();
            if names.is_empty() {
                let shown = one_line(&shortened(segment));
                Err(format!(
                    "there is no {one} named `{shown}`, expected an index"
                ))
            } else {
                Err(unknown(&one, segment, names))
            }
        }
    }
}

/// What the elements of a list are called, one and many.
fn nouns(container: &str) -> (String, String) {
    match container {
        "body" => ("body".to_owned(), "bodies".to_owned()),
        _ if LISTS.contains(&container) => (container.to_owned(), format!("{container}s")),
        _ => ("element".to_owned(), "elements".to_owned()),
    }
}

/// Splits `path=value` and the path at its dots, both outside of quotes.
fn split_path(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut path = Vec::new();
    let mut segment = String::new();
    let mut quoted = false;
    for (offset, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '.' if !quoted => path.push(std::mem::take(&mut segment)),
            '=' if !quoted => {
                path.push(segment);
                let path: Vec<String> = path.iter().map(|name| name.trim().to_owned()).collect();
                if path.iter().any(String::is_empty) {
                    return Err("the path has an empty name, expected path=value".to_owned());
                }
                if path.len() > PATH_LENGTH {
                    return Err(format!(
                        "the path has {} names, expected at most {PATH_LENGTH}",
                        path.len()
                    ));
                }
                return Ok((path, text[offset + 1..].trim()));
            }
            _ => segment.push(character),
        }
    }
    Err("there is no `=`, expected path=value".to_owned())
}

fn parse_value(text: &str, spot: Spot) -> Result<Node, String> {
    if text.is_empty() {
        return Err("there is no value, expected path=value".to_owned());
    }
    match DeValue::parse(text) {
        Ok(value) => convert(value, spot, &|_| spot).map_err(|(_, message)| message),
        // Quotes are a nuisance in a shell: what is not TOML is a string.
        Err(_) => Ok(Node {
            value: Value::String(text.to_owned()),
            spot,
            key: spot,
        }),
    }
}
