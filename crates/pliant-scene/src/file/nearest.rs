//! The known name nearest to a mistyped one.

use super::error::{one_line, shortened};

/// Names longer than this are not compared letter by letter: the table of the distance grows with the product of the lengths.
const COMPARED_LENGTH: usize = 64;

/// The name among `known` with the smallest edit distance to `name`; of equals the first.
pub(super) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    known
        .into_iter()
        .min_by_key(|candidate| edit_distance(name, candidate))
}

/// "unknown WHAT `name`, did you mean `nearest`?", with the nearest of the known names.
pub(crate) fn unknown<'k>(
    what: &str,
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> String {
    let shown = one_line(&shortened(name));
    let Some(nearest) = nearest(name, known) else {
        return format!("unknown {what} `{shown}`, there is none to choose from");
    };
    // Half of the letters wrong is no slip of the finger any more.
    let is_slip = 2 * edit_distance(name, nearest) <= nearest.chars().count();
    let nearest = one_line(nearest);
    if is_slip {
        format!("unknown {what} `{shown}`, did you mean `{nearest}`?")
    } else {
        format!("unknown {what} `{shown}`, the nearest known one is `{nearest}`")
    }
}

/// Insertions, deletions, substitutions and swaps of neighbours that lead from `a` to `b`
/// (the optimal string alignment distance).
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().take(COMPARED_LENGTH).collect();
    let b: Vec<char> = b.to_lowercase().chars().take(COMPARED_LENGTH).collect();
    // Rows i-2, i-1 and i of the table; swaps look two rows back.
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance counts edits, a swap of neighbours as one.
    #[test]
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("meterial", "material"), 1);
        assert_eq!(edit_distance("boyd", "body"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("Radius", "radius"), 0);
    }

    /// The nearest name wins, the first of equals.
    #[test]
    fn nearest_names() {
        let known = ["position", "rotation", "particle_radius"];
        assert_eq!(nearest("particle_radus", known), Some("particle_radius"));
        assert_eq!(nearest("positoin", known), Some("position"));
        assert_eq!(nearest("x", []), None);
    }
}
