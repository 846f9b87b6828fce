//! Suggestions for unknown names.

/// Formats a message such as "unknown option `uniqe`: did you mean `unique`? The options are ..".
pub(crate) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let list = known.join(", ");
    match nearest(name, known) {
        Some(meant) => format!("unknown {what} `{name}`: did you mean `{meant}`? The {what}s are {list}"),
        None => format!("unknown {what} `{name}`: the {what}s are {list}"),
    }
}

/// Returns the most similar known name, or one that extends or abbreviates this one, if any is close.
pub(crate) fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let is_longer = |a: &str, b: &str| b.len() >= 3 && a.starts_with(b);
    let alike = known
        .iter()
        .map(|candidate| (distance(name, candidate), *candidate))
        .filter(|(distance, candidate)| {
            *distance <= (candidate.len() / 3).max(2) && *distance < candidate.len()
        })
        .min()
        .map(|(_, candidate)| candidate);
    alike.or_else(|| {
        known
            .iter()
            .copied()
            .find(|known| is_longer(name, known) || is_longer(known, name))
    })
}

/// Levenshtein distance, case-insensitive.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut previous = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = previous + usize::from(x != *y);
            previous = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(previous + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("lsit", &["get", "list"]), Some("list"));
        assert_eq!(nearest("fetch_everything", &["get", "list"]), None);
        assert_eq!(nearest("integer", &["float", "int"]), Some("int"));
        assert_eq!(nearest("str", &["float", "string"]), Some("string"));
        assert_eq!(nearest("x", &["a", "id"]), None);
    }

    #[test]
    fn every_known_name_is_listed() {
        assert_eq!(
            unknown("option", "uniqe", &["unique", "email"]),
            "unknown option `uniqe`: did you mean `unique`? The options are unique, email"
        );
        assert_eq!(
            unknown("option", "colour", &["unique"]),
            "unknown option `colour`: the options are unique"
        );
    }
}
