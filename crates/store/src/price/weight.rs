//! Prices of single comparisons.

use model_resource_schema::column::Table;
use model_resource_schema::query::{FieldPath, Pattern, PatternPart, Predicate};

/// Price of a comparison with a column.
const COMPARISON: u64 = 1;
/// Price of a pattern, which is compared at several positions of a text.
const PATTERN: u64 = 3;
/// Price of a comparison with a value inside a JSON document.
const DOCUMENT: u64 = 10;

/// Related rows of one row: one by a unique column, else as many as on average.
pub(super) fn fan_out(table: &'static Table, column: usize, related: u64, rows: u64) -> u64 {
    if column == table.primary_key || table.columns[column].unique {
        1
    } else {
        related.div_ceil(rows.max(1)).max(1)
    }
}

/// Price of a predicate on one value.
pub(super) fn value_weight(path: &FieldPath, test: &Predicate) -> u64 {
    let document = if path.keys().is_empty() { 0 } else { DOCUMENT };
    let comparison = match test {
        Predicate::Like(_) => PATTERN,
        Predicate::Is(..) | Predicate::OneOf(_) | Predicate::NoneOf(_) => COMPARISON,
        Predicate::Between(..) | Predicate::Null(_) | Predicate::IsColumn(..) => COMPARISON,
    };
    document + comparison
}

/// Whether a pattern begins with a text, as it is.
pub(super) fn has_prefix(pattern: &Pattern) -> bool {
    let begins = matches!(pattern.parts.first(), Some(PatternPart::Text(text)) if !text.is_empty());
    begins && !pattern.ignores_case
}
