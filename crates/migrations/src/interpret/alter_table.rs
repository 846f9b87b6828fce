//! `ALTER TABLE`.

use model_resource_store::SqlDialect;

use crate::constraint_names as names;
use crate::error::{MigrationError, MigrationResult};
use crate::parse::column::{data_type, default};
use crate::parse::cursor::{TokenCursor, split};
use crate::parse::table::{add_checks, read_part, require_key};
use crate::state::{ColumnState, PrimaryKeyState, SchemaState, TableState};
use crate::step::MigrationStep;
use crate::table_name::{self, qualified};
use crate::token::quoted_name;

/// Applies the changes after `ALTER TABLE`. A table that does not exist is ignored.
pub(super) fn run(state: &mut SchemaState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    cursor.take(&["IF", "EXISTS"]);
    cursor.take(&["ONLY"]);
    let name = cursor.table_name(SqlDialect::Postgres)?;
    if !state.tables.contains_key(&name) {
        return Ok(());
    }
    if cursor.take(&["RENAME"]) {
        return rename(state, &name, cursor);
    }
    if cursor.take(&["SET", "SCHEMA"]) {
        let (schema, (_, own)) = (cursor.name()?, table_name::split(SqlDialect::Postgres, &name));
        let to = qualified(Some(&schema), own);
        state.apply_one(&MigrationStep::RenameTable { from: name, to });
        return Ok(());
    }
    for change in split(cursor.rest(), ",") {
        if let Some(table) = state.tables.get_mut(&name) {
            alter(table, &mut TokenCursor::new(change))?;
        }
    }
    Ok(())
}

fn rename(state: &mut SchemaState, table: &str, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    if cursor.take(&["TO"]) {
        let (schema, _) = table_name::split(SqlDialect::Postgres, table);
        let (from, to) = (table.to_owned(), qualified(schema, &cursor.name()?));
        state.apply_one(&MigrationStep::RenameTable { from, to });
        return Ok(());
    }
    let is_constraint = cursor.take(&["CONSTRAINT"]);
    cursor.take(&["COLUMN"]);
    let from = cursor.name()?;
    cursor.take(&["TO"]);
    let to = cursor.name()?;
    if !is_constraint {
        let table = table.to_owned();
        state.apply_one(&MigrationStep::RenameColumn { table, from, to });
        return Ok(());
    }
    // Only checks are known by their names; those of other constraints follow from their columns.
    if let Some(table) = state.tables.get_mut(table)
        && let Some(condition) = table.checks.remove(&from)
    {
        table.checks.insert(to, condition);
    }
    Ok(())
}

fn alter(table: &mut TableState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    if cursor.take(&["ADD"]) {
        cursor.take(&["COLUMN"]);
        let is_optional = cursor.take(&["IF", "NOT", "EXISTS"]);
        return add(table, cursor, is_optional);
    }
    if cursor.take(&["DROP", "CONSTRAINT"]) {
        cursor.take(&["IF", "EXISTS"]);
        let name = cursor.name()?;
        return drop_constraint(table, &name);
    }
    if cursor.take(&["DROP"]) {
        cursor.take(&["COLUMN"]);
        cursor.take(&["IF", "EXISTS"]);
        drop_column(table, &cursor.name()?);
        return Ok(());
    }
    if cursor.take(&["ALTER"]) {
        cursor.take(&["COLUMN"]);
        let name = cursor.name()?;
        return alter_column(table, &name, cursor);
    }
    Err(cursor.unexpected("a known change of a table"))
}

/// Adds a column or a constraint.
fn add(table: &mut TableState, cursor: &TokenCursor<'_>, is_optional: bool) -> MigrationResult {
    let name = TokenCursor::new(cursor.rest()).name()?;
    if is_optional && table.column(&name).is_some() {
        return Ok(());
    }
    let mut checks = Vec::new();
    read_part(SqlDialect::Postgres, cursor.rest(), table, &mut checks)?;
    add_checks(table, checks);
    require_key(table);
    Ok(())
}

/// Removes a column and the constraints and indexes that have it.
fn drop_column(table: &mut TableState, name: &str) {
    let has = |columns: &[String]| columns.iter().any(|column| column == name);
    table.columns.retain(|column| column.name != name);
    table.uniques.retain(|columns| !has(columns));
    table.foreign_keys.retain(|key| !has(&key.columns));
    table
        .indexes
        .retain(|_, index| index.columns.iter().all(|column| column.name != name));
    let quoted = quoted_name(name);
    table.checks.retain(|_, condition| !condition.contains(&quoted));
    if has(&table.primary_key.columns) {
        table.primary_key = PrimaryKeyState::default();
    }
}

fn drop_constraint(table: &mut TableState, name: &str) -> MigrationResult {
    let own = table.name.clone();
    if table.checks.remove(name).is_some() {
        return Ok(());
    }
    if let Some(columns) = table
        .uniques
        .iter()
        .find(|columns| names::unique(&own, columns) == name)
        .cloned()
    {
        table.uniques.remove(&columns);
        return Ok(());
    }
    if let Some(key) = table
        .foreign_keys
        .iter()
        .find(|key| names::foreign_key(&own, key) == name)
        .cloned()
    {
        table.foreign_keys.remove(&key);
        return Ok(());
    }
    if names::primary_key(&own) == name {
        table.primary_key.columns.clear();
        return Ok(());
    }
    Err(MigrationError::new(format!(
        "the table `{own}` has no constraint `{name}`"
    )))
}

fn alter_column(table: &mut TableState, name: &str, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    if cursor.take(&["ADD", "GENERATED"]) {
        table.primary_key.is_assigned = true;
        return Ok(());
    }
    if cursor.take(&["DROP", "IDENTITY"]) {
        table.primary_key.is_assigned = false;
        return Ok(());
    }
    let Some(column) = table.columns.iter_mut().find(|column| column.name == name) else {
        return Err(MigrationError::new(format!(
            "the table `{}` has no column `{name}`",
            table.name
        )));
    };
    change_column(column, cursor)
}

fn change_column(column: &mut ColumnState, cursor: &mut TokenCursor<'_>) -> MigrationResult {
    if cursor.take(&["TYPE"]) || cursor.take(&["SET", "DATA", "TYPE"]) {
        column.data_type = data_type(SqlDialect::Postgres, cursor).0;
    } else if cursor.take(&["SET", "NOT", "NULL"]) {
        column.is_nullable = false;
    } else if cursor.take(&["DROP", "NOT", "NULL"]) {
        column.is_nullable = true;
    } else if cursor.take(&["SET", "DEFAULT"]) {
        column.default = Some(default(cursor)?);
    } else if cursor.take(&["DROP", "DEFAULT"]) {
        column.default = None;
    } else {
        return Err(cursor.unexpected("a known change of a column"));
    }
    Ok(())
}
