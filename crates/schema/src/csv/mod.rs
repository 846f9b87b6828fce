//! CSV, as RFC 4180 has it: cells written straight into a buffer, and files read line by line.
//!
//! Nothing at all in a cell is null; an empty text stands between quotation marks.

mod read;
mod write;

pub use read::{CsvCell, CsvRecord, CsvRecords, Misquoted, read};
pub use write::{write_document, write_json, write_text, write_value};

/// Whether a spreadsheet would take the text for a formula, also without the apostrophes before it.
fn looks_like_formula(text: &str) -> bool {
    text.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\r'])
}
