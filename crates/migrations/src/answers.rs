//! Answers to questions that no comparison of schemas can decide.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::constraints::Constraints;
use model_resource_schema::message::Message;
use model_resource_store::SqlDialect;

use crate::error::{MigrationError, MigrationResult};
use crate::models::state_literal;
use crate::table_name::{DEFAULT_SCHEMA, qualified};

/// Decisions of a person: renames, values for existing rows, conversions and removals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MigrationAnswers {
    pub(crate) tables: BTreeMap<String, String>,
    pub(crate) columns: BTreeMap<(String, String), String>,
    defaults: BTreeMap<(String, String), String>,
    conversions: BTreeMap<(String, String), String>,
    dropped: BTreeSet<String>,
    kept: BTreeSet<String>,
}

impl MigrationAnswers {
    /// Returns no answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Renames a table (`articles:posts`) or a column (`posts.headline:title`, with the new name of the table). A dot in
    /// the new name makes it a table with a schema (`customers:crm.customers`).
    ///
    /// # Errors
    /// If the text has another form.
    pub fn rename(mut self, text: &str) -> MigrationResult<Self> {
        let (from, to) = text
            .split_once(':')
            .filter(|(from, to)| !from.is_empty() && !to.is_empty())
            .ok_or_else(|| form("a rename", "old:new or table.old:new", text))?;
        if let Some((schema, name)) = to.split_once('.') {
            self.tables.insert(from.to_owned(), qualified(Some(schema), name));
            return Ok(self);
        }
        match from.rsplit_once('.') {
            Some((table, column)) => {
                self.columns
                    .insert((table.to_owned(), column.to_owned()), to.to_owned());
            }
            None => {
                self.tables.insert(from.to_owned(), to.to_owned());
            }
        }
        Ok(self)
    }

    /// Sets the value of a column for existing rows (`posts.title=Untitled`), in its wire form.
    ///
    /// # Errors
    /// If no model has the column, or if the column cannot hold the value, or its constraints reject it.
    pub fn default_value(
        self,
        dialect: SqlDialect,
        models: &[&'static Table],
        text: &str,
    ) -> MigrationResult<Self> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| form("a default", "table.column=value", text))?;
        let (table, column) = column_name(name, "table.column=value", text)?;
        let of_table = models.iter().filter(|model| model.name == table);
        let mut columns = of_table.flat_map(|model| model.columns.iter().map(move |column| (model, column)));
        let found = columns.find(|(_, own)| own.database_name == column);
        let Some((model, found)) = found else {
            return Err(MigrationError::new(format!(
                "no model has a column `{column}` of a table `{table}`"
            )));
        };
        let literal = state_literal(dialect, model, found, value)?;
        if let Some(message) = violation(found, value) {
            return Err(MigrationError::new(format!(
                "the default {value:?} of `{}` of model {} violates its constraints: {message}",
                found.name, model.model
            )));
        }
        Ok(self.default_sql(table, column, &literal))
    }

    /// Sets the value of a column for existing rows, as an expression of the dialect.
    pub fn default_sql(mut self, table: &str, column: &str, expression: &str) -> Self {
        self.defaults.insert(key(table, column), expression.to_owned());
        self
    }

    /// Sets the expression that converts the values of a column to its new type.
    pub fn convert(mut self, table: &str, column: &str, expression: &str) -> Self {
        self.conversions.insert(key(table, column), expression.to_owned());
        self
    }

    /// Removes a table (`articles`) or a column (`articles.headline`) that is not renamed.
    pub fn remove(mut self, name: &str) -> Self {
        self.dropped.insert(name.to_owned());
        self
    }

    /// Keeps a table, an index or a column (`articles.headline`) that no model declares.
    pub fn keep(mut self, name: &str) -> Self {
        self.kept.insert(name.to_owned());
        self
    }

    pub(crate) fn default_of(&self, table: &str, column: &str) -> Option<&String> {
        self.defaults.get(&key(table, column))
    }

    pub(crate) fn conversion_of(&self, table: &str, column: &str) -> Option<&String> {
        self.conversions.get(&key(table, column))
    }

    pub(crate) fn removes(&self, name: &str) -> bool {
        self.dropped.contains(name)
    }

    pub(crate) fn keeps(&self, name: &str) -> bool {
        self.kept.contains(name)
    }
}

fn key(table: &str, column: &str) -> (String, String) {
    (table.to_owned(), column.to_owned())
}

fn column_name<'n>(name: &'n str, expected: &str, text: &str) -> MigrationResult<(&'n str, &'n str)> {
    name.rsplit_once('.')
        .ok_or_else(|| form("a default", expected, text))
}

/// Message of the first constraint of a column that a value violates.
fn violation(column: &Column, text: &str) -> Option<Message> {
    let constraints = Constraints::new(column).ok()?;
    constraints.violation(&column.data_type.parse(text).ok()?)
}

fn form(what: &str, expected: &str, text: &str) -> MigrationError {
    MigrationError::new(format!("{what} has the form {expected}, not {text:?}"))
}

/// A decision that only a person can make.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MigrationQuestion {
    /// Tables, or columns of this table, were removed and others added: some may be renamed.
    Renamed {
        /// Table of the columns; `None` for tables.
        table: Option<String>,
        /// Names that no model has any more.
        removed: Vec<String>,
        /// Names that are new.
        added: Vec<String>,
    },
    /// Rows that exist already need a value for a column that must not be null.
    Default {
        /// Table.
        table: String,
        /// Column.
        column: String,
    },
    /// No conversion between the types is known.
    Conversion {
        /// Table.
        table: String,
        /// Column.
        column: String,
        /// Type so far.
        from: String,
        /// Type from now on.
        to: String,
    },
    /// A rename whose old or new name does not exist.
    UnknownRename {
        /// Old name.
        from: String,
        /// New name.
        to: String,
    },
}

impl MigrationQuestion {
    /// Returns a rename of a table, or of a column of this table, as [`MigrationAnswers::rename`] reads it.
    ///
    /// ```
    /// use model_resource_migrations::MigrationQuestion;
    ///
    /// let of = MigrationQuestion::rename_option;
    /// assert_eq!(of(Some("posts"), "headline", "title"), "posts.headline:title");
    /// // Without a schema, the new name would be that of a column.
    /// assert_eq!(of(None, "crm.customers", "clients"), "crm.customers:public.clients");
    /// ```
    pub fn rename_option(table: Option<&str>, from: &str, to: &str) -> String {
        match table {
            Some(table) => format!("{table}.{from}:{to}"),
            None if from.contains('.') && !to.contains('.') => format!("{from}:{DEFAULT_SCHEMA}.{to}"),
            None => format!("{from}:{to}"),
        }
    }
}

impl fmt::Display for MigrationQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Renamed {
                table,
                removed,
                added,
            } => {
                let (kind, prefix) = match table {
                    Some(table) => (format!("the columns of `{table}`"), format!("{table}.")),
                    None => ("the tables".to_owned(), String::new()),
                };
                let (old, rename) = (
                    &removed[0],
                    Self::rename_option(table.as_deref(), &removed[0], &added[0]),
                );
                write!(
                    f,
                    "`{}` of {kind} disappeared and `{}` {} new: write `--rename {rename}` if one became the \
                     other, or `--remove {prefix}{old}` if it is gone with its values",
                    removed.join("`, `"),
                    added.join("`, `"),
                    if added.len() == 1 { "is" } else { "are" }
                )
            }
            Self::Default { table, column } => write!(
                f,
                "existing rows of `{table}` have no value for `{column}`, which must not be null: write \
                 `--default {table}.{column}=VALUE`"
            ),
            Self::Conversion {
                table,
                column,
                from,
                to,
            } => write!(
                f,
                "no conversion of `{column}` of `{table}` from {from} to {to} is known: write \
                 `--convert {table}.{column}=EXPRESSION`"
            ),
            Self::UnknownRename { from, to } => {
                write!(
                    f,
                    "`{from}` cannot become `{to}`: the migrations must lead to the first, and the models to the second"
                )
            }
        }
    }
}
