//! `CREATE INDEX`.

use super::cursor::{TokenCursor, split};
use crate::error::{MigrationError, MigrationResult};
use crate::expression::normalize;
use crate::state::{IndexState, IndexedColumnState, SchemaState};
use crate::token::{SqlToken, text};

/// Reads an index after `CREATE INDEX`. One over expressions, or of another method than a
/// B-tree, is kept as the statement that creates it.
pub(super) fn read(
    state: &mut SchemaState,
    cursor: &mut TokenCursor<'_>,
    is_unique: bool,
    statement: &[SqlToken],
) -> MigrationResult {
    cursor.take(&["CONCURRENTLY"]);
    cursor.take(&["IF", "NOT", "EXISTS"]);
    let name = cursor.name()?;
    cursor.take(&["ON"]);
    let table = cursor.table_name(state.dialect)?;
    let method = if cursor.take(&["USING"]) {
        cursor.name()?
    } else {
        "btree".to_owned()
    };
    let Some(table) = state.tables.get_mut(&table) else {
        return Err(MigrationError::new(format!(
            "the index `{name}` is of an unknown table `{table}`"
        )));
    };
    let names: Vec<_> = table.columns.iter().map(|column| column.name.clone()).collect();
    let columns = split(cursor.group()?, ",")
        .into_iter()
        .map(|part| column(part, &names));
    let columns: Option<Vec<_>> = columns.collect();
    let Some(columns) = columns.filter(|_| method == "btree") else {
        table.other_statements.push(text(statement));
        return Ok(());
    };
    let condition = cursor.take(&["WHERE"]).then(|| normalize(cursor.rest(), &names));
    let index = IndexState {
        name: name.clone(),
        is_unique,
        columns,
        condition,
    };
    table.indexes.insert(name, index);
    Ok(())
}

/// Reads a column of an index; `None` for an expression.
fn column(tokens: &[SqlToken], names: &[String]) -> Option<IndexedColumnState> {
    let (SqlToken::Word(first) | SqlToken::Name(first)) = tokens.first()? else {
        return None;
    };
    let name = names.iter().find(|name| name.eq_ignore_ascii_case(first))?;
    let mut order = TokenCursor::new(&tokens[1..]);
    order.take(&["ASC"]);
    if order.is_at_group() {
        return None;
    }
    Some(IndexedColumnState {
        name: name.clone(),
        order: normalize(order.rest(), &[]),
    })
}
