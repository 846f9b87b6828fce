//! Whether models make sense, and whether a database has their tables.

use model_resource_schema::check::Check;
use model_resource_schema::column::Table;

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

/// Notes what a table lacks that has the columns of these names; none at all if it is not there.
pub(crate) fn note_missing(missing: &mut Vec<String>, table: &Table, present: &[String]) {
    let (name, model) = (table.name, table.model);
    if present.is_empty() {
        missing.push(format!("table `{name}` of model {model} does not exist"));
        return;
    }
    let is_missing = |column: &&str| !present.iter().any(|name| name == column);
    let columns = table.columns.iter().map(|column| column.name);
    for column in columns.filter(is_missing) {
        missing.push(format!(
            "table `{name}` of model {model} has no column `{column}`"
        ));
    }
}

/// Fails with what was noted.
pub(crate) fn report(missing: &[String]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "{}: add a migration that creates what is missing",
        missing.join("; ")
    )))
}
