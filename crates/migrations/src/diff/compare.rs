//! Comparison of schemas and of their tables.

use std::collections::BTreeSet;

use super::plan::{StepPlan, alter, create_index, drop_index};
use super::renames::rename;
use super::types::conversion;
use crate::answers::{MigrationAnswers, MigrationQuestion};
use crate::encoding::SqliteConversion;
use crate::state::{ColumnState, ForeignKeyState, IndexState, SchemaState, TableState};
use crate::step::{MigrationStep, TableChange};

/// Returns the steps from one schema to another; none if the models declare nothing that the database lacks or differs in.
///
/// # Errors
/// A question that the answers leave open. Ask it, add the answer, and compare again.
pub fn diff(
    before: &SchemaState,
    after: &SchemaState,
    answers: &MigrationAnswers,
) -> Result<Vec<MigrationStep>, MigrationQuestion> {
    let mut before = before.clone();
    let mut plan = StepPlan {
        renames: rename(&mut before, after, answers)?,
        ..StepPlan::default()
    };
    plan.compare_enums(&before, after);
    for table in after.tables.values() {
        match before.tables.get(&table.name) {
            Some(own) => {
                let comparison = TableComparison {
                    schema: &before,
                    target: after,
                    before: with_unique_indexes(own, table),
                    after: table,
                    answers,
                };
                comparison.add_steps(&mut plan)?;
            }
            None => plan.create_table(table),
        }
    }
    for table in before.tables.values() {
        if !after.tables.contains_key(&table.name) && !answers.keeps(&table.name) {
            plan.drop_table(table);
        }
    }
    Ok(plan.into_steps())
}

/// Counts an undeclared unique index as the unique constraint that the other table declares over the same columns.
fn with_unique_indexes(table: &TableState, declared: &TableState) -> TableState {
    let mut table = table.clone();
    for columns in declared.uniques.difference(&table.uniques.clone()) {
        let is_same = |index: &&IndexState| {
            let own = index.columns.iter().map(|column| &column.name);
            let is_whole = index.is_unique && index.condition.is_none();
            is_whole && own.eq(columns) && !declared.indexes.contains_key(&index.name)
        };
        let found = table
            .indexes
            .values()
            .find(is_same)
            .map(|index| index.name.clone());
        if let Some(name) = found {
            table.indexes.remove(&name);
            table.uniques.insert(columns.clone());
        }
    }
    table
}

/// A table of the database and that of the models.
struct TableComparison<'s> {
    schema: &'s SchemaState,
    target: &'s SchemaState,
    before: TableState,
    after: &'s TableState,
    answers: &'s MigrationAnswers,
}

impl TableComparison<'_> {
    fn add_steps(&self, plan: &mut StepPlan) -> Result<(), MigrationQuestion> {
        self.compare_columns(plan)?;
        self.compare_uniques(plan);
        self.compare_checks(plan);
        self.compare_foreign_keys(plan);
        self.compare_indexes(plan);
        Ok(())
    }

    fn name(&self) -> &str {
        &self.after.name
    }

    fn keeps(&self, column: &str) -> bool {
        self.answers.keeps(&format!("{}.{column}", self.name()))
    }

    fn compare_columns(&self, plan: &mut StepPlan) -> Result<(), MigrationQuestion> {
        for column in &self.after.columns {
            let change = match self.before.column(&column.name) {
                Some(own) => self.change(own, column)?,
                None => Some(TableChange::AddColumn(self.added(column)?)),
            };
            plan.columns
                .extend(change.map(|change| alter(self.name(), change)));
        }
        if self.before.primary_key != self.after.primary_key {
            let (from, to) = (self.before.primary_key.clone(), self.after.primary_key.clone());
            plan.columns
                .push(alter(self.name(), TableChange::ChangePrimaryKey { from, to }));
        }
        for column in &self.before.columns {
            if self.after.column(&column.name).is_none() && !self.keeps(&column.name) {
                plan.columns
                    .push(alter(self.name(), TableChange::DropColumn(column.clone())));
            }
        }
        Ok(())
    }

    /// Column with the value of existing rows as its default.
    fn added(&self, column: &ColumnState) -> Result<ColumnState, MigrationQuestion> {
        let mut added = column.clone();
        let answer = self.answers.default_of(self.name(), &column.name).cloned();
        added.default = if column.is_nullable {
            answer
        } else {
            answer.or(added.default)
        };
        let needs_value = !column.is_nullable && !self.after.assigns(&column.name);
        if needs_value && added.default.is_none() {
            return Err(self.no_default(&column.name));
        }
        Ok(added)
    }

    /// Change of a column that both tables have, if they differ.
    fn change(
        &self,
        own: &ColumnState,
        column: &ColumnState,
    ) -> Result<Option<TableChange>, MigrationQuestion> {
        let (name, has_type) = (&column.name, own.is_stored_as(column));
        if has_type && own.is_nullable == column.is_nullable {
            return Ok(None);
        }
        let answer = self.answers.conversion_of(self.name(), name).cloned();
        let conversion = match (answer, conversion(self.schema.dialect, own, column)) {
            (Some(answer), _) => Some(answer),
            (None, SqliteConversion::Expression(expression)) => Some(expression),
            (None, SqliteConversion::Unknown) if !has_type => return Err(self.no_conversion(own, column)),
            (None, SqliteConversion::Copy | SqliteConversion::Unknown) => None,
        };
        let mut fill = None;
        if own.is_nullable && !column.is_nullable {
            let answer = self.answers.default_of(self.name(), name);
            fill = Some(
                answer
                    .or(column.default.as_ref())
                    .ok_or_else(|| self.no_default(name))?
                    .clone(),
            );
        }
        let to = ColumnState {
            // The default of another type may be none of this one.
            default: own.default.clone().filter(|_| has_type),
            encoding: column.encoding.or(own.encoding.filter(|_| has_type)),
            options: own.options.clone(),
            ..column.clone()
        };
        Ok(Some(TableChange::ChangeColumn {
            from: own.clone(),
            to,
            fill,
            conversion: conversion.filter(|_| !has_type),
        }))
    }

    fn no_conversion(&self, own: &ColumnState, column: &ColumnState) -> MigrationQuestion {
        let type_of = |column: &ColumnState| match column.encoding {
            Some(encoding) => format!("{} ({encoding})", column.data_type),
            None => column.data_type.clone(),
        };
        MigrationQuestion::Conversion {
            table: self.name().to_owned(),
            column: column.name.clone(),
            from: type_of(own),
            to: type_of(column),
        }
    }

    fn no_default(&self, column: &str) -> MigrationQuestion {
        MigrationQuestion::Default {
            table: self.name().to_owned(),
            column: column.to_owned(),
        }
    }

    fn compare_uniques(&self, plan: &mut StepPlan) {
        for columns in self.before.uniques.difference(&self.after.uniques) {
            if columns.iter().any(|column| self.keeps(column)) {
                continue;
            }
            plan.dropped_constraints
                .push(alter(self.name(), TableChange::DropUnique(columns.clone())));
        }
        for columns in self.after.uniques.difference(&self.before.uniques) {
            plan.added_constraints
                .push(alter(self.name(), TableChange::AddUnique(columns.clone())));
        }
    }

    fn compare_checks(&self, plan: &mut StepPlan) {
        for (name, condition) in &self.before.checks {
            if self.after.checks.get(name) != Some(condition) {
                let (name, condition) = (name.clone(), condition.clone());
                plan.dropped_constraints
                    .push(alter(self.name(), TableChange::DropCheck { name, condition }));
            }
        }
        for (name, condition) in &self.after.checks {
            if self.before.checks.get(name) != Some(condition) {
                let (name, condition) = (name.clone(), condition.clone());
                plan.added_constraints
                    .push(alter(self.name(), TableChange::AddCheck { name, condition }));
            }
        }
    }

    fn compare_foreign_keys(&self, plan: &mut StepPlan) {
        let declared: BTreeSet<_> = self
            .after
            .foreign_keys
            .iter()
            .map(ForeignKeyState::declared)
            .collect();
        let is_same = |key: &ForeignKeyState| declared.contains(&key.declared()) && !self.changes_type(key);
        for key in self.before.foreign_keys.iter().filter(|key| !is_same(key)) {
            if !key.columns.iter().any(|column| self.keeps(column)) {
                plan.dropped_constraints
                    .push(alter(self.name(), TableChange::DropForeignKey(key.clone())));
            }
        }
        let exists = |key: &ForeignKeyState| {
            let mut own = self.before.foreign_keys.iter();
            own.any(|own| own.declared() == key.declared() && is_same(own))
        };
        for key in self.after.foreign_keys.iter().filter(|key| !exists(key)) {
            plan.added_constraints
                .push(alter(self.name(), TableChange::AddForeignKey(key.clone())));
        }
    }

    /// Whether the type of a foreign key or of its target changes, which PostgreSQL allows without the key only.
    fn changes_type(&self, key: &ForeignKeyState) -> bool {
        let differs = |table: &str, column: &String| {
            let of = |schema: &SchemaState| {
                let column = schema.tables.get(table).and_then(|table| table.column(column));
                column.map(|column| column.data_type.clone())
            };
            of(self.schema) != of(self.target)
        };
        key.columns.iter().any(|column| differs(self.name(), column))
            || key.targets.iter().any(|column| differs(&key.table, column))
    }

    fn compare_indexes(&self, plan: &mut StepPlan) {
        for (name, index) in &self.before.indexes {
            let is_kept =
                self.answers.keeps(name) || index.columns.iter().any(|column| self.keeps(&column.name));
            let declared = self.after.indexes.get(name);
            if declared != Some(index) && (declared.is_some() || !is_kept) {
                plan.dropped_indexes.push(drop_index(self.name(), index));
            }
        }
        for (name, index) in &self.after.indexes {
            if self.before.indexes.get(name) != Some(index) {
                plan.created_indexes.push(create_index(self.name(), index));
            }
        }
    }
}
