//! INSERT statements.

use model_resource_schema::column::{ColumnRole, KeyGeneration, Table};
use model_resource_schema::value::Value;

use super::quote::push_identifiers;
use super::writer::SqlWriter;
use crate::error::Result;

/// Returns the SQL that inserts these columns, and returns the listed ones if the database is to return a new row.
pub(super) fn insert_sql<'v, W: SqlWriter<'v>>(
    table: &'static Table,
    written: &[usize],
    columns: &str,
) -> String {
    let mut sql = W::start("INSERT INTO ").table(table).into_sql();
    if written.is_empty() {
        sql.push_str(" DEFAULT VALUES");
    } else {
        sql.push_str(" (");
        let names = written
            .iter()
            .map(|position| table.columns[*position].database_name);
        push_identifiers(&mut sql, names);
        sql.push_str(") VALUES (");
        for number in 1..=written.len() {
            sql.push_str(if number > 1 { ", " } else { "" });
            W::push_placeholder(&mut sql, number);
        }
        sql.push(')');
    }
    if W::INSERT_RETURNS_ROW {
        sql.push_str(" RETURNING ");
        sql.push_str(columns);
    }
    let is_counted = table.key().role == ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement);
    if is_counted && written.contains(&table.primary_key) {
        W::push_counted_key(&mut sql, table);
    }
    sql
}

/// SQL of an INSERT, from the cache if it sets the usual columns.
pub(crate) enum InsertSql<'t> {
    Cached(&'t str),
    Built(String),
}

impl InsertSql<'_> {
    /// INSERT with the values of the row.
    pub(crate) fn bind<'v, W: SqlWriter<'v>>(
        &'v self,
        table: &'static Table,
        row: &'v [(usize, Value)],
    ) -> Result<W> {
        let sql = match self {
            Self::Cached(sql) => sql,
            Self::Built(sql) => sql.as_str(),
        };
        row.iter().try_fold(W::ready(sql), |statement, (column, value)| {
            statement.bind(&table.columns[*column], value)
        })
    }
}
