//! CSV according to RFC 4180: cells are written into a buffer, and files are read line by line.
//!
//! An empty cell is null; an empty text is quoted.

mod read;
mod write;

pub use read::{CsvCell, CsvError, CsvRecord, CsvRecords, read};
pub use write::{write_document, write_json, write_text, write_value};

/// Whether a spreadsheet would interpret the text as a formula, ignoring leading apostrophes.
fn looks_like_formula(text: &str) -> bool {
    text.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}
