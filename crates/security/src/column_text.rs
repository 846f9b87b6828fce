//! Text columns of any model.

use model_resource::{Field, Model, ValueRef};

/// Text in a column of a row.
pub(crate) fn text<M: Model>(row: &M, column: Field<M, String>) -> &str {
    match row.value(column.position()) {
        ValueRef::Text(text) => text,
        _ => "",
    }
}
