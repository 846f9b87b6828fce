//! Parsing of CSV files.

use crate::csv::looks_like_formula;

/// Maximum number of cells of a line, so that one that never ends takes neither time nor memory.
const MAX_CELLS: usize = 1024;

/// A cell, without its quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvCell {
    text: String,
    is_quoted: bool,
}

impl CsvCell {
    /// Whether the cell is empty and unquoted.
    pub fn is_null(&self) -> bool {
        !self.is_quoted && self.text.is_empty()
    }

    /// Text of the cell.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Text of the cell without the apostrophe that [`write_text`](super::write_text) adds to formulas.
    pub fn without_formula_guard(&self) -> &str {
        match self.text.strip_prefix('\'') {
            Some(rest) if looks_like_formula(rest) => rest,
            _ => &self.text,
        }
    }
}

/// Cells of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvRecord {
    /// Line number in the file where it begins, from 1.
    pub number: usize,
    /// Cells in order.
    pub cells: Vec<CsvCell>,
}

/// Error for a malformed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvError {
    line: usize,
    problem: &'static str,
}

impl std::fmt::Display for CsvError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Malformed CSV: {} on line {}.", self.problem, self.line)
    }
}

/// Parses a file line by line, with any line ending; empty lines are ignored. Stops after the first error; more than 1,024
/// cells on a line are one.
///
/// ```
/// use model_resource_schema::csv::read;
///
/// let lines: Vec<_> = read("id,name\r\n1,\"Ann, \"\"Bob\"\"\"\r\n").map(Result::unwrap).collect();
/// assert_eq!(lines[1].number, 2);
/// assert_eq!(lines[1].cells[1].text(), "Ann, \"Bob\"");
/// ```
pub fn read(text: &str) -> CsvRecords<'_> {
    CsvRecords {
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        number: 1,
    }
}

/// Iterator over the lines of a file.
pub struct CsvRecords<'a> {
    rest: &'a str,
    number: usize,
}

impl Iterator for CsvRecords<'_> {
    type Item = Result<CsvRecord, CsvError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let number = self.number;
            match self.cells() {
                Ok(cells) if matches!(&cells[..], [only] if only.is_null()) => {}
                Ok(cells) => return Some(Ok(CsvRecord { number, cells })),
                Err(error) => {
                    self.rest = "";
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl<'a> CsvRecords<'a> {
    fn cells(&mut self) -> Result<Vec<CsvCell>, CsvError> {
        let mut cells = vec![self.cell()?];
        while let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest;
            if cells.len() == MAX_CELLS {
                return Err(self.error("more than 1,024 cells"));
            }
            cells.push(self.cell()?);
        }
        let ends = ["\r\n", "\n", "\r"];
        if let Some(rest) = ends.iter().find_map(|end| self.rest.strip_prefix(end)) {
            self.rest = rest;
            self.number += 1;
        }
        Ok(cells)
    }

    fn cell(&mut self) -> Result<CsvCell, CsvError> {
        match self.rest.strip_prefix('"') {
            Some(rest) => self.quoted(rest),
            None => {
                let end = self.rest.find([',', '\r', '\n', '"']);
                let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                if rest.starts_with('"') {
                    return Err(self.error("an unquoted cell contains a quotation mark"));
                }
                self.rest = rest;
                Ok(CsvCell {
                    text: text.to_owned(),
                    is_quoted: false,
                })
            }
        }
    }

    /// Parses a quoted cell; `rest` begins after its opening quotation mark.
    fn quoted(&mut self, mut rest: &'a str) -> Result<CsvCell, CsvError> {
        let mut text = String::new();
        loop {
            let Some((part, after)) = rest.split_once('"') else {
                return Err(self.error("the quotation mark is not closed"));
            };
            text.push_str(part);
            match after.strip_prefix('"') {
                Some(after) => rest = after,
                None => {
                    rest = after;
                    break;
                }
            }
            text.push('"');
        }
        if !rest.is_empty() && !rest.starts_with([',', '\r', '\n']) {
            return Err(self.error("text follows a closing quotation mark"));
        }
        self.rest = rest;
        self.number += line_ends(&text);
        Ok(CsvCell {
            text,
            is_quoted: true,
        })
    }

    fn error(&self, problem: &'static str) -> CsvError {
        CsvError {
            line: self.number,
            problem,
        }
    }
}

fn line_ends(text: &str) -> usize {
    let count = |end: &str| text.matches(end).count();
    count("\n") + count("\r") - count("\r\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::write_text;
    use proptest::prelude::*;

    fn texts(file: &str) -> Vec<(usize, Vec<String>)> {
        let text = |cell: &CsvCell| {
            if cell.is_null() {
                "null".to_owned()
            } else {
                cell.text.clone()
            }
        };
        let lines = read(file).map(Result::unwrap);
        lines
            .map(|line| (line.number, line.cells.iter().map(text).collect()))
            .collect()
    }

    fn line(number: usize, cells: &[&str]) -> (usize, Vec<String>) {
        (number, cells.iter().map(|cell| (*cell).to_owned()).collect())
    }

    #[test]
    fn a_line_has_at_most_1024_cells() {
        let line = |cells: usize| vec!["a"; cells].join(",");
        assert_eq!(read(&line(1024)).next().unwrap().unwrap().cells.len(), 1024);
        let error = read(&line(300_000)).next().unwrap().unwrap_err();
        assert_eq!(
            error.to_string(),
            "Malformed CSV: more than 1,024 cells on line 1."
        );
    }

    #[test]
    fn lines_end_as_any_system_ends_them_and_know_their_number() {
        for end in ["\r\n", "\n", "\r"] {
            let file = format!("a,b{end}{end}1,\"x{end}y\"{end},\"\"");
            let expected = [
                line(1, &["a", "b"]),
                line(3, &["1", &format!("x{end}y")]),
                line(5, &["null", ""]),
            ];
            assert_eq!(texts(&file), expected, "{end:?}");
        }
        assert_eq!(texts("\u{feff}a\n"), [line(1, &["a"])]);
        assert_eq!(texts(""), []);
    }

    #[test]
    fn a_misplaced_quotation_mark_is_named_with_its_line() {
        for (file, problem) in [
            ("a\n\"b", "the quotation mark is not closed on line 2"),
            (
                "a\nb\"c\"",
                "an unquoted cell contains a quotation mark on line 2",
            ),
            ("a\n\n\"b\"c", "text follows a closing quotation mark on line 3"),
        ] {
            let mut lines = read(file).skip_while(Result::is_ok);
            let message = lines.next().unwrap().unwrap_err().to_string();
            assert!(message.contains(problem), "{message}");
            assert!(lines.next().is_none());
        }
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(texts in prop::collection::vec("[-a=+@'\", \t\r\né]{0,12}", 1..5)) {
            let mut out = Vec::new();
            for (position, text) in texts.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_text(&mut out, text);
            }
            let file = String::from_utf8(out).unwrap();
            let lines: Vec<CsvRecord> = read(&file).map(Result::unwrap).collect();
            prop_assert_eq!(lines.len(), 1);
            let read: Vec<&str> = lines[0].cells.iter().map(CsvCell::without_formula_guard).collect();
            prop_assert_eq!(read, texts);
        }

        #[test]
        fn no_file_is_too_much(file in "[a\",\r\n']{0,40}") {
            let longest = file.len();
            prop_assert!(read(&file).count() <= longest);
        }
    }
}
