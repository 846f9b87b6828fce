//! Differences between two JSON documents, one line each.

use serde_json::{Map, Value};

/// Maximum characters of a value in a line.
const MAX_LENGTH: usize = 200;

/// Comparison of objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Members {
    /// Objects may have other members than the expected ones.
    AtLeast,
    /// Objects have the expected members alone.
    Exactly,
}

/// Returns a line for each difference, with its JSON pointer.
pub(crate) fn differences(expected: &Value, found: &Value, members: Members) -> Vec<String> {
    let mut comparison = Comparison {
        members,
        lines: Vec::new(),
    };
    comparison.compare("", expected, found);
    comparison.lines
}

struct Comparison {
    members: Members,
    lines: Vec<String>,
}

impl Comparison {
    fn compare(&mut self, path: &str, expected: &Value, found: &Value) {
        match (expected, found) {
            (Value::Object(expected), Value::Object(found)) => self.compare_objects(path, expected, found),
            (Value::Array(expected), Value::Array(found)) => self.compare_arrays(path, expected, found),
            _ if expected == found => {}
            _ => self.line(
                path,
                &format!("expected {}, found {}", shown(expected), shown(found)),
            ),
        }
    }

    fn compare_objects(&mut self, path: &str, expected: &Map<String, Value>, found: &Map<String, Value>) {
        for (name, expected) in expected {
            let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            match found.get(name) {
                Some(found) => self.compare(&path, expected, found),
                None => self.line(&path, &format!("expected {}, but it is missing", shown(expected))),
            }
        }
        if self.members == Members::AtLeast {
            return;
        }
        for (name, found) in found.iter().filter(|(name, _)| !expected.contains_key(*name)) {
            self.line(&format!("{path}/{name}"), &format!("unexpected {}", shown(found)));
        }
    }

    fn compare_arrays(&mut self, path: &str, expected: &[Value], found: &[Value]) {
        for place in 0..expected.len().max(found.len()) {
            let path = format!("{path}/{place}");
            match (expected.get(place), found.get(place)) {
                (Some(expected), Some(found)) => self.compare(&path, expected, found),
                (Some(expected), None) => {
                    self.line(&path, &format!("expected {}, but it is missing", shown(expected)));
                }
                (None, Some(found)) => self.line(&path, &format!("unexpected {}", shown(found))),
                (None, None) => {}
            }
        }
    }

    fn line(&mut self, path: &str, text: &str) {
        let path = if path.is_empty() { "(document)" } else { path };
        self.lines.push(format!("{path}: {text}"));
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_difference_has_a_line_with_its_place() {
        let expected = json!({"title": "Rust", "tags": ["a", "b"], "author": {"name": "Ann"}, "a/b": 1});
        let found =
            json!({"id": 1, "title": "Go", "tags": ["a"], "author": {"name": "Ann", "id": 2}, "a/b": 2});
        let missing = [
            "/title: expected \"Rust\", found \"Go\"",
            "/tags/1: expected \"b\", but it is missing",
            "/a~1b: expected 1, found 2",
        ];
        assert_eq!(differences(&expected, &found, Members::AtLeast), missing);
        let all = differences(&expected, &found, Members::Exactly);
        assert!(
            all.contains(&"/id: unexpected 1".to_owned())
                && all.contains(&"/author/id: unexpected 2".to_owned())
        );
        assert_eq!(all.len(), missing.len() + 2);
    }

    #[test]
    fn arrays_have_the_expected_length_and_equal_documents_no_difference() {
        let list = json!([{"id": 1}, {"id": 2}]);
        assert_eq!(
            differences(&json!([{"id": 1}]), &list, Members::AtLeast),
            ["/1: unexpected {\"id\":2}"]
        );
        assert_eq!(
            differences(&json!({}), &list, Members::AtLeast),
            ["(document): expected {}, found [{\"id\":1},{\"id\":2}]"]
        );
        assert!(differences(&list, &list, Members::Exactly).is_empty());
    }
}
