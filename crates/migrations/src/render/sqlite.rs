//! Steps in SQLite's SQL.

use model_resource_store::SqlDialect;

use super::ddl::{column_type, create_index, create_table, is_constant, push_statements, references};
use super::rebuild::rebuild;
use crate::state::{ColumnState, ForeignKeyState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::token::quoted_name;

/// Returns the SQL of steps. All changes of a table are made at once, since most need a new table.
pub(super) fn steps_sql(before: &SchemaState, steps: &[MigrationStep]) -> String {
    let (mut state, mut sql, mut altered) = (before.clone(), String::new(), Vec::new());
    for step in steps {
        match step {
            MigrationStep::AlterTable { table, .. } if altered.contains(table) => continue,
            MigrationStep::AlterTable { table, .. } => {
                altered.push(table.clone());
                let changes = changes_of(steps, table);
                if let Some(known) = state.tables.get(table) {
                    sql.push_str(&alter(known, &changes));
                }
                let of_table = |step: &&MigrationStep| matches!(step, MigrationStep::AlterTable { table: own, .. } if own == table);
                for step in steps.iter().filter(of_table) {
                    state.apply_one(step);
                }
                continue;
            }
            MigrationStep::CreateTable(table) => {
                sql.push_str(&create_table(SqlDialect::Sqlite, table));
                push_statements(&mut sql, &table.other_statements);
            }
            MigrationStep::DropTable(table) => {
                sql.push_str(&format!("DROP TABLE {};\n", quoted_name(&table.name)));
            }
            MigrationStep::RenameTable { from, to } => {
                let (from, to) = (quoted_name(from), quoted_name(to));
                sql.push_str(&format!("ALTER TABLE {from} RENAME TO {to};\n"));
            }
            MigrationStep::RenameColumn { table, from, to } => {
                let (table, from, to) = (quoted_name(table), quoted_name(from), quoted_name(to));
                sql.push_str(&format!("ALTER TABLE {table} RENAME COLUMN {from} TO {to};\n"));
            }
            MigrationStep::CreateIndex { table, index } => {
                sql.push_str(&create_index(SqlDialect::Sqlite, table, index));
            }
            MigrationStep::DropIndex { index, .. } => {
                sql.push_str(&format!("DROP INDEX {};\n", quoted_name(&index.name)));
            }
            // Enums are texts.
            MigrationStep::CreateEnum { .. }
            | MigrationStep::DropEnum { .. }
            | MigrationStep::ChangeEnum { .. } => {}
        }
        state.apply_one(step);
    }
    sql
}

fn changes_of<'s>(steps: &'s [MigrationStep], table: &str) -> Vec<&'s TableChange> {
    let changes = steps.iter().filter_map(|step| match step {
        MigrationStep::AlterTable { table: own, change } if own == table => Some(change),
        _ => None,
    });
    changes.collect()
}

/// Returns the SQL of a table's changes.
fn alter(table: &TableState, changes: &[&TableChange]) -> String {
    let statements: Option<Vec<_>> = changes
        .iter()
        .map(|change| in_place(table, changes, change))
        .collect();
    match statements {
        Some(statements) => statements.concat(),
        None => rebuild(table, changes),
    }
}

/// Returns the statement of a change that SQLite can make in place.
fn in_place(table: &TableState, changes: &[&TableChange], change: &TableChange) -> Option<String> {
    let name = quoted_name(&table.name);
    match change {
        TableChange::AddColumn(column) if is_addable(changes, column) => {
            let mut sql = format!("ALTER TABLE {name} ADD COLUMN {}", column_type(column));
            if !column.is_nullable {
                sql.push_str(" NOT NULL");
            }
            if let Some(default) = &column.default {
                sql.push_str(&format!(" DEFAULT {default}"));
            }
            if let Some(key) = added_key(changes, column) {
                sql.push(' ');
                sql.push_str(&references(SqlDialect::Sqlite, key));
            }
            Some(sql + ";\n")
        }
        // Part of the column that is added.
        TableChange::AddForeignKey(key) => {
            let is_of = |change: &&TableChange| matches!(change, TableChange::AddColumn(column) if key.columns == [column.name.as_str()]);
            changes.iter().any(is_of).then(String::new)
        }
        TableChange::DropColumn(column) if is_droppable(table, &column.name) => Some(format!(
            "ALTER TABLE {name} DROP COLUMN {};\n",
            quoted_name(&column.name)
        )),
        _ => None,
    }
}

fn added_key<'c>(changes: &[&'c TableChange], column: &ColumnState) -> Option<&'c ForeignKeyState> {
    changes.iter().find_map(|change| match *change {
        TableChange::AddForeignKey(key) if key.columns == [column.name.as_str()] => Some(key),
        _ => None,
    })
}

/// Whether `ADD COLUMN` can add a column: with a literal for existing rows, or null.
fn is_addable(changes: &[&TableChange], column: &ColumnState) -> bool {
    let is_constant = column.default.as_deref().is_none_or(is_constant);
    let has_value = column.is_nullable || column.default.is_some();
    let is_reference = added_key(changes, column).is_some();
    is_constant && has_value && !(is_reference && column.default.is_some())
}

/// Whether `DROP COLUMN` can remove a column: nothing else depends on it.
fn is_droppable(table: &TableState, column: &str) -> bool {
    let quoted = quoted_name(column);
    let mut indexes = table.indexes.values();
    !table.is_constrained(column)
        && !indexes.any(|index| {
            let is_indexed = index.columns.iter().any(|own| own.name == column);
            is_indexed
                || index
                    .condition
                    .as_ref()
                    .is_some_and(|condition| condition.contains(&quoted))
        })
}
