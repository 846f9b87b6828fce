//! Indexes and checks of a table in the database.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;

use super::error::map_error;
use super::executor::Executor;
use super::statement::PostgresStatement;
use crate::drift::{FoundConstraints, FoundIndex};
use crate::error::Result;
use crate::sql::SqlWriter as _;
use crate::sql::quote::qualified_name;

/// Lists the valid indexes of a table: whether they are unique or partial, and their columns, empty for expressions.
const INDEXES: &str = "SELECT i.indisunique, i.indpred IS NOT NULL, \
    ARRAY(SELECT coalesce(a.attname::text, '') FROM unnest(i.indkey) WITH ORDINALITY k (number, place) \
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number AND k.number <> 0 \
        WHERE k.place <= i.indnkeyatts ORDER BY k.place) \
    FROM pg_index i WHERE i.indrelid = to_regclass($1) AND i.indisvalid";

/// Lists the names of the checks of a table.
const CHECKS: &str =
    "SELECT conname::text FROM pg_constraint WHERE contype = 'c' AND conrelid = to_regclass($1)";

/// Finds a table, but no view.
const IS_TABLE: &str = "SELECT 1 FROM pg_class WHERE oid = to_regclass($1) AND relkind IN ('r', 'p')";

/// Reads the indexes and checks of a table whose model declares some; `None` for a view, which has none.
pub(super) async fn constraints(executor: &Executor, table: &Table) -> Result<Option<FoundConstraints>> {
    let is_plain = table.uniques.is_empty() && table.indexes.is_empty() && table.checks.is_empty();
    if is_plain || read(executor, IS_TABLE, table).await?.is_empty() {
        return Ok(None);
    }
    let indexes = read(executor, INDEXES, table).await?;
    let indexes = indexes.iter().map(|row| {
        Ok(FoundIndex {
            is_unique: row.try_get(0)?,
            is_partial: row.try_get(1)?,
            columns: row.try_get(2)?,
        })
    });
    let indexes: Result<_, tokio_postgres::Error> = indexes.collect();
    let checks = read(executor, CHECKS, table).await?;
    let checks: Result<_, _> = checks.iter().map(|row| row.try_get(0)).collect();
    Ok(Some(FoundConstraints {
        indexes: indexes.map_err(|error| map_error(&error))?,
        checks: checks.map_err(|error| map_error(&error))?,
    }))
}

async fn read(executor: &Executor, sql: &str, table: &Table) -> Result<Vec<tokio_postgres::Row>> {
    let name = qualified_name(table);
    let statement = PostgresStatement::ready(sql).bind_one(ValueRef::Text(&name));
    Ok(executor.read(&statement).await?)
}
