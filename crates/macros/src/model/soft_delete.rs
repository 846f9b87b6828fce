//! Validation of `soft_delete`.

use super::column::{ColumnOption, ParsedColumn};
use super::parse::ParsedModel;
use super::type_family::{self, TypeFamily};
use crate::diagnostics::Diagnostics;

/// Options that nothing would use, because the framework alone sets the column.
const IDLE: [&str; 5] = ["default", "max", "min", "references", "unique"];

/// Reports a column of soft deletion that cannot hold the time of a deletion.
pub(super) fn check(
    model: &ParsedModel<'_>,
    column: &ParsedColumn<'_>,
    option: &ColumnOption,
    diagnostics: &mut Diagnostics,
) {
    let is_time = matches!(TypeFamily::of(column.ty), TypeFamily::Timestamp | TypeFamily::Own);
    if !is_time || !type_family::is_option(column.ty) {
        diagnostics.add(
            column.ty,
            "a row is deleted at a time, or not at all: make the field an Option<Timestamp>",
        );
    }
    let mut marked = model.columns.iter().filter(|other| other.has("soft_delete"));
    if marked.next().is_some_and(|first| first.ident != column.ident) {
        diagnostics.add(
            &option.tokens,
            "a row is deleted once: take `soft_delete` off one of the fields",
        );
    }
    for idle in column
        .options
        .iter()
        .filter(|other| IDLE.contains(&other.name().as_str()))
    {
        diagnostics.add(
            &idle.tokens,
            format!("only a deletion sets this column: take `{}` off", idle.name()),
        );
    }
}
