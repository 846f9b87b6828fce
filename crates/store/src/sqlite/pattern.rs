//! Patterns as SQLite takes them.

use model_resource_schema::query::{Part, Pattern};

/// Where a text stands in another.
pub(super) enum PlaceOfText {
    Anywhere,
    Start,
    End,
    Whole,
}

/// The text of a pattern, and where it stands, if GLOB and LIKE would confuse a character of it with others: they read all
/// of these as the first of them. Patterns with more than one text are left to them.
pub(super) fn confusable(pattern: &Pattern) -> Option<(PlaceOfText, &str)> {
    let (place, text) = match &pattern.parts[..] {
        [Part::Any, Part::Text(text), Part::Any] => (PlaceOfText::Anywhere, text),
        [Part::Text(text), Part::Any] => (PlaceOfText::Start, text),
        [Part::Any, Part::Text(text)] => (PlaceOfText::End, text),
        [Part::Text(text)] => (PlaceOfText::Whole, text),
        _ => return None,
    };
    text.contains(['\u{fffd}', '\u{fffe}', '\u{ffff}'])
        .then_some((place, text))
}

/// The pattern for GLOB, in which `*`, `?` and `[` mean something, and themselves between brackets.
pub(super) fn glob(pattern: &Pattern) -> String {
    let mut out = String::new();
    for part in &pattern.parts {
        match part {
            Part::Any => out.push('*'),
            Part::One => out.push('?'),
            Part::Text(text) => {
                for character in text.chars() {
                    match character {
                        '*' | '?' | '[' => out.extend(['[', character, ']']),
                        other => out.push(other),
                    }
                }
            }
        }
    }
    out
}
