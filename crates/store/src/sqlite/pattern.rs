//! Patterns for GLOB, and the cases that GLOB and LIKE get wrong.

use model_resource_schema::query::{Pattern, PatternPart};

/// Position of a literal within a text.
pub(super) enum Anchor {
    Anywhere,
    Start,
    End,
    Whole,
}

/// Returns the literal of a pattern and its position, if it contains characters that GLOB and LIKE cannot tell apart.
/// Patterns with several literals are left to GLOB and LIKE.
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

/// Formats a pattern for GLOB, with `*`, `?` and `[` escaped in brackets.
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
