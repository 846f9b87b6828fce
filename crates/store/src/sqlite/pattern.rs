//! Patterns as SQLite takes them.

use model_resource_schema::query::{Pattern, PatternPart};

/// Where a text stands in another.
pub(super) enum Anchor {
    Anywhere,
    Start,
    End,
    Whole,
}

/// The text of a pattern, and where it stands, if GLOB and LIKE would confuse a character of it with others: they read all
/// of these as the first of them. Patterns with more than one text are left to them.
pub(super) fn ambiguous_literal(pattern: &Pattern) -> Option<(Anchor, &str)> {
    let (place, text) = match &pattern.parts[..] {
        [PatternPart::Any, PatternPart::Text(text), PatternPart::Any] => (Anchor::Anywhere, text),
        [PatternPart::Text(text), PatternPart::Any] => (Anchor::Start, text),
        [PatternPart::Any, PatternPart::Text(text)] => (Anchor::End, text),
        [PatternPart::Text(text)] => (Anchor::Whole, text),
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
            PatternPart::Any => out.push('*'),
            PatternPart::One => out.push('?'),
            PatternPart::Text(text) => {
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
