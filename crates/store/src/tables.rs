//! Whether models make sense, and whether a database has their tables.

use model_resource_schema::check::Check;
use model_resource_schema::column::{Column, Table};

use crate::error::{Error, Result};

/// Fails with the columns whose constraints or defaults make no sense.
pub(crate) fn check(tables: &[&'static Table]) -> Result<()> {
    let mistakes = tables.iter().flat_map(|table| {
        let mistake = |column| Check::new(column).err();
        let named = |mistake| format!("model {}: {mistake}", table.model);
        table.columns.iter().filter_map(mistake).map(named)
    });
    let mistakes: Vec<String> = mistakes.collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(mistakes.join("; ")))
}

/// Where a database differs from the models.
#[derive(Default)]
pub(crate) struct Differences {
    found: Vec<String>,
}

impl Differences {
    /// Compares a table with the columns that are there, none at all if it is not. `wrong` gives the type that a column has
    /// and the one that it should have, if the store cannot keep the column's values in it as they are.
    pub(crate) fn compare<C>(
        &mut self,
        table: &Table,
        present: &[(String, C)],
        wrong: impl Fn(&Column, &C) -> Option<(String, String)>,
    ) {
        let (name, model) = (table.name, table.model);
        if present.is_empty() {
            let absent = format!("table `{name}` of model {model} does not exist");
            self.found.push(absent);
            return;
        }
        for column in table.columns {
            let Some((_, found)) = present.iter().find(|(name, _)| name == column.name) else {
                let absent = format!("table `{name}` of model {model} has no column `{}`", column.name);
                self.found.push(absent);
                continue;
            };
            if let Some((found, expected)) = wrong(column, found) {
                self.found.push(format!(
                    "column `{}` of table `{name}` of model {model} has the type {found} where {expected} is expected",
                    column.name
                ));
            }
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
