//! The result of the audit.

use std::fmt;

use model_resource_cli::aligned;
use serde::Serialize;

/// The access matrix: one line per request, one cell per caller.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct Matrix {
    /// One line per method, URL and state of the row.
    pub lines: Vec<MatrixLine>,
}

/// One request with the response to each caller.
#[derive(Debug, Serialize)]
pub struct MatrixLine {
    /// The HTTP method.
    pub method: String,
    /// The URL as it is registered.
    pub url: String,
    /// The state of the requested row, and whether the request is a bulk request. Empty if only one state exists.
    pub row: String,
    /// The responses, one per caller.
    pub outcomes: Vec<MatrixCell>,
}

/// The response to one caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatrixCell {
    /// Name of the caller.
    pub caller: &'static str,
    /// The status.
    pub status: u16,
    /// Number of rows in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
}

impl MatrixCell {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the status is an access decision. Any other failure would hide the decision.
    pub(super) fn is_access_decision(&self) -> bool {
        self.is_success() || [401, 403, 404].contains(&self.status)
    }
}

impl fmt::Display for MatrixCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows {
            Some(rows) => write!(f, "{} ({rows})", self.status),
            None => write!(f, "{}", self.status),
        }
    }
}

impl MatrixLine {
    /// Whether the row is missing for every caller. Such a line proves nothing.
    pub(super) fn is_missing(&self) -> bool {
        let is_missing = |outcome: &MatrixCell| outcome.status == 404;
        self.outcomes.iter().any(is_missing) && !self.outcomes.iter().any(MatrixCell::is_success)
    }
}

impl fmt::Display for MatrixLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.row.is_empty() {
            write!(f, "{} {}", self.method, self.url)
        } else {
            write!(f, "{} {} ({})", self.method, self.url, self.row)
        }
    }
}

impl Matrix {
    /// Renders an aligned table.
    pub fn table(&self) -> String {
        let callers = self.lines.first().map_or(&[][..], |line| &line.outcomes);
        let headings = ["METHOD", "URL", "ROW"].into_iter();
        let headings = headings.chain(callers.iter().map(|outcome| outcome.caller));
        let mut rows = vec![headings.map(str::to_uppercase).collect()];
        rows.extend(self.lines.iter().map(|line| {
            let request = [&line.method, &line.url, &line.row].map(String::clone);
            let outcomes = line.outcomes.iter().map(ToString::to_string);
            request.into_iter().chain(outcomes).collect()
        }));
        aligned(&rows)
    }

    /// Renders the documentation page `docs/reference/access.md`.
    pub fn page(&self) -> String {
        format!("{PAGE}\n```text\n{}```\n", self.table())
    }
}

const PAGE: &str = "\
# Access matrix of `backend`

The status that each caller gets from each method of each URL. A test compares this page with the application. After an
intended change, generate it again: `cargo run -- audit --markdown > docs/reference/access.md`.

- ROW is the state of the requested row, or `many` for a bulk request.
- The number after a status is the number of rows that the list contains for the caller.
- OWNER is the author of the articles, the user of the account and the holder of the token and the session. USER is another
  authenticated user. DISABLED has every role and a token, and was disabled.
- Each request runs on a fresh database, so no request sees the changes of another.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn line(statuses: &[u16]) -> MatrixLine {
        let outcome = |status: &u16| MatrixCell {
            caller: "somebody",
            status: *status,
            rows: None,
        };
        MatrixLine {
            method: "GET".to_owned(),
            url: "/articles/<int:id>".to_owned(),
            row: "draft".to_owned(),
            outcomes: statuses.iter().map(outcome).collect(),
        }
    }

    #[test]
    fn only_success_and_401_403_404_are_access_decisions() {
        for (status, expected) in [
            (200, true),
            (204, true),
            (401, true),
            (403, true),
            (404, true),
            (400, false),
            (405, false),
            (409, false),
            (429, false),
            (500, false),
        ] {
            assert_eq!(
                line(&[status]).outcomes[0].is_access_decision(),
                expected,
                "{status}"
            );
        }
    }

    #[test]
    fn the_json_has_an_object_for_each_line() {
        let lines = vec![line(&[200, 404])];
        let printed = serde_json::to_value(Matrix { lines }).expect("JSON");
        assert_eq!(printed[0]["url"], "/articles/<int:id>");
        assert_eq!(
            printed[0]["outcomes"][1],
            serde_json::json!({"caller": "somebody", "status": 404})
        );
    }

    #[test]
    fn a_row_is_missing_if_no_caller_finds_it() {
        assert!(line(&[404, 404, 401]).is_missing());
        assert!(!line(&[404, 200, 401]).is_missing());
        assert!(!line(&[403, 403, 401]).is_missing(), "nobody may");
    }
}
