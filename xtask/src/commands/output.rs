//! Comparison of a command's output with the page.

/// Whether the lines of the page occur in the output, in their order. White space does not count, `...` is any text,
/// and the tag of a row any tag, since it differs in every database.
pub(super) fn has_lines<'a>(output: &str, shown: impl IntoIterator<Item = &'a str>) -> bool {
    let output = without_space(output);
    let mut rest = output.as_str();
    for line in shown {
        let line = without_space(line);
        let line = if line.starts_with(TAG) { TAG } else { &line };
        for part in line.split(ANY) {
            let Some(begin) = rest.find(part) else {
                return false;
            };
            rest = &rest[begin + part.len()..];
        }
    }
    true
}

const ANY: &str = "...";
/// Begin of the header with the tag.
const TAG: &str = "etag:\"";

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_page_occur_in_their_order() {
        let output = "HTTP/1.1 200 OK\netag: \"one\"\n\n{\"a\":[1,2]}\n";
        assert!(has_lines(output, ["HTTP/1.1 200 OK", "{\"a\": [1, 2]}"]));
        assert!(has_lines(output, ["etag: \"two\"", "{\"a\": ...}"]));
        assert!(!has_lines(output, ["{\"a\": [1, 2]}", "HTTP/1.1 200 OK"]));
        assert!(!has_lines(output, ["{\"a\": [1, 3]}"]));
    }
}
