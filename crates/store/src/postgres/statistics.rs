//! Statistics of tables.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;

use super::executor::Executor;
use super::explain::{indexes, unreadable};
use super::statement::PostgresStatement;
use crate::error::Result;
use crate::sql::SqlWriter as _;
use crate::sql::quote::qualified_name;
use crate::statistics::{TableStatistics, VIEW_ROWS};

/// Estimates the number of rows of a table, without a lock on it. The first number is that of the last VACUUM or
/// ANALYZE, the second one counts writes since then.
const ROWS: &str = "SELECT greatest(reltuples::float8, pg_stat_get_live_tuples(oid)::float8, 0)::int8 FROM pg_class \
                    WHERE oid = to_regclass($1::text)";

/// Reads the statistics of tables.
pub(super) async fn read(executor: &Executor, tables: &[&'static Table]) -> Result<Vec<TableStatistics>> {
    let mut all = Vec::with_capacity(tables.len());
    for table in tables {
        let found = indexes(executor, table).await?;
        all.push(TableStatistics::new(table, rows(executor, table).await?, &found));
    }
    Ok(all)
}

/// Estimates the number of rows; none of a table that does not exist.
async fn rows(executor: &Executor, table: &Table) -> Result<u64> {
    if table.is_view {
        return Ok(VIEW_ROWS);
    }
    let name = qualified_name(table);
    let statement = PostgresStatement::ready(ROWS).bind_one(ValueRef::Text(&name));
    let found = executor.read(&statement).await?;
    let rows = found.first().map(|row| row.try_get::<_, i64>(0)).transpose();
    Ok(rows.map_err(unreadable)?.unwrap_or(0).unsigned_abs())
}
