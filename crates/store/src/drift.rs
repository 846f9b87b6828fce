//! Schema drift: validates models and compares them with the tables of a database.

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::constraints::Constraints;

use crate::error::{Error, Result};
use crate::sql::quote::push_identifier;
use crate::sql::table_index::{check_sql, index_sql, unique_sql};
use crate::sql::table_syntax::TableSyntax;
use crate::table_declarations;

/// Rejects columns with invalid constraints or defaults, columns that share a database name, and constraints or indexes
/// that the database cannot have.
pub(crate) fn check<S: TableSyntax>(tables: &[&'static Table]) -> Result<()> {
    let mistakes = tables.iter().flat_map(|table| {
        let mistake = |column| {
            let invalid = Constraints::new(column).err();
            invalid
                .or_else(|| repeated(table, column))
                .or_else(|| references_view(table, column))
        };
        let describe = |mistake| format!("model {}: {mistake}", table.model);
        let of_columns = table.columns.iter().filter_map(mistake);
        of_columns
            .chain(table_declarations::mistakes::<S>(table))
            .map(describe)
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

/// Rejects a foreign key of a table to a view, which no database has.
fn references_view(table: &Table, column: &Column) -> Option<String> {
    let other = (column.references?.table)();
    (other.is_view && !table.is_view).then(|| {
        format!(
            "`{}` references {}, which is a view, and a foreign key leads to a table: remove `references`",
            column.name, other.model
        )
    })
}

/// A column found in the database.
pub(crate) struct FoundColumn<T> {
    pub(crate) name: String,
    pub(crate) ty: T,
    /// Whether each new row needs a value for it: NOT NULL without a default.
    pub(crate) required: bool,
    /// Whether a unique index covers this column alone and all rows. Always true for a view, which cannot have an
    /// index.
    pub(crate) unique: bool,
}

/// Indexes and checks of a table found in the database.
pub(crate) struct FoundConstraints {
    pub(crate) indexes: Vec<FoundIndex>,
    /// Names of the checks.
    pub(crate) checks: Vec<String>,
}

/// An index found in the database.
pub(crate) struct FoundIndex {
    /// Columns in order; expressions have empty names.
    pub(crate) columns: Vec<String>,
    pub(crate) is_unique: bool,
    pub(crate) is_partial: bool,
}

impl FoundIndex {
    /// Whether the index makes these columns unique, in whatever order.
    fn makes_unique(&self, columns: &[&str], is_partial: bool) -> bool {
        let has_all = columns
            .iter()
            .all(|name| self.columns.iter().any(|own| own == name));
        self.is_unique && self.is_partial == is_partial && self.columns.len() == columns.len() && has_all
    }

    /// Whether the index begins with these columns and has the rows that are looked for.
    fn begins_with(&self, columns: &[&str], is_partial: bool) -> bool {
        let own = self.columns.iter().take(columns.len());
        (is_partial || !self.is_partial) && own.eq(columns.iter())
    }
}

/// Differences between the database and the models.
#[derive(Default)]
pub(crate) struct SchemaDrift {
    found: Vec<String>,
}

impl SchemaDrift {
    /// Compares a table with the columns found in the database; no columns means the table does not exist. `describe_mismatch`
    /// describes a column type that cannot store the model's values unchanged.
    pub(crate) fn compare<T>(
        &mut self,
        table: &Table,
        present: &[FoundColumn<T>],
        describe_mismatch: impl Fn(&Column, &T) -> Option<String>,
    ) {
        let (name, model) = (table.name, table.model);
        if present.is_empty() {
            let absent = if table.is_view {
                format!("view `{name}` of model {model} does not exist (create it by `CREATE VIEW`)")
            } else {
                format!("table `{name}` of model {model} does not exist")
            };
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
            if let Some(mismatch) = describe_mismatch(column, &found.ty) {
                self.found.push(format!(
                    "column `{}` of table `{name}` of model {model} {mismatch}",
                    column.database_name
                ));
            }
        }
    }

    /// Reports required columns of the database that no model of this table fills.
    pub(crate) fn require_filled<T>(&mut self, table: &Table, tables: &[&Table], present: &[FoundColumn<T>]) {
        let (name, model) = (table.name, table.model);
        if table.is_view {
            return;
        }
        let models = || tables.iter().filter(|other| other.name == name);
        for FoundColumn { name: column, .. } in present.iter().filter(|found| found.required) {
            if models().any(|table| fills(table, column)) {
                continue;
            }
            let is_key = models().any(|table| table.key().database_name == column);
            let remedy = if is_key {
                "let the database assign the primary key".to_owned()
            } else {
                format!("add it to model {model}, give it a default, or let it be null")
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

    /// Reports columns that are keys or unique in the model but have no unique index in the database.
    pub(crate) fn require_unique<S: TableSyntax, T>(&mut self, table: &Table, present: &[FoundColumn<T>]) {
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
            let index_name = format!(
                "{}{}_{column}_unique",
                S::index_prefix(table),
                table.name_in_schema()
            );
            push_identifier(&mut index, &index_name);
            index.push_str(" ON ");
            S::push_table_name(&mut index, table);
            index.push_str(" (");
            push_identifier(&mut index, column);
            self.found.push(format!(
                "column `{column}` of table `{name}` is {role} in model {model}, and the database lets two rows share a value \
                 (make it unique by `{index})`)"
            ));
        }
    }

    /// Reports unique constraints and checks of the model that the database lacks, and warns of missing indexes.
    pub(crate) fn require_declared<S: TableSyntax>(&mut self, table: &Table, found: &FoundConstraints) {
        let (name, model) = (table.name, table.model);
        let named = |column: &usize| table.columns[*column].database_name;
        for unique in table.uniques {
            let columns: Vec<&str> = unique.columns.iter().map(named).collect();
            let is_partial = unique.condition.is_some();
            let exists = |index: &FoundIndex| index.makes_unique(&columns, is_partial);
            if !found.indexes.iter().any(exists) {
                let (columns, sql) = (
                    columns.join("`, `"),
                    unique_sql::<S>(table, unique).unwrap_or_default(),
                );
                self.found.push(format!(
                    "model {model} declares `{columns}` of table `{name}` to be unique together, and the database does not \
                     ensure it (run `{sql}`)"
                ));
            }
        }
        for check in table.checks {
            if !found.checks.iter().any(|own| own == check.name) {
                let sql = check_sql::<S>(table, check).unwrap_or_default();
                self.found.push(format!(
                    "table `{name}` of model {model} lacks the check `{}` (add `{sql}`)",
                    check.name
                ));
            }
        }
        for index in table.indexes {
            let columns: Vec<&str> = index
                .columns
                .iter()
                .map(|column| named(&column.position))
                .collect();
            let exists = |own: &FoundIndex| own.begins_with(&columns, index.condition.is_some());
            if !found.indexes.iter().any(exists) {
                let sql = index_sql::<S>(table, index).unwrap_or_default();
                tracing::warn!(table = name, %sql, "the database lacks an index that model {model} declares");
            }
        }
    }

    /// Fails if any difference was found.
    pub(crate) fn report(self) -> Result<()> {
        if self.found.is_empty() {
            return Ok(());
        }
        Err(Error::Failed(format!(
            "{}: add a migration that makes the tables match the models",
            self.found.join("; ")
        )))
    }
}

/// Whether a model sets this column when it inserts a row.
fn fills(table: &Table, column: &str) -> bool {
    let column = table.columns.iter().find(|own| own.database_name == column);
    column.is_some_and(|column| column.role != ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement))
}

/// Formats the message for a column of the wrong type.
pub(crate) fn of_another_type(found: &str, expected: &str) -> String {
    format!("has the type {found} where {expected} is expected")
}
