//! Naming conventions: columns, wire names, labels, plurals and names in error messages.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// Converts `first_name` to the wire name `firstName`.
pub fn camel_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut upper = false;
    for c in name.chars() {
        if c == '_' {
            upper = !out.is_empty();
        } else if upper {
            out.extend(c.to_uppercase());
            upper = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// Converts `first_name` or `firstName` to the label `First Name`.
pub fn label(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut starts = true;
    for c in name.chars() {
        starts |= c.is_uppercase() && out.ends_with(char::is_lowercase);
        if c == '_' {
            starts = true;
        } else if starts {
            if !out.is_empty() {
                out.push(' ');
            }
            out.extend(c.to_uppercase());
            starts = false;
        } else {
            out.push(c);
        }
    }
    out
}

/// Converts `FooBar` to `foo_bar`, for codes and URL parameters; `HTTPLog` becomes `http_log`.
pub fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in chars.iter().enumerate() {
        let after_word = i > 0 && !chars[i - 1].is_uppercase() && chars[i - 1] != '_';
        let before_word =
            i > 0 && chars[i - 1].is_uppercase() && chars.get(i + 1).is_some_and(|c| c.is_lowercase());
        if c.is_uppercase() && (after_word || before_word) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// Converts `FooBar` to the envelope key `fooBar`.
pub fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    let mut out: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
    out.push_str(chars.as_str());
    out
}

/// Returns the English plural of a model's name, correct for most nouns.
pub fn plural(name: &str) -> String {
    let ends_with_any = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name.strip_suffix('y') {
        Some(stem) if !stem.is_empty() && !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends_with_any(&["s", "x", "z", "ch", "sh"]) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// Maximum characters of a client's name that an error message repeats.
const MAX_SHOWN: usize = 64;

/// Truncates a name that a client sent to 64 characters.
///
/// ```
/// use model_resource_schema::naming::shortened;
///
/// assert_eq!(shortened("title"), "title");
/// assert_eq!(shortened(&"x".repeat(1000)), "x".repeat(64) + "…");
/// ```
pub fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => Cow::Owned(format!("{}…", &name[..end])),
        None => Cow::Borrowed(name),
    }
}

/// Shortens the parts of a body that an error text of serde quotes, in either kind of quotation marks, to 64
/// characters.
pub fn quotations_shortened(text: &str) -> String {
    ["`", "\""].into_iter().fold(text.to_owned(), |text, mark| {
        let pieces = text
            .split(mark)
            .enumerate()
            .map(|(position, piece)| match position % 2 {
                0 => Cow::Borrowed(piece),
                _ => shortened(piece),
            });
        pieces.collect::<Vec<_>>().join(mark)
    })
}

/// Whether a name is longer than error messages show. Long names get no suggestion, which would be slow and useless.
pub fn is_long(name: &str) -> bool {
    name.chars().nth(MAX_SHOWN).is_some()
}

/// Displays a name that a client sent in quotation marks, truncated to 64 characters.
///
/// ```
/// use model_resource_schema::naming::Quoted;
///
/// assert_eq!(Quoted("title").to_string(), "\"title\"");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'n>(pub &'n str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", shortened(self.0))
    }
}

/// Returns the candidate most similar to `name`, for suggestions; `None` if the name is long.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if is_long(name) {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 3).max(2).min(candidate.len() - 1))
        .min()
        .map(|(_, candidate)| candidate)
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
    fn names_are_respelled() {
        assert_eq!(camel_case("first_name"), "firstName");
        assert_eq!(camel_case("id"), "id");
        assert_eq!(camel_case("address_2"), "address2");
        assert_eq!(label("first_name"), "First Name");
        assert_eq!(label("firstName"), "First Name");
        assert_eq!(label("homeURL"), "Home URL");
        assert_eq!(lower_first("FooBar"), "fooBar");
        assert_eq!(snake_case("FooBar"), "foo_bar");
        assert_eq!(snake_case("HTTPLog"), "http_log");
        assert_eq!(plural("category"), "categories");
        assert_eq!(plural("day"), "days");
        assert_eq!(plural("box"), "boxes");
        assert_eq!(plural("tag"), "tags");
    }

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("tilte", ["title", "body"]), Some("title"));
        assert_eq!(nearest("passwordHash", ["title", "body"]), None);
        let long = "x".repeat(65);
        assert_eq!(nearest(&long, [long.as_str()]), None);
        assert_eq!(nearest(&long[1..], [&long[..60]]), Some(&long[..60]));
    }
}
