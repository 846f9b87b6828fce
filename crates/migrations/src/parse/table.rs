//! `CREATE TABLE`.

use model_resource_store::SqlDialect;

use super::column::{self, FoundCheck, references};
use super::cursor::{TokenCursor, split};
use crate::error::MigrationResult;
use crate::expression::normalize;
use crate::state::{SchemaState, TableState};
use crate::token::{SqlToken, text};

/// Reads a table after `CREATE TABLE`. A table that exists already gets the columns that it lacks.
pub(super) fn read(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    cursor.take(&["IF", "NOT", "EXISTS"]);
    let mut table = TableState::new(cursor.table_name(state.dialect)?);
    let mut checks = Vec::new();
    for part in split(cursor.group()?, ",") {
        read_part(state.dialect, part, &mut table, &mut checks)?;
    }
    add_checks(&mut table, checks);
    table.options = text(cursor.rest()).to_uppercase();
    require_key(&mut table);
    match state.tables.get_mut(&table.name) {
        Some(known) => merge(known, table),
        None => {
            state.tables.insert(table.name.clone(), table);
        }
    }
    Ok(())
}

/// Adds checks to the table whose columns they compare.
pub(crate) fn add_checks(table: &mut TableState, checks: Vec<FoundCheck>) {
    let names: Vec<_> = table.columns.iter().map(|column| column.name.clone()).collect();
    for (name, tokens) in checks {
        let condition = normalize(&tokens, &names);
        match name {
            Some(name) => {
                table.checks.insert(name, condition);
            }
            None => table.other_constraints.push(format!("CHECK ({condition})")),
        }
    }
}

/// Takes null from the columns of the primary key.
pub(crate) fn require_key(table: &mut TableState) {
    for column in &mut table.columns {
        column.is_nullable &= !table.primary_key.columns.contains(&column.name);
    }
}

/// Reads a column or a constraint.
pub(crate) fn read_part(
    dialect: SqlDialect,
    tokens: &[SqlToken],
    table: &mut TableState,
    checks: &mut Vec<FoundCheck>,
) -> MigrationResult {
    let mut cursor = TokenCursor::new(tokens);
    let name = if cursor.take(&["CONSTRAINT"]) {
        Some(cursor.name()?)
    } else {
        None
    };
    if cursor.take(&["CHECK"]) {
        checks.push((name, cursor.group()?.to_vec()));
    } else if cursor.take(&["PRIMARY", "KEY"]) {
        table.primary_key.columns = cursor.names()?;
    } else if cursor.is_at(&["UNIQUE"]) {
        cursor.next();
        table.uniques.insert(cursor.names()?);
    } else if cursor.take(&["FOREIGN", "KEY"]) {
        let columns = cursor.names()?;
        cursor.take(&["REFERENCES"]);
        let key = references(dialect, &mut cursor, columns)?;
        table.foreign_keys.insert(key);
    } else if name.is_some() || cursor.is_at(&["EXCLUDE"]) {
        table.other_constraints.push(text(tokens));
    } else {
        column::read(dialect, tokens, table, checks)?;
    }
    Ok(())
}

/// Adds what another model declares of a table.
fn merge(known: &mut TableState, other: TableState) {
    for column in other.columns {
        if known.column(&column.name).is_none() {
            known.columns.push(column);
        }
    }
    known.uniques.extend(other.uniques);
    known.checks.extend(other.checks);
    known.foreign_keys.extend(other.foreign_keys);
}
