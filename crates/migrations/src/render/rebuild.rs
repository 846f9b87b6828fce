//! New tables in place of old ones, for changes that SQLite cannot make otherwise.

use model_resource_store::SqlDialect;

use super::ddl::{create_index, create_table, push_statements};
use crate::state::{ColumnState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::token::quoted_name;
use crate::zero::zero_value;

/// Returns the SQL that builds a table anew with its rows, indexes and triggers.
///
/// Values are copied without a cast: a strict table converts what keeps its value, and refuses the rest.
pub(super) fn rebuild(table: &TableState, changes: &[&TableChange]) -> String {
    let mut after = changed(table, changes);
    let copied: Vec<_> = after
        .columns
        .iter()
        .filter_map(|column| copy(table, &after, changes, column))
        .collect();
    let columns: Vec<_> = copied.iter().map(|(name, _)| name.as_str()).collect();
    let values: Vec<_> = copied.iter().map(|(_, value)| value.as_str()).collect();
    for column in &mut after.columns {
        // The default of a new column is meant for existing rows.
        if table.column(&column.name).is_none() {
            column.default = None;
        }
    }
    let new_name = format!("{}__new", table.name);
    let (old, new) = (quoted_name(&table.name), quoted_name(&new_name));
    let indexes = std::mem::take(&mut after.indexes);
    new_name.clone_into(&mut after.name);
    let mut sql = create_table(SqlDialect::Sqlite, &after);
    sql.push_str(&format!(
        "INSERT INTO {new} ({}) SELECT {} FROM {old};\n",
        columns.join(", "),
        values.join(", ")
    ));
    if table.primary_key.is_assigned && after.primary_key.is_assigned {
        push_sequence(&mut sql, &table.name, &new_name);
    }
    // Without the pragma, SQLite would look for the table in views that mention it.
    sql.push_str(&format!(
        "DROP TABLE {old};\nPRAGMA legacy_alter_table = ON;\nALTER TABLE {new} RENAME TO {old};\n\
         PRAGMA legacy_alter_table = OFF;\n"
    ));
    for index in indexes.values() {
        sql.push_str(&create_index(SqlDialect::Sqlite, &table.name, index));
    }
    push_statements(&mut sql, &after.other_statements);
    sql
}

/// Table after its changes.
fn changed(table: &TableState, changes: &[&TableChange]) -> TableState {
    let mut state = SchemaState::empty(SqlDialect::Sqlite);
    state.tables.insert(table.name.clone(), table.clone());
    for change in changes {
        state.apply_one(&MigrationStep::AlterTable {
            table: table.name.clone(),
            change: (*change).clone(),
        });
    }
    state.tables.remove(&table.name).unwrap_or_else(|| table.clone())
}

/// Keeps the highest key that was ever assigned, so that none is assigned twice.
fn push_sequence(sql: &mut String, old: &str, new: &str) {
    let (old, new) = (text(old), text(new));
    sql.push_str(&format!(
        "DELETE FROM sqlite_sequence WHERE name = {new};\n\
         INSERT INTO sqlite_sequence (name, seq) SELECT {new}, seq FROM sqlite_sequence WHERE name = {old};\n"
    ));
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Returns the name of a column and the expression of its values; `None` if the database fills it.
fn copy(
    before: &TableState,
    after: &TableState,
    changes: &[&TableChange],
    column: &ColumnState,
) -> Option<(String, String)> {
    let name = quoted_name(&column.name);
    let is_generated = column.options.starts_with("AS ") || column.options.starts_with("GENERATED");
    if is_generated {
        return None;
    }
    if before.column(&column.name).is_none() {
        let is_assigned = after.assigns(&column.name);
        let value = column.default.clone().filter(|_| !is_assigned)?;
        return Some((name, value));
    }
    let change = changes.iter().find_map(|change| match change {
        TableChange::ChangeColumn {
            from,
            to,
            fill,
            conversion,
        } if to.name == column.name => Some((from, fill, conversion)),
        _ => None,
    });
    let Some((from, fill, conversion)) = change else {
        return Some((name.clone(), name));
    };
    let value = match conversion {
        Some(conversion) => conversion.clone(),
        None if from.is_lost_as(column) => lost_value(column),
        None => name.clone(),
    };
    match fill {
        Some(fill) => Some((name, format!("coalesce({value}, {fill})"))),
        None => Some((name, value)),
    }
}

/// Returns the value of a column whose values cannot be converted back: null, or the empty value of its type.
fn lost_value(column: &ColumnState) -> String {
    let value = zero_value(&column.data_type).filter(|_| !column.is_nullable);
    value.unwrap_or_else(|| "NULL".to_owned())
}
