//! Query plans of PostgreSQL.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;

use super::executor::Executor;
use super::scan::ROW_COMPARISON;
use super::statement::PostgresStatement;
use super::table_sql;
use crate::error::{Error, Result};
use crate::explain::{QueryPlan, unindexed};
use crate::list_query::ListQuery;
use crate::sql::keyset::key_ranges;
use crate::sql::quote::qualified_name;
use crate::sql::{SqlWriter as _, write_list};
use crate::statistics::IndexedColumn;

pub(super) async fn explain(executor: &Executor, list: &ListQuery) -> Result<QueryPlan> {
    let columns = &table_sql::of(list.table()).columns;
    let (mut sql, mut plan) = (Vec::new(), Vec::new());
    for range in key_ranges(list, ROW_COMPARISON) {
        sql.push(write_list(PostgresStatement::start(""), columns, &range, list.max_rows())?.into_sql());
        let explained = write_list(
            PostgresStatement::start("EXPLAIN "),
            columns,
            &range,
            list.max_rows(),
        )?;
        for line in executor.read(&explained).await? {
            plan.push(line.try_get(0).map_err(unreadable)?);
        }
    }
    Ok(QueryPlan {
        sql: sql.join(";\n"),
        plan,
        unindexed: unindexed(list, &indexes(executor, list.table()).await?),
    })
}

/// Returns the first columns of all non-partial indexes of a table, including its primary key. Texts are compared in
/// collation "C", so an index must use it too. Enum types are sorted as texts, which cannot use their indexes, and
/// those that the model does not declare are compared as texts too.
pub(super) async fn indexes(executor: &Executor, table: &Table) -> Result<Vec<IndexedColumn>> {
    let sql = "SELECT attributes.attname::text, indexes.indisunique AND indexes.indnkeyatts = 1, types.typtype <> 'e' \
               FROM pg_index AS indexes JOIN pg_attribute AS attributes \
               ON attributes.attrelid = indexes.indrelid AND attributes.attnum = indexes.indkey[0] \
               JOIN pg_type AS types ON types.oid = attributes.atttypid \
               WHERE indexes.indrelid = to_regclass($1::text) AND indexes.indpred IS NULL AND indexes.indisvalid \
               AND indexes.indcollation[0] IN (0, 'pg_catalog.\"C\"'::regcollation)";
    let name = qualified_name(table);
    let rows = executor
        .read(&PostgresStatement::ready(sql).bind_one(ValueRef::Text(&name)))
        .await?;
    let index = |row: &tokio_postgres::Row| {
        Ok(IndexedColumn {
            name: row.try_get(0)?,
            is_unique: row.try_get(1)?,
            is_ordered: row.try_get(2)?,
        })
    };
    let indexes: Result<Vec<IndexedColumn>, _> = rows.iter().map(index).collect();
    let mut indexes = indexes.map_err(unreadable)?;
    let has_type = |index: &IndexedColumn| {
        let mut columns = table
            .columns
            .iter()
            .filter(|column| column.postgres_type.is_some());
        columns.any(|column| column.database_name == index.name)
    };
    indexes.retain(|index| index.is_ordered || has_type(index));
    Ok(indexes)
}

pub(super) fn unreadable(error: tokio_postgres::Error) -> Error {
    Error::Failed(format!("the server's explanation cannot be read: {error}"))
}
