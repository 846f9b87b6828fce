//! Effect of steps on the description of a schema.

use crate::expression::{rename_column, rename_in_statement};
use crate::state::{ForeignKeyState, IndexState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::table_name;

impl SchemaState {
    /// Applies steps in order. A step of a table that does not exist changes nothing.
    pub fn apply(&mut self, steps: &[MigrationStep]) {
        for step in steps {
            self.apply_one(step);
        }
    }

    pub(crate) fn apply_one(&mut self, step: &MigrationStep) {
        match step {
            MigrationStep::CreateTable(table) => {
                self.tables.insert(table.name.clone(), table.clone());
            }
            MigrationStep::DropTable(table) => {
                self.tables.remove(&table.name);
            }
            MigrationStep::RenameTable { from, to } => self.rename_table(from, to),
            MigrationStep::AlterTable { table, change } => {
                if let Some(table) = self.tables.get_mut(table) {
                    table.change(change);
                }
            }
            MigrationStep::RenameColumn { table, from, to } => self.rename_column(table, from, to),
            MigrationStep::CreateIndex { table, index } => {
                if let Some(table) = self.tables.get_mut(table) {
                    table.indexes.insert(index.name.clone(), index.clone());
                }
            }
            MigrationStep::DropIndex { table, index } => {
                if let Some(table) = self.tables.get_mut(table) {
                    table.indexes.remove(&index.name);
                }
            }
            MigrationStep::CreateEnum { name, labels }
            | MigrationStep::ChangeEnum { name, to: labels, .. } => {
                self.enums.insert(name.clone(), labels.clone());
            }
            MigrationStep::DropEnum { name, .. } => {
                self.enums.remove(name);
            }
        }
    }

    fn rename_table(&mut self, from: &str, to: &str) {
        if let Some(mut table) = self.tables.remove(from) {
            to.clone_into(&mut table.name);
            let name = |table| table_name::split(self.dialect, table).1;
            for statement in &mut table.other_statements {
                *statement = rename_in_statement(statement, name(from), name(to));
            }
            self.tables.insert(to.to_owned(), table);
        }
        self.change_foreign_keys(|_, key| {
            if key.table == from {
                to.clone_into(&mut key.table);
            }
        });
    }

    fn rename_column(&mut self, table: &str, from: &str, to: &str) {
        if let Some(table) = self.tables.get_mut(table) {
            table.rename_column(from, to);
        }
        self.change_foreign_keys(|own, key| key.rename_column(own, table, from, to));
    }

    /// Changes every foreign key, given the table that has it.
    fn change_foreign_keys(&mut self, change: impl Fn(&str, &mut ForeignKeyState)) {
        for table in self.tables.values_mut() {
            let keys = std::mem::take(&mut table.foreign_keys)
                .into_iter()
                .map(|mut key| {
                    change(&table.name, &mut key);
                    key
                });
            table.foreign_keys = keys.collect();
        }
    }
}

impl ForeignKeyState {
    /// Renames a column of a table in the key, given the table that has the key.
    pub(crate) fn rename_column(&mut self, own: &str, table: &str, from: &str, to: &str) {
        if own == table {
            rename_in(&mut self.columns, from, to);
        }
        if self.table == table {
            rename_in(&mut self.targets, from, to);
        }
    }
}

impl TableState {
    fn change(&mut self, change: &TableChange) {
        match change {
            TableChange::AddColumn(column) => self.columns.push(column.clone()),
            TableChange::DropColumn(column) => self.columns.retain(|own| own.name != column.name),
            TableChange::ChangeColumn { to, .. } => {
                if let Some(own) = self.columns.iter_mut().find(|own| own.name == to.name) {
                    own.clone_from(to);
                }
            }
            TableChange::ChangePrimaryKey { to, .. } => self.primary_key.clone_from(to),
            TableChange::AddUnique(columns) => {
                self.uniques.insert(columns.clone());
            }
            TableChange::DropUnique(columns) => {
                self.uniques.remove(columns);
            }
            TableChange::AddCheck { name, condition } => {
                self.checks.insert(name.clone(), condition.clone());
            }
            TableChange::DropCheck { name, .. } => {
                self.checks.remove(name);
            }
            TableChange::AddForeignKey(key) => {
                self.foreign_keys.insert(key.clone());
            }
            TableChange::DropForeignKey(key) => {
                self.foreign_keys.remove(key);
            }
        }
    }

    fn rename_column(&mut self, from: &str, to: &str) {
        for column in self.columns.iter_mut().filter(|column| column.name == from) {
            to.clone_into(&mut column.name);
        }
        rename_in(&mut self.primary_key.columns, from, to);
        let uniques = std::mem::take(&mut self.uniques).into_iter().map(|mut columns| {
            rename_in(&mut columns, from, to);
            columns
        });
        self.uniques = uniques.collect();
        for condition in self.checks.values_mut() {
            *condition = rename_column(condition, from, to);
        }
        for constraint in &mut self.other_constraints {
            *constraint = rename_column(constraint, from, to);
        }
        for statement in &mut self.other_statements {
            *statement = rename_in_statement(statement, from, to);
        }
        for index in self.indexes.values_mut() {
            rename_in_index(index, from, to);
        }
    }
}

fn rename_in_index(index: &mut IndexState, from: &str, to: &str) {
    for column in index.columns.iter_mut().filter(|column| column.name == from) {
        to.clone_into(&mut column.name);
    }
    if let Some(condition) = &mut index.condition {
        *condition = rename_column(condition, from, to);
    }
}

fn rename_in(names: &mut [String], from: &str, to: &str) {
    for name in names.iter_mut().filter(|name| *name == from) {
        to.clone_into(name);
    }
}
