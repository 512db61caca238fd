//! Hands files: capsules that move as recorded.

use std::collections::BTreeMap;

use super::error::{Place, SceneError, one_line, shortened};

/// What a line holds.
const FORM: &str = "`time hand capsule ax ay az bx by bz radius`";

/// The moving capsules of a hands file, sorted by hand and capsule.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hands {
    /// The capsules; none of them is without a key.
    pub capsules: Vec<HandCapsule>,
}

/// A moving capsule.
#[derive(Debug, Clone, PartialEq)]
pub struct HandCapsule {
    /// Name or number of the hand.
    pub hand: String,
    /// Name or number of the capsule in the hand.
    pub capsule: String,
    /// Its recorded states, in strictly ascending order of time.
    pub keys: Vec<CapsuleKey>,
}

/// A state of a capsule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CapsuleKey {
    /// When (s).
    pub time: f32,
    /// One end of its segment (m).
    pub a: [f32; 3],
    /// The other end (m).
    pub b: [f32; 3],
    /// Radius (m).
    pub radius: f32,
}

impl HandCapsule {
    /// The capsule at a time: linear between keys, at rest before the first and after the last.
    pub fn sample(&self, time: f32) -> Option<CapsuleKey> {
        let next = self.keys.partition_point(|key| key.time <= time);
        let before = next.checked_sub(1).and_then(|last| self.keys.get(last));
        match (before, self.keys.get(next)) {
            (Some(from), Some(to)) => {
                let share = (time - from.time) / (to.time - from.time);
                let mix = |from: f32, to: f32| from + (to - from) * share;
                let mix3 = |from: [f32; 3], to: [f32; 3]| {
                    [
                        mix(from[0], to[0]),
                        mix(from[1], to[1]),
                        mix(from[2], to[2]),
                    ]
                };
                Some(CapsuleKey {
                    time,
                    a: mix3(from.a, to.a),
                    b: mix3(from.b, to.b),
                    radius: mix(from.radius, to.radius),
                })
            }
            (Some(rest), None) | (None, Some(rest)) => Some(CapsuleKey { time, ..*rest }),
            (None, None) => None,
        }
    }
}

/// Reads a hands file: one line `time hand capsule ax ay az bx by bz radius` for each state, `#` starts a comment.
///
/// The lines of one capsule are in order of time; those of different capsules may be mixed. `origin` is the name of
/// the file that messages show.
pub fn parse_hands(text: &str, origin: &str) -> Result<Hands, SceneError> {
    let mut capsules: BTreeMap<(String, String), Vec<CapsuleKey>> = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let error = |column: usize, message: String| SceneError::Syntax {
            place: Place::File {
                origin: one_line(origin),
                line: index + 1,
                column,
            },
            message,
        };
        let words = split_words(line);
        if words.is_empty() {
            continue;
        }
        let &[time, hand, capsule, ref numbers @ ..] = words.as_slice() else {
            return Err(error(1, wrong_count(words.len())));
        };
        let Ok(numbers) = <[(usize, &str); 7]>::try_from(numbers) else {
            return Err(error(1, wrong_count(words.len())));
        };
        let number = |(column, word): (usize, &str)| match word.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => {
                let shown = one_line(&shortened(word));
                Err(error(
                    column,
                    format!("`{shown}` is not a finite number, expected {FORM}"),
                ))
            }
        };
        let mut values = [0.0; 7];
        for (value, word) in values.iter_mut().zip(numbers) {
            *value = number(word)?;
        }
        let [ax, ay, az, bx, by, bz, radius] = values;
        let key = CapsuleKey {
            time: number(time)?,
            a: [ax, ay, az],
            b: [bx, by, bz],
            radius,
        };
        if radius <= 0.0 {
            let message = format!("the radius is {radius}, expected a number above 0");
            return Err(error(numbers[6].0, message));
        }
        let keys = capsules
            .entry((hand.1.to_owned(), capsule.1.to_owned()))
            .or_default();
        if let Some(last) = keys.last()
            && last.time >= key.time
        {
            let message = format!(
                "the time is {}, expected one after this capsule's last line, which is at {}",
                key.time, last.time
            );
            return Err(error(time.0, message));
        }
        keys.push(key);
    }
    if capsules.is_empty() {
        return Err(SceneError::Syntax {
            place: Place::in_text(origin, text, 0),
            message: format!("the file has no capsule, expected lines {FORM}"),
        });
    }
    let capsules = capsules
        .into_iter()
        .map(|((hand, capsule), keys)| HandCapsule {
            hand,
            capsule,
            keys,
        })
        .collect();
    Ok(Hands { capsules })
}

/// The words of a line before its comment, each with its column from 1.
fn split_words(line: &str) -> Vec<(usize, &str)> {
    let content = line.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let mut start = None;
    let end = (content.chars().count(), content.len(), ' ');
    let characters = content.char_indices().enumerate();
    for (column, offset, character) in characters
        .map(|(column, (offset, character))| (column, offset, character))
        .chain([end])
    {
        match (character.is_whitespace(), start) {
            (false, None) => start = Some((column + 1, offset)),
            (true, Some((column, from))) => {
                words.push((column, &content[from..offset]));
                start = None;
            }
            _ => {}
        }
    }
    words
}

fn wrong_count(found: usize) -> String {
    let words = if found == 1 { "word" } else { "words" };
    format!("the line has {found} {words}, expected the 10 of {FORM}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines become capsules with ascending keys; comments and empty lines do not count.
    #[test]
    fn reads_and_interpolates() {
        let text = "# two fingers\n0 left thumb 0 0 0 0 1 0 0.1 # start\n\n0 left index 1 0 0 1 1 0 0.1\n2 left thumb 2 0 0 2 1 0 0.3\n";
        let hands = parse_hands(text, "h.txt").expect("a good file");
        assert_eq!(hands.capsules.len(), 2);
        let thumb = &hands.capsules[1];
        assert_eq!(
            (thumb.hand.as_str(), thumb.capsule.as_str()),
            ("left", "thumb")
        );
        let middle = thumb.sample(1.0).expect("keys");
        assert_eq!((middle.a, middle.b), ([1.0, 0.0, 0.0], [1.0, 1.0, 0.0]));
        assert!((middle.radius - 0.2).abs() < 1e-6);
        assert_eq!(thumb.sample(-1.0).map(|key| key.a), Some([0.0; 3]));
        assert_eq!(thumb.sample(9.0).map(|key| key.a), Some([2.0, 0.0, 0.0]));
    }

    /// Every mistake is named with its line and column.
    #[test]
    fn names_mistakes() {
        let message = |text| match parse_hands(text, "h") {
            Ok(_) => "no error".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            message("0 l t 0 0 0"),
            "h:1:1: the line has 6 words, expected the 10 of `time hand capsule ax ay az bx by bz radius`"
        );
        assert_eq!(
            message("\n0 l t 0 0 nan 0 1 0 1"),
            "h:2:11: `nan` is not a finite number, expected `time hand capsule ax ay az bx by bz radius`"
        );
        assert_eq!(
            message("0 l t 0 0 0 0 1 0 -1"),
            "h:1:19: the radius is -1, expected a number above 0"
        );
        assert_eq!(
            message("1 l t 0 0 0 0 1 0 1\n1 l t 0 0 0 0 1 0 1"),
            "h:2:1: the time is 1, expected one after this capsule's last line, which is at 1"
        );
        assert_eq!(
            message("# nothing"),
            "h:1:1: the file has no capsule, expected lines `time hand capsule ax ay az bx by bz radius`"
        );
    }
}
