//! Patterns for LIKE.

use model_resource_schema::query::{Pattern, PatternPart};

/// Formats a pattern for LIKE and escapes its wildcards with a backslash.
pub(crate) fn like(pattern: &Pattern) -> String {
    let mut out = String::new();
    for part in &pattern.parts {
        match part {
            PatternPart::Any => out.push('%'),
            PatternPart::One => out.push('_'),
            PatternPart::Text(text) => {
                for character in text.chars() {
                    if matches!(character, '%' | '_' | '\\') {
                        out.push('\\');
                    }
                    out.push(character);
                }
            }
        }
    }
    out
}
