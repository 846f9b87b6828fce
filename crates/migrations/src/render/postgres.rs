//! Steps in PostgreSQL's SQL.

use std::collections::BTreeSet;

use model_resource_store::SqlDialect;

use super::ddl::{check, create_index, create_table, foreign_key, push_statements};
use super::postgres_columns::{self as columns, MigrationProgress, alter, quoted};
use super::postgres_enums as enums;
use crate::constraint_names as names;
use crate::state::{ForeignKeyState, PrimaryKeyState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::table_name::{self, DEFAULT_SCHEMA, qualified};
use crate::token::{quoted_name, quoted_names};

/// Returns the SQL of steps.
pub(super) fn steps_sql(before: &SchemaState, steps: &[MigrationStep]) -> String {
    let steps = &enums::with_labels_first(steps);
    let mut writer = PostgresWriter {
        state: before.clone(),
        steps,
        sql: String::new(),
        later: Vec::new(),
        last: String::new(),
    };
    writer.drop_references();
    for step in steps {
        writer.write(step);
        writer.state.apply_one(step);
        writer.rename_later(step);
    }
    let later = writer
        .later
        .iter()
        .map(|(table, key)| add_foreign_key(table, key));
    writer.sql + &later.collect::<String>() + &writer.last
}

/// Writes steps one by one.
struct PostgresWriter<'s> {
    /// Schema before the next step.
    state: SchemaState,
    steps: &'s [MigrationStep],
    sql: String,
    /// Foreign keys to tables that are not complete yet, by their tables.
    later: Vec<(String, ForeignKeyState)>,
    /// Statements that remove what others use until then.
    last: String,
}

impl PostgresWriter<'_> {
    fn push(&mut self, statement: &str) {
        self.sql.push_str(statement);
        self.sql.push_str(";\n");
    }

    fn progress(&self) -> MigrationProgress<'_> {
        MigrationProgress {
            state: &self.state,
            steps: self.steps,
        }
    }

    fn alter(&mut self, table: &str, change: &str) {
        self.sql.push_str(&alter(table, change));
    }

    /// Removes foreign keys between tables that are dropped, in whichever order that happens.
    fn drop_references(&mut self) {
        let dropped = |name: &str| {
            let mut steps = self.steps.iter();
            steps.any(|step| matches!(step, MigrationStep::DropTable(table) if table.name == name))
        };
        let mut found = Vec::new();
        for step in self.steps {
            if let MigrationStep::DropTable(table) = step {
                let keys = table
                    .foreign_keys
                    .iter()
                    .filter(|key| key.table != table.name && dropped(&key.table));
                found.extend(keys.map(|key| (table.name.clone(), names::foreign_key(&table.name, key))));
            }
        }
        for (table, name) in found {
            self.alter(&table, &format!("DROP CONSTRAINT {}", quoted_name(&name)));
        }
    }

    fn write(&mut self, step: &MigrationStep) {
        match step {
            MigrationStep::CreateTable(table) => self.create_table(table),
            MigrationStep::DropTable(table) => self.push(&format!("DROP TABLE {}", quoted(&table.name))),
            MigrationStep::RenameTable { from, to } => {
                self.rename_table(from, to);
                self.rename_constraints(step, from, to);
            }
            MigrationStep::RenameColumn { table, from, to } => {
                self.alter(
                    table,
                    &format!("RENAME COLUMN {} TO {}", quoted_name(from), quoted_name(to)),
                );
                self.rename_constraints(step, table, table);
            }
            MigrationStep::AlterTable { table, change } => self.change(table, change),
            MigrationStep::CreateIndex { table, index } => {
                let statement = create_index(SqlDialect::Postgres, table, index);
                self.sql.push_str(&statement);
            }
            MigrationStep::DropIndex { table, index } => {
                self.sql.push_str(&columns::drop_index(table, &index.name));
            }
            MigrationStep::CreateEnum { name, labels } => self.sql.push_str(&enums::create(name, labels)),
            MigrationStep::DropEnum { name, .. } => self.push(&format!("DROP TYPE {}", quoted_name(name))),
            MigrationStep::ChangeEnum { name, from, to } => {
                let (changed, last) = enums::change(&self.state, self.steps, name, (from, to));
                self.sql.push_str(&changed);
                self.last.push_str(&last);
            }
        }
    }

    /// Creates a table. Foreign keys to tables that later steps create or change are added at the end.
    fn create_table(&mut self, table: &TableState) {
        let mut created = table.clone();
        let (later, now): (BTreeSet<_>, _) = table
            .foreign_keys
            .iter()
            .cloned()
            .partition(|key| self.is_incomplete(table, key));
        created.foreign_keys = now;
        self.create_schema(&table.name);
        self.sql.push_str(&create_table(SqlDialect::Postgres, &created));
        push_statements(&mut self.sql, &table.other_statements);
        self.later
            .extend(later.into_iter().map(|key| (table.name.clone(), key)));
    }

    /// Gives the foreign keys that are added at the end the names that a step changes.
    fn rename_later(&mut self, step: &MigrationStep) {
        for (table, key) in &mut self.later {
            match step {
                MigrationStep::RenameTable { from, to } => {
                    for own in [table, &mut key.table] {
                        if own == from {
                            own.clone_from(to);
                        }
                    }
                }
                MigrationStep::RenameColumn {
                    table: renamed,
                    from,
                    to,
                } => key.rename_column(table, renamed, from, to),
                _ => {}
            }
        }
    }

    /// Creates the schema of a table, unless another table is in it. No step removes a schema, which may have other
    /// contents.
    fn create_schema(&mut self, table: &str) {
        let schema_of = |table| table_name::split(SqlDialect::Postgres, table).0;
        let Some(schema) = schema_of(table) else {
            return;
        };
        let mut tables = self.state.tables.keys();
        if !tables.any(|other| schema_of(other) == Some(schema)) {
            self.push(&format!("CREATE SCHEMA IF NOT EXISTS {}", quoted_name(schema)));
        }
    }

    /// Moves a table to its new schema, if that differs, and gives it its new name.
    fn rename_table(&mut self, from: &str, to: &str) {
        let (old_schema, old_name) = table_name::split(SqlDialect::Postgres, from);
        let (schema, name) = table_name::split(SqlDialect::Postgres, to);
        if schema != old_schema {
            self.create_schema(to);
            let target = quoted_name(schema.unwrap_or(DEFAULT_SCHEMA));
            self.alter(from, &format!("SET SCHEMA {target}"));
        }
        if name != old_name {
            let moved = qualified(schema, old_name);
            self.alter(&moved, &format!("RENAME TO {}", quoted_name(name)));
        }
    }

    fn is_incomplete(&self, table: &TableState, key: &ForeignKeyState) -> bool {
        let is_altered = |step: &MigrationStep| matches!(step, MigrationStep::AlterTable { table: own, .. } if *own == key.table);
        key.table != table.name
            && (!self.state.tables.contains_key(&key.table) || self.steps.iter().any(is_altered))
    }

    /// Gives constraints the names that follow from those of the table and its columns.
    fn rename_constraints(&mut self, step: &MigrationStep, from: &str, to: &str) {
        let mut after = self.state.clone();
        after.apply_one(step);
        let (Some(old), Some(new)) = (self.state.tables.get(from), after.tables.get(to)) else {
            return;
        };
        // In the order of the old names, since the new ones may sort otherwise.
        let renamed = |columns: &Vec<String>| -> Vec<String> {
            let position = |name: &String| old.columns.iter().position(|column| column.name == *name);
            let name = |name: &String| {
                position(name).map_or_else(|| name.clone(), |place| new.columns[place].name.clone())
            };
            columns.iter().map(name).collect()
        };
        let mut expected = vec![names::primary_key(to)];
        expected.extend(
            old.uniques
                .iter()
                .map(|columns| names::unique(to, &renamed(columns))),
        );
        for key in &old.foreign_keys {
            let mut key = key.clone();
            key.columns = renamed(&key.columns);
            expected.push(names::foreign_key(to, &key));
        }
        let statements = names::renames(to, &names::all(old), &expected);
        self.sql.push_str(&statements);
    }

    fn change(&mut self, table: &str, change: &TableChange) {
        match change {
            TableChange::AddColumn(column) => {
                let is_assigned = self.becomes_assigned(table, &column.name);
                let statements = columns::add(self.progress(), table, column, is_assigned);
                self.sql.push_str(&statements);
            }
            TableChange::DropColumn(column) => {
                self.alter(table, &format!("DROP COLUMN {}", quoted_name(&column.name)));
            }
            TableChange::ChangeColumn {
                from,
                to,
                fill,
                conversion,
            } => {
                let answers = (fill.as_deref(), conversion.as_deref());
                let statements = columns::change(self.progress(), table, (from, to), answers);
                self.sql.push_str(&statements);
            }
            TableChange::ChangePrimaryKey { from, to } => self.change_primary_key(table, from, to),
            TableChange::AddUnique(columns) => {
                let name = quoted_name(&names::unique(table, columns));
                self.alter(
                    table,
                    &format!("ADD CONSTRAINT {name} UNIQUE ({})", quoted_names(columns)),
                );
            }
            TableChange::DropUnique(columns) => {
                self.alter(
                    table,
                    &format!("DROP CONSTRAINT {}", quoted_name(&names::unique(table, columns))),
                );
            }
            TableChange::AddCheck { name, condition } => {
                self.alter(table, &format!("ADD {}", check(name, condition)));
            }
            TableChange::DropCheck { name, .. } => {
                self.alter(table, &format!("DROP CONSTRAINT {}", quoted_name(name)));
            }
            TableChange::AddForeignKey(key) => {
                let statement = add_foreign_key(table, key);
                self.sql.push_str(&statement);
            }
            TableChange::DropForeignKey(key) => {
                self.alter(
                    table,
                    &format!("DROP CONSTRAINT {}", quoted_name(&names::foreign_key(table, key))),
                );
            }
        }
    }

    /// Whether a later step makes a column the key that the database assigns.
    fn becomes_assigned(&self, table: &str, column: &str) -> bool {
        self.steps.iter().any(|step| match step {
            MigrationStep::AlterTable {
                table: own,
                change: TableChange::ChangePrimaryKey { to, .. },
            } => own == table && to.is_assigned && to.columns == [column],
            _ => false,
        })
    }

    fn change_primary_key(&mut self, table: &str, from: &PrimaryKeyState, to: &PrimaryKeyState) {
        let name = quoted_name(&names::primary_key(table));
        let is_new = |column: &String| {
            let added = |step: &MigrationStep| {
                matches!(step, MigrationStep::AlterTable { table: own, change: TableChange::AddColumn(new) }
                    if own == table && new.name == *column)
            };
            self.steps.iter().any(added)
        };
        let is_assigned_already = to.columns.iter().any(is_new);
        if from.columns != to.columns {
            self.alter(table, &format!("DROP CONSTRAINT {name}"));
        }
        if from.is_assigned && (from.columns != to.columns || !to.is_assigned) {
            let column = quoted_name(&from.columns[0]);
            self.alter(table, &format!("ALTER COLUMN {column} DROP IDENTITY"));
        }
        if from.columns != to.columns {
            self.alter(
                table,
                &format!(
                    "ADD CONSTRAINT {name} PRIMARY KEY ({})",
                    quoted_names(&to.columns)
                ),
            );
        }
        if to.is_assigned && (from.columns != to.columns || !from.is_assigned) && !is_assigned_already {
            let (raw, column) = (&to.columns[0], quoted_name(&to.columns[0]));
            let (own, text) = (quoted(table), quoted(table).replace('\'', "''"));
            self.alter(
                table,
                &format!("ALTER COLUMN {column} ADD GENERATED BY DEFAULT AS IDENTITY"),
            );
            let raw = raw.replace('\'', "''");
            self.push(&format!(
                "SELECT setval(pg_get_serial_sequence('{text}', '{raw}'), (SELECT coalesce(max({column}), 0) + 1 FROM {own}), \
                 false)"
            ));
        }
    }
}

fn add_foreign_key(table: &str, key: &ForeignKeyState) -> String {
    let (own, name) = (quoted(table), quoted_name(&names::foreign_key(table, key)));
    let definition = foreign_key(SqlDialect::Postgres, key);
    format!("ALTER TABLE {own} ADD CONSTRAINT {name} {definition};\n")
}
