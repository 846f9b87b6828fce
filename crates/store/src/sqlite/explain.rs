//! How SQLite reads a list.

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::fault::fault;
use super::scan::REACH;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::explain::{Explanation, unindexed};
use crate::list::List;
use crate::segment::segments;
use crate::sql::write_list;

pub(super) fn explain(connection: &Connection, list: &List) -> Result<Explanation> {
    let columns = &Texts::of(list.table()).columns;
    let (mut sql, mut plan) = (Vec::new(), Vec::new());
    for segment in segments(list, REACH) {
        sql.push(write_list(Statement::new(""), columns, &segment, list.most())?.into_sql());
        let explained = write_list(
            Statement::new("EXPLAIN QUERY PLAN "),
            columns,
            &segment,
            list.most(),
        )?;
        let mut prepared = explained.prepare(connection)?;
        let lines = prepared.query_map(explained.parameters(), |row| row.get("detail"));
        for line in lines.map_err(fault)? {
            plan.push(line.map_err(fault)?);
        }
    }
    Ok(Explanation {
        sql: sql.join(";\n"),
        plan,
        unindexed: unindexed(list, &indexes(connection, list.table())?),
    })
}

/// The columns that indexes of all rows of a table begin with, its primary key among them.
fn indexes(connection: &Connection, table: &Table) -> Result<Vec<String>> {
    let sql = "SELECT columns.name FROM pragma_index_list(?) AS indexes, pragma_index_xinfo(indexes.name) AS columns \
               WHERE NOT indexes.partial AND columns.seqno = 0 AND columns.name IS NOT NULL AND columns.coll = 'BINARY'";
    let mut prepared = connection.prepare(sql).map_err(fault)?;
    let names = prepared
        .query_map([table.name], |row| row.get(0))
        .map_err(fault)?;
    let key = Ok(table.key().database_name.to_owned());
    names.chain([key]).collect::<Result<_, _>>().map_err(fault)
}
