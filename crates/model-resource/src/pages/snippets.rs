//! Commands that send the request of a page: for a shell, a browser and Rust.

use serde::Serialize;

/// Command to copy.
#[derive(Debug, Serialize)]
pub(crate) struct Snippet {
    pub(crate) label: &'static str,
    pub(crate) code: String,
}

/// Commands for a GET of this URL.
pub(crate) fn snippets(url: &str, is_authenticated: bool) -> Vec<Snippet> {
    let (shell, javascript, rust) = if is_authenticated {
        (
            " -H \"Authorization: Bearer $TOKEN\"",
            ",\n  headers: { Authorization: `Bearer ${token}` },\n  cache: \"no-store\"",
            "\n    .bearer_auth(token)",
        )
    } else {
        ("", "", "")
    };
    let literal = serde_json::to_string(url).unwrap_or_default();
    let options = javascript.trim_start_matches(",\n");
    let options = if options.is_empty() {
        String::new()
    } else {
        format!(", {{\n{options}\n}}")
    };
    vec![
        Snippet {
            label: "curl",
            code: format!("curl{shell} '{}'", url.replace('\'', "'\\''")),
        },
        Snippet {
            label: "fetch",
            code: format!("const response = await fetch({literal}{options});\nconst data = await response.json();"),
        },
        Snippet {
            label: "Rust",
            code: format!(
                "let data: serde_json::Value = reqwest::Client::new()\n    .get({})\u{0}\n    .send()\n    .await?\n    .error_for_status()?\n    .json()\n    .await?;",
                rust_literal(url)
            )
            .replace('\u{0}', rust),
        },
    ]
}

/// Text as a literal of Rust.
fn rust_literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_quoted() {
        let snippets = snippets("http://h/a?q='\"\\", true);
        assert_eq!(
            snippets[0].code,
            "curl -H \"Authorization: Bearer $TOKEN\" 'http://h/a?q='\\''\"\\'"
        );
        assert!(snippets[1].code.contains("fetch(\"http://h/a?q='\\\"\\\\\", {"));
        assert!(
            snippets[2]
                .code
                .contains(".get(\"http://h/a?q='\\\"\\\\\")\n    .bearer_auth(token)")
        );
    }
}
