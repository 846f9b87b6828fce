//! The result of an audit.

use std::fmt;

use serde::Serialize;

/// Access matrix of an application: one line per request, one cell per caller.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matrix {
    /// Name of the api.
    pub name: String,
    /// Sentences of the application about its callers and rows.
    pub notes: Vec<String>,
    /// One line per method, URL and state of the row.
    pub lines: Vec<MatrixLine>,
}

/// One request with the response to each caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MatrixLine {
    /// HTTP method.
    pub method: String,
    /// URL as it is registered.
    pub url: String,
    /// State of the requested row, and whether the request is a bulk request. Empty if only one state exists.
    pub row: String,
    /// Responses, one per caller.
    pub outcomes: Vec<MatrixCell>,
}

/// Response to one caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MatrixCell {
    /// Name of the caller.
    pub caller: String,
    /// Status.
    pub status: u16,
    /// Number of rows in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
}

impl MatrixCell {
    fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Whether a status is an access decision. Any other failure would hide the decision.
pub(crate) fn is_access_decision(status: u16) -> bool {
    (200..300).contains(&status) || [401, 403, 404].contains(&status)
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
    /// Whether the row is missing for every caller. Such a line proves nothing. A row that nobody may change is present
    /// for those who get 403.
    pub(crate) fn is_missing(&self) -> bool {
        let is_missing = |outcome: &MatrixCell| outcome.status == 404;
        let is_present = |outcome: &MatrixCell| outcome.is_success() || outcome.status == 403;
        self.outcomes.iter().any(is_missing) && !self.outcomes.iter().any(is_present)
    }
}

impl fmt::Display for MatrixLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)?;
        if self.row.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", self.row)
    }
}

impl Matrix {
    /// Renders an aligned table.
    pub fn table(&self) -> String {
        let callers = self.lines.first().map_or(&[][..], |line| &line.outcomes);
        let callers = callers.iter().map(|outcome| outcome.caller.to_uppercase());
        let headings = ["METHOD", "URL", "ROW"].map(str::to_owned).into_iter();
        let mut rows: Vec<Vec<String>> = vec![headings.chain(callers).collect()];
        rows.extend(self.lines.iter().map(|line| {
            let request = [&line.method, &line.url, &line.row].map(String::clone);
            let outcomes = line.outcomes.iter().map(ToString::to_string);
            request.into_iter().chain(outcomes).collect()
        }));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths: Vec<usize> = (0..rows[0].len()).filter_map(width).collect();
        let mut table = String::new();
        for row in &rows {
            let cells = row.iter().zip(&widths);
            let line: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
            table += line.join("  ").trim_end();
            table += "\n";
        }
        table
    }

    /// Renders a page in Markdown, for the documentation of the application.
    pub fn page(&self) -> String {
        let notes = self.notes.iter().map(|note| note.replace('\n', "\n  "));
        let notes: String = notes.map(|note| format!("- {note}\n")).collect();
        format!(
            "# Access matrix of `{}`\n\n{ABOUT}{notes}{ISOLATION}\n```text\n{}```\n",
            self.name,
            self.table()
        )
    }

    /// Renders the lines as JSON, indented.
    pub fn json(&self) -> String {
        let lines = serde_json::to_string_pretty(&self.lines);
        lines.expect("texts and numbers are valid JSON")
    }
}

const ABOUT: &str = "\
The status that each caller gets from each method of each URL. The command `audit --markdown` prints this page, and a test
compares it with the application. After an intended change, write it again: `UPDATE_ACCESS_MATRIX=1 cargo test`.

- ROW is the state of the requested row, or `many` for a bulk request.
- The number after a status is the number of rows that the list contains for the caller.
";

const ISOLATION: &str =
    "- Each request runs on a fresh database, so no request sees the changes of another.\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn line(statuses: &[u16]) -> MatrixLine {
        let outcome = |status: &u16| MatrixCell {
            caller: "somebody".to_owned(),
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
        for status in [200, 204, 401, 403, 404] {
            assert!(is_access_decision(status), "{status}");
        }
        for status in [302, 400, 405, 409, 429, 500] {
            assert!(!is_access_decision(status), "{status}");
        }
    }

    #[test]
    fn a_row_is_missing_if_no_caller_finds_it() {
        assert!(line(&[404, 404, 401]).is_missing());
        assert!(!line(&[404, 200, 401]).is_missing());
        assert!(!line(&[403, 403, 401]).is_missing(), "nobody may");
        assert!(
            !line(&[404, 403, 403]).is_missing(),
            "nobody may, and some do not see it"
        );
    }
}
