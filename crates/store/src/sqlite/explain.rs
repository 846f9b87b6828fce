//! How SQLite reads a list.

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::fault::fault;
use super::scan::REACH;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::explain::{Explanation, Index, unindexed};
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

/// The indexes of a table, its primary key among them.
fn indexes(connection: &Connection, table: &Table) -> Result<Vec<Index>> {
    let sql = "SELECT indexes.name, columns.name FROM pragma_index_list(?) AS indexes, \
               pragma_index_info(indexes.name) AS columns WHERE columns.name IS NOT NULL ORDER BY indexes.seq, columns.seqno";
    let mut prepared = connection.prepare(sql).map_err(fault)?;
    let rows = prepared.query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?)));
    let mut indexes: Vec<(String, Index)> = Vec::new();
    for row in rows.map_err(fault)? {
        let (name, column): (String, String) = row.map_err(fault)?;
        match indexes.last_mut() {
            Some((last, columns)) if *last == name => columns.push(column),
            _ => indexes.push((name, vec![column])),
        }
    }
    let own = indexes.into_iter().map(|(_, columns)| columns);
    Ok(own.chain([vec![table.key().name.to_owned()]]).collect())
}
