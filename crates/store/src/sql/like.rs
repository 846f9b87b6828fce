//! Patterns as LIKE takes them.

use model_resource_schema::query::{Pattern, PatternPart};

/// The pattern for LIKE, with a backslash before what else would mean something.
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
