//! Steps in PostgreSQL's SQL.

use std::collections::BTreeSet;

use model_resource_store::SqlDialect;

use super::ddl::{check, column_type, create_index, create_table, foreign_key, is_constant, push_statements};
use crate::constraint_names as names;
use crate::state::{ColumnState, ForeignKeyState, PrimaryKeyState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::table_name::{self, DEFAULT_SCHEMA, qualified, quoted_table};
use crate::token::{quoted_name, quoted_names};

/// Returns the SQL of steps.
pub(super) fn steps_sql(before: &SchemaState, steps: &[MigrationStep]) -> String {
    let mut writer = PostgresWriter {
        state: before.clone(),
        steps,
        sql: String::new(),
        later: String::new(),
    };
    writer.drop_references();
    for step in steps {
        writer.write(step);
        writer.state.apply_one(step);
    }
    writer.sql + &writer.later
}

/// Writes steps one by one.
struct PostgresWriter<'s> {
    /// Schema before the next step.
    state: SchemaState,
    steps: &'s [MigrationStep],
    sql: String,
    /// Foreign keys to tables that are not complete yet.
    later: String,
}

impl PostgresWriter<'_> {
    fn push(&mut self, statement: &str) {
        self.sql.push_str(statement);
        self.sql.push_str(";\n");
    }

    fn alter(&mut self, table: &str, change: &str) {
        self.push(&format!("ALTER TABLE {} {change}", quoted(table)));
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
                let (schema, _) = table_name::split(SqlDialect::Postgres, table);
                self.push(&format!("DROP INDEX {}", quoted(&qualified(schema, &index.name))));
            }
            MigrationStep::CreateEnum { name, labels } => self.create_enum(name, labels),
            MigrationStep::DropEnum { name, .. } => self.push(&format!("DROP TYPE {}", quoted_name(name))),
            MigrationStep::ChangeEnum { name, from, to } => self.change_enum(name, from, to),
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
        for key in &later {
            let statement = add_foreign_key(&table.name, key);
            self.later.push_str(&statement);
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
            TableChange::AddColumn(column) => self.add_column(table, column),
            TableChange::DropColumn(column) => {
                self.alter(table, &format!("DROP COLUMN {}", quoted_name(&column.name)));
            }
            TableChange::ChangeColumn {
                from,
                to,
                fill,
                conversion,
            } => {
                if from.data_type != to.data_type {
                    self.change_type(table, from, to, conversion.as_deref());
                }
                self.change_nullability(table, from, to, fill.as_deref());
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

    fn add_column(&mut self, table: &str, column: &ColumnState) {
        let (definition, name) = (column_type(column), quoted_name(&column.name));
        if self.becomes_assigned(table, &column.name) {
            return self.alter(
                table,
                &format!("ADD COLUMN {definition} GENERATED BY DEFAULT AS IDENTITY"),
            );
        }
        let required = if column.is_nullable { "" } else { " NOT NULL" };
        match &column.default {
            None => self.alter(table, &format!("ADD COLUMN {definition}{required}")),
            Some(default) if is_constant(default) => {
                self.alter(
                    table,
                    &format!("ADD COLUMN {definition}{required} DEFAULT {default}"),
                );
                self.alter(table, &format!("ALTER COLUMN {name} DROP DEFAULT"));
            }
            Some(value) => {
                self.alter(table, &format!("ADD COLUMN {definition}"));
                self.push(&format!("UPDATE {} SET {name} = {value}", quoted(table)));
                if !column.is_nullable {
                    self.alter(table, &format!("ALTER COLUMN {name} SET NOT NULL"));
                }
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

    fn change_type(&mut self, table: &str, from: &ColumnState, to: &ColumnState, conversion: Option<&str>) {
        let (name, data_type) = (quoted_name(&to.name), &to.data_type);
        if from.default.is_some() {
            self.alter(table, &format!("ALTER COLUMN {name} DROP DEFAULT"));
        }
        // Enum types have no cast to each other but by their texts.
        let between = if from.data_type.starts_with('"') && to.data_type != "text" {
            "::text"
        } else {
            ""
        };
        let cast = format!("{name}{between}::{data_type}");
        let using = conversion.unwrap_or(&cast);
        self.alter(
            table,
            &format!("ALTER COLUMN {name} TYPE {data_type} USING {using}"),
        );
    }

    fn change_nullability(&mut self, table: &str, from: &ColumnState, to: &ColumnState, fill: Option<&str>) {
        let name = quoted_name(&to.name);
        match (from.is_nullable, to.is_nullable) {
            (true, false) => {
                if let Some(fill) = fill {
                    self.push(&format!(
                        "UPDATE {} SET {name} = {fill} WHERE {name} IS NULL",
                        quoted(table)
                    ));
                }
                self.alter(table, &format!("ALTER COLUMN {name} SET NOT NULL"));
            }
            (false, true) => self.alter(table, &format!("ALTER COLUMN {name} DROP NOT NULL")),
            (true, true) | (false, false) => {}
        }
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

    fn create_enum(&mut self, name: &str, labels: &[String]) {
        let labels: Vec<_> = labels.iter().map(|label| literal(label)).collect();
        self.push(&format!(
            "CREATE TYPE {} AS ENUM ({})",
            quoted_name(name),
            labels.join(", ")
        ));
    }

    /// Adds labels at the end. Other changes need a new type.
    fn change_enum(&mut self, name: &str, from: &[String], to: &[String]) {
        let own = quoted_name(name);
        if let Some(added) = to.strip_prefix(from) {
            for label in added {
                self.push(&format!("ALTER TYPE {own} ADD VALUE {}", literal(label)));
            }
            return;
        }
        let old = quoted_name(&format!("{name}__old"));
        self.push(&format!("ALTER TYPE {own} RENAME TO {old}"));
        self.create_enum(name, to);
        let mut users = Vec::new();
        for table in self.state.tables.values() {
            let columns = table.columns.iter().filter(|column| column.data_type == own);
            users.extend(columns.map(|column| (table.name.clone(), quoted_name(&column.name))));
        }
        for (table, column) in users {
            self.alter(
                &table,
                &format!("ALTER COLUMN {column} TYPE {own} USING {column}::text::{own}"),
            );
        }
        self.push(&format!("DROP TYPE {old}"));
    }
}

fn add_foreign_key(table: &str, key: &ForeignKeyState) -> String {
    let (own, name) = (quoted(table), quoted_name(&names::foreign_key(table, key)));
    let definition = foreign_key(SqlDialect::Postgres, key);
    format!("ALTER TABLE {own} ADD CONSTRAINT {name} {definition};\n")
}

fn quoted(table: &str) -> String {
    quoted_table(SqlDialect::Postgres, table)
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
