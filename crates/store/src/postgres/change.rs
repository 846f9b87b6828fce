//! Writing one row: each of these is a single statement, so it happens wholly or not at all.

use model_resource_schema::column::Table;
use model_resource_schema::model::Record;
use model_resource_schema::value::Value;

use super::fault::Trouble;
use super::fetch;
use super::row::SentRow;
use super::session::Session;
use super::statement::Statement;
use super::texts::{self, Texts};
use super::violation::{self, Written};
use crate::error::{Error, Result};
use crate::select::Select;
use crate::update::Updated;

/// Inserts a row and gives it as it was saved.
pub(super) async fn insert(
    session: &Session,
    table: &'static Table,
    row: &[(usize, Value)],
) -> Result<Record> {
    let texts = Texts::of(table);
    let built;
    let sql = if row.iter().map(|(column, _)| column).eq(&texts.usual) {
        &texts.insert_usual
    } else {
        let written: Vec<usize> = row.iter().map(|(column, _)| *column).collect();
        built = texts::insert(table, &written, &texts.columns);
        &built
    };
    let mut statement = Statement::ready(sql);
    for (column, value) in row {
        statement = statement.bind(&table.columns[*column], value)?;
    }
    let saved = returning(session, table, &statement, Written::New(row)).await?;
    saved.ok_or_else(|| Error::Failed(format!("table {} gave no row back", table.name)))
}

/// Writes over the row with this key, if it is one of the selected and still as it was in `unchanged`, if that is given.
pub(super) async fn update(
    session: &Session,
    select: &Select,
    key: &Value,
    unchanged: Option<&Record>,
    changes: &[(usize, Value)],
) -> Result<Updated> {
    let table = select.table();
    let mut statement = Statement::new("UPDATE ").name(table.name).words(" SET ");
    for (count, (column, value)) in changes.iter().enumerate() {
        let column = &table.columns[*column];
        statement = statement.words(if count > 0 { ", " } else { "" });
        statement = statement.name(column.name).words(" = ").value(column, value)?;
    }
    statement = statement.filter(select)?.and_key(table, " = ", key)?;
    for (column, value) in std::iter::zip(table.columns, unchanged.map_or(&[][..], Record::values)) {
        statement = statement
            .words(" AND ")
            .compare(column, " IS NOT DISTINCT FROM ", value)?;
    }
    let statement = statement.words(" RETURNING ").words(&Texts::of(table).columns);
    let saved = returning(session, table, &statement, Written::Changes(changes)).await?;
    match (saved, unchanged) {
        (Some(record), _) => Ok(Updated::Row(record)),
        (None, None) => Ok(Updated::Missing),
        (None, Some(_)) => {
            let found = fetch::find(session, select, key).await?;
            Ok(found.map_or(Updated::Missing, Updated::Stale))
        }
    }
}

/// Deletes the row with this key, if it is one of the selected; tells whether it was there.
pub(super) async fn delete(session: &Session, select: &Select, key: &Value) -> Result<bool> {
    let table = select.table();
    let statement = if select.conditions().is_empty() {
        Statement::new(&Texts::of(table).delete_key).bind_sought(table.key(), key)?
    } else {
        let statement = Statement::new("DELETE FROM ").name(table.name);
        statement.filter(select)?.and_key(table, " = ", key)?
    };
    let statement = statement.words(" RETURNING 1");
    match session.write(&statement).await {
        Ok(deleted) => Ok(!deleted.is_empty()),
        Err(Trouble::Database(error)) => Err(violation::of_deletion(&error)),
        Err(Trouble::Other(error)) => Err(error),
    }
}

async fn returning(
    session: &Session,
    table: &'static Table,
    statement: &Statement<'_>,
    written: Written<'_>,
) -> Result<Option<Record>> {
    match session.write(statement).await {
        Ok(mut rows) => {
            let row = rows.pop().map(|row| SentRow::new(row, table));
            row.map(|row| row.to_record()).transpose()
        }
        Err(Trouble::Database(error)) => Err(violation::of_values(session, table, written, &error).await),
        Err(Trouble::Other(error)) => Err(error),
    }
}
