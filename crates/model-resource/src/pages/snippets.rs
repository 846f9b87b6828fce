//! Commands that send the request of a page: for a shell, a browser and Rust.

use serde::Serialize;

/// Command to copy.
#[derive(Debug, Serialize)]
pub(crate) struct Snippet {
    pub(crate) label: &'static str,
    pub(crate) code: String,
}

/// Commands for a GET of this URL, for a caller without a credential.
pub(crate) fn snippets(url: &str) -> Vec<Snippet> {
    let (shell, javascript, rust) = (shell_literal(url), javascript_literal(url), rust_literal(url));
    all(
        format!("curl -g {shell}"),
        format!("const response = await fetch({javascript});"),
        format!("let data: serde_json::Value = reqwest::Client::new()\n    .get({rust})"),
    )
}

/// Commands for a GET of this URL with a token.
pub(crate) fn snippets_with_token(url: &str) -> Vec<Snippet> {
    let (shell, javascript, rust) = (shell_literal(url), javascript_literal(url), rust_literal(url));
    all(
        format!("curl -g -H \"Authorization: Bearer $TOKEN\" {shell}"),
        format!(
            "const response = await fetch({javascript}, {{\n  headers: {{ Authorization: `Bearer ${{token}}` }},\n  cache: \"no-store\"\n}});"
        ),
        format!(
            "let data: serde_json::Value = reqwest::Client::new()\n    .get({rust})\n    .bearer_auth(token)"
        ),
    )
}

/// Commands that begin with these requests and read their responses.
fn all(shell: String, javascript: String, rust: String) -> Vec<Snippet> {
    let snippet = |label, code| Snippet { label, code };
    vec![
        snippet("curl", shell),
        snippet(
            "fetch",
            format!("{javascript}\nconst data = await response.json();"),
        ),
        snippet(
            "Rust",
            format!("{rust}\n    .send()\n    .await?\n    .error_for_status()?\n    .json()\n    .await?;"),
        ),
    ]
}

/// Text as a literal of a shell. The option `-g` of curl takes the brackets of filters literally.
fn shell_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Text as a literal of JavaScript.
fn javascript_literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
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
        let snippets = snippets_with_token("http://h/a?q='\"\\");
        assert_eq!(
            snippets[0].code,
            "curl -g -H \"Authorization: Bearer $TOKEN\" 'http://h/a?q='\\''\"\\'"
        );
        assert!(
            snippets[1]
                .code
                .contains("fetch(\"http://h/a?q='\\\"\\\\\", {\n  headers")
        );
        assert!(
            snippets[2]
                .code
                .contains(".get(\"http://h/a?q='\\\"\\\\\")\n    .bearer_auth(token)\n    .send()")
        );
    }

    #[test]
    fn the_brackets_of_filters_are_no_ranges_of_curl() {
        let snippets = snippets("http://h/a?rating[gte]=4");
        assert_eq!(snippets[0].code, "curl -g 'http://h/a?rating[gte]=4'");
        assert!(
            snippets[1]
                .code
                .starts_with("const response = await fetch(\"http://h/a?rating[gte]=4\");\n")
        );
        assert!(
            snippets[2]
                .code
                .contains(".get(\"http://h/a?rating[gte]=4\")\n    .send()")
        );
    }
}
