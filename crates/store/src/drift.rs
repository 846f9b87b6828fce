//! Whether models make sense, and whether a database has their tables.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::constraints::Constraints;

use crate::error::{Error, Result};
use crate::quote::push_identifier;

/// Fails with the columns whose constraints or defaults make no sense, or that are one column of the database.
pub(crate) fn check(tables: &[&'static Table]) -> Result<()> {
    let mistakes = tables.iter().flat_map(|table| {
        let mistake = |column| Constraints::new(column).err().or_else(|| repeated(table, column));
        let named = |mistake| format!("model {}: {mistake}", table.model);
        table.columns.iter().filter_map(mistake).map(named)
    });
    let mistakes: Vec<String> = mistakes.collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(mistakes.join("; ")))
}

fn repeated(table: &Table, column: &Column) -> Option<String> {
    let is_other = |other: &&Column| other.database_name == column.database_name && other.name != column.name;
    let other = table.columns.iter().find(is_other)?;
    Some(format!(
        "`{}` and `{}` are both the column `{}` of the database: give one of them another name",
        column.name, other.name, column.database_name
    ))
}

/// A column of a database's table.
pub(crate) struct FoundColumn<T> {
    pub(crate) name: String,
    pub(crate) ty: T,
    /// Whether each new row needs a value for it: it is NOT NULL, and the database has no default for it.
    pub(crate) required: bool,
    /// Whether no two rows can share a value: an index on this column alone, over all rows, is unique. A view, which cannot have
    /// one, is trusted.
    pub(crate) unique: bool,
}

/// The differences between a database and the models.
#[derive(Default)]
pub(crate) struct SchemaDrift {
    found: Vec<String>,
}

impl SchemaDrift {
    /// Compares a table with the columns of the database, none at all if the table does not exist. `wrong` describes the type
    /// of a column that cannot keep the model's values as they are.
    pub(crate) fn compare<T>(
        &mut self,
        table: &Table,
        present: &[FoundColumn<T>],
        wrong: impl Fn(&Column, &T) -> Option<String>,
    ) {
        let (name, model) = (table.name, table.model);
        if present.is_empty() {
            let absent = format!("table `{name}` of model {model} does not exist");
            self.found.push(absent);
            return;
        }
        for column in table.columns {
            let Some(found) = present.iter().find(|found| found.name == column.database_name) else {
                let absent = format!(
                    "table `{name}` of model {model} has no column `{}`",
                    column.database_name
                );
                self.found.push(absent);
                continue;
            };
            if let Some(wrong) = wrong(column, &found.ty) {
                self.found.push(format!(
                    "column `{}` of table `{name}` of model {model} {wrong}",
                    column.database_name
                ));
            }
        }
    }

    /// Finds the columns that each new row needs a value for, and that none of the models of this table fills.
    pub(crate) fn require_filled<T>(&mut self, table: &Table, tables: &[&Table], present: &[FoundColumn<T>]) {
        let (name, model) = (table.name, table.model);
        let models = || tables.iter().filter(|other| other.name == name);
        for FoundColumn { name: column, .. } in present.iter().filter(|found| found.required) {
            if models().any(|table| fills(table, column)) {
                continue;
            }
            let remedy = match models().any(|table| table.key().database_name == column) {
                true => "let the database assign the primary key".to_owned(),
                false => format!("add it to model {model}, give it a default, or let it be null"),
            };
            let unfilled = format!(
                "column `{column}` of table `{name}` is NOT NULL without a default, and no model fills it, so that no row \
                 can be created ({remedy})"
            );
            if !self.found.contains(&unfilled) {
                self.found.push(unfilled);
            }
        }
    }

    /// Finds the columns that identify rows by the model, although the database lets two rows share a value.
    pub(crate) fn require_unique<T>(&mut self, table: &Table, present: &[FoundColumn<T>]) {
        let (name, model) = (table.name, table.model);
        for (position, column) in table.columns.iter().enumerate() {
            let is_key = position == table.primary_key;
            let is_missing = |found: &&FoundColumn<T>| found.name == column.database_name && !found.unique;
            if !(is_key || column.unique) || !present.iter().any(|found| is_missing(&found)) {
                continue;
            }
            let column = column.database_name;
            let role = if is_key { "the primary key" } else { "unique" };
            let mut index = "CREATE UNIQUE INDEX ".to_owned();
            push_identifier(&mut index, &format!("{name}_{column}_unique"));
            index.push_str(" ON ");
            push_identifier(&mut index, name);
            index.push_str(" (");
            push_identifier(&mut index, column);
            self.found.push(format!(
                "column `{column}` of table `{name}` is {role} in model {model}, and the database lets two rows share a value \
                 (make it unique by `{index})`)"
            ));
        }
    }

    /// Fails if there are any.
    pub(crate) fn report(self) -> Result<()> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(Error::Failed(format!(
            "{}: add a migration that brings the tables to what the models say",
            self.found.join("; ")
        )))
    }
}

/// Whether new rows of a model have a value for a column.
fn fills(table: &Table, column: &str) -> bool {
    let column = table.columns.iter().find(|own| own.database_name == column);
    column.is_some_and(|column| column.role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement))
}

/// Describes a column that has another type than its model needs.
pub(crate) fn of_another_type(found: &str, expected: &str) -> String {
    format!("has the type {found} where {expected} is expected")
}
