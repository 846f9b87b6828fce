//! Query plans of SQLite.

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::error::map_error;
use super::scan::ROW_COMPARISON;
use super::statement::SqliteStatement;
use super::table_sql;
use crate::error::Result;
use crate::explain::{QueryPlan, unindexed};
use crate::list_query::ListQuery;
use crate::sql::keyset::key_ranges;
use crate::sql::{SqlWriter as _, write_list};
use crate::statistics::IndexedColumn;

pub(super) fn explain(connection: &Connection, list: &ListQuery) -> Result<QueryPlan> {
    let columns = &table_sql::of(list.table()).columns;
    let (mut sql, mut plan) = (Vec::new(), Vec::new());
    for range in key_ranges(list, ROW_COMPARISON) {
        sql.push(write_list(SqliteStatement::start(""), columns, &range, list.max_rows())?.into_sql());
        let explained = write_list(
            SqliteStatement::start("EXPLAIN QUERY PLAN "),
            columns,
            &range,
            list.max_rows(),
        )?;
        let mut prepared = explained.prepare(connection)?;
        let lines = prepared.query_map(explained.parameters(), |row| row.get("detail"));
        for line in lines.map_err(map_error)? {
            plan.push(line.map_err(map_error)?);
        }
    }
    Ok(QueryPlan {
        sql: sql.join(";\n"),
        plan,
        unindexed: unindexed(list, &indexes(connection, list.table())?),
    })
}

/// Returns the first columns of all non-partial indexes of a table, including its primary key.
pub(super) fn indexes(connection: &Connection, table: &Table) -> Result<Vec<IndexedColumn>> {
    let sql = "SELECT columns.name, indexes.\"unique\" AND (SELECT count(*) = 1 FROM pragma_index_info(indexes.name)) \
               FROM pragma_index_list(?) AS indexes, pragma_index_xinfo(indexes.name) AS columns \
               WHERE NOT indexes.partial AND columns.seqno = 0 AND columns.name IS NOT NULL AND columns.coll = 'BINARY'";
    let mut prepared = connection.prepare(sql).map_err(map_error)?;
    let index = |row: &rusqlite::Row<'_>| {
        Ok(IndexedColumn {
            name: row.get(0)?,
            is_unique: row.get(1)?,
            is_ordered: true,
        })
    };
    let indexes = prepared.query_map([table.name], index).map_err(map_error)?;
    let key = IndexedColumn {
        name: table.key().database_name.to_owned(),
        is_unique: true,
        is_ordered: true,
    };
    indexes
        .chain([Ok(key)])
        .collect::<Result<_, _>>()
        .map_err(map_error)
}
