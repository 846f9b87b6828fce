//! Order of the steps.

use crate::state::{IndexState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};
use crate::token::quoted_name;

/// Steps by phase, so that each finds what it depends on in both directions.
#[derive(Default)]
pub(super) struct StepPlan {
    pub(super) renames: Vec<MigrationStep>,
    pub(super) dropped_indexes: Vec<MigrationStep>,
    pub(super) dropped_constraints: Vec<MigrationStep>,
    /// After the conditions that name old labels are gone, and before there are any that name new ones.
    pub(super) enums: Vec<MigrationStep>,
    pub(super) created_tables: Vec<MigrationStep>,
    pub(super) columns: Vec<MigrationStep>,
    pub(super) added_constraints: Vec<MigrationStep>,
    pub(super) created_indexes: Vec<MigrationStep>,
    pub(super) dropped_tables: Vec<MigrationStep>,
    pub(super) dropped_enums: Vec<MigrationStep>,
}

impl StepPlan {
    /// Returns all steps in order.
    pub(super) fn into_steps(self) -> Vec<MigrationStep> {
        let phases = [
            self.renames,
            self.dropped_indexes,
            self.dropped_constraints,
            self.enums,
            self.created_tables,
            self.columns,
            self.added_constraints,
            self.created_indexes,
            self.dropped_tables,
            self.dropped_enums,
        ];
        phases.into_iter().flatten().collect()
    }

    /// Creates a table and its indexes.
    pub(super) fn create_table(&mut self, table: &TableState) {
        let mut created = table.clone();
        for (_, index) in std::mem::take(&mut created.indexes) {
            self.created_indexes.push(create_index(&table.name, &index));
        }
        for column in &mut created.columns {
            column.default = None;
        }
        self.created_tables.push(MigrationStep::CreateTable(created));
    }

    /// Removes a table and its indexes. Before an enum type changes, it removes the checks that may name a lost label.
    pub(super) fn drop_table(&mut self, table: &TableState) {
        let mut dropped = table.clone();
        for (name, condition) in &table.checks {
            if self.changes_enum_of(table, condition) {
                dropped.checks.remove(name);
                let (name, condition) = (name.clone(), condition.clone());
                self.dropped_constraints
                    .push(alter(&table.name, TableChange::DropCheck { name, condition }));
            }
        }
        for (_, index) in std::mem::take(&mut dropped.indexes) {
            self.dropped_indexes.push(drop_index(&table.name, &index));
        }
        self.dropped_tables.push(MigrationStep::DropTable(dropped));
    }

    /// Whether a condition has a column whose enum type changes.
    fn changes_enum_of(&self, table: &TableState, condition: &str) -> bool {
        let changes = |data_type: &str| {
            let mut steps = self.enums.iter();
            steps.any(
                |step| matches!(step, MigrationStep::ChangeEnum { name, .. } if quoted_name(name) == data_type),
            )
        };
        let mut columns = table.columns.iter();
        columns.any(|column| condition.contains(&quoted_name(&column.name)) && changes(&column.data_type))
    }

    /// Creates, changes and removes enum types.
    pub(super) fn compare_enums(&mut self, before: &SchemaState, after: &SchemaState) {
        for (name, to) in &after.enums {
            let (name, to) = (name.clone(), to.clone());
            match before.enums.get(&name) {
                None => self.enums.push(MigrationStep::CreateEnum { name, labels: to }),
                Some(from) if *from != to => {
                    let from = from.clone();
                    self.enums.push(MigrationStep::ChangeEnum { name, from, to });
                }
                Some(_) => {}
            }
        }
        for (name, labels) in &before.enums {
            if !after.enums.contains_key(name) {
                let (name, labels) = (name.clone(), labels.clone());
                self.dropped_enums.push(MigrationStep::DropEnum { name, labels });
            }
        }
    }
}

pub(super) fn create_index(table: &str, index: &IndexState) -> MigrationStep {
    MigrationStep::CreateIndex {
        table: table.to_owned(),
        index: index.clone(),
    }
}

pub(super) fn drop_index(table: &str, index: &IndexState) -> MigrationStep {
    MigrationStep::DropIndex {
        table: table.to_owned(),
        index: index.clone(),
    }
}

pub(super) fn alter(table: &str, change: TableChange) -> MigrationStep {
    MigrationStep::AlterTable {
        table: table.to_owned(),
        change,
    }
}
