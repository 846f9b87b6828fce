//! Names derived from a type's name.

/// Converts `FooBar` to `foo_bar`, for tables and endpoints; `HTTPLog` becomes `http_log`.
pub(crate) fn snake_case(name: &str) -> String {
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

/// Returns the English plural, correct for most nouns.
pub(crate) fn plural(name: &str) -> String {
    let ends_with_any = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    match name.strip_suffix('y') {
        Some(stem) if !stem.is_empty() && !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends_with_any(&["s", "x", "z", "ch", "sh"]) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// Converts `DarkRed` to the wire name `darkRed`.
pub(crate) fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars
        .next()
        .into_iter()
        .flat_map(char::to_lowercase)
        .chain(chars)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_respelled() {
        assert_eq!(snake_case("ContactSubmission"), "contact_submission");
        assert_eq!(snake_case("HTTPLog"), "http_log");
        assert_eq!(snake_case("Sample2"), "sample2");
        assert_eq!(plural("category"), "categories");
        assert_eq!(plural("day"), "days");
        assert_eq!(plural("box"), "boxes");
        assert_eq!(plural("user"), "users");
        assert_eq!(lower_first("DarkRed"), "darkRed");
    }
}
