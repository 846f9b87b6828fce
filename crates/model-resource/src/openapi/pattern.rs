//! Regular expressions of columns as those of JSON Schema, where both mean the same.

/// Characters that may be escaped in both dialects, outside of classes and inside them.
const SYNTAX: &str = "^$\\.*+?()[]{}|/";

/// Anchored ECMAScript pattern that matches the same texts; `None` if the dialects may differ.
///
/// The classes `\d`, `\w` and `\s`, word boundaries and `.` match other characters in ECMAScript, and flags, Unicode
/// classes and set operations are written differently.
pub(super) fn ecma_pattern(pattern: &str) -> Option<String> {
    let mut class_depth = 0_usize;
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let is_in_class = class_depth > 0;
        match character {
            '\\' => {
                let escaped = characters.next()?;
                let is_known = SYNTAX.contains(escaped) || (is_in_class && escaped == '-');
                if !is_known {
                    return None;
                }
            }
            // A class inside a class is a set operation.
            '[' if is_in_class => return None,
            '[' => {
                class_depth = 1;
                characters.next_if_eq(&'^');
                // A bracket in the first place is a literal in one dialect only.
                if characters.peek() == Some(&']') {
                    return None;
                }
            }
            ']' if is_in_class => class_depth = 0,
            // Doubled, these are set operations.
            '&' | '~' | '-' if is_in_class && characters.peek() == Some(&character) => return None,
            '.' if !is_in_class => return None,
            '(' if !is_in_class && characters.peek() == Some(&'?') => {
                characters.next();
                if characters.next() != Some(':') {
                    return None;
                }
            }
            _ => {}
        }
    }
    (class_depth == 0).then(|| format!("^(?:{pattern})$"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_are_anchored() {
        for pattern in [
            "[a-z]+",
            "a|b",
            "[A-Z]{2}-[0-9]{1,4}",
            "(?:a\\.b)?[^/\\]]*",
            "[_\\-]",
            "^a$",
        ] {
            assert_eq!(ecma_pattern(pattern), Some(format!("^(?:{pattern})$")));
        }
    }

    #[test]
    fn patterns_that_mean_something_else_are_left_out() {
        for pattern in [
            "\\d+",
            "\\w",
            "a.b",
            "(?i)a",
            "\\p{L}",
            "[[:alpha:]]",
            "[a-z&&[^b]]",
            "\\bword\\b",
            "[]a]",
            "\\-",
            "(?P<n>a)",
        ] {
            assert_eq!(ecma_pattern(pattern), None, "{pattern}");
        }
    }
}
