//! How SQLite reads a list.

use model_resource_schema::column::Table;
use rusqlite::Connection;

use super::fault::fault;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::explain::{Explanation, Index, unindexed};
use crate::list::List;
use crate::sql::write_list;

pub(super) fn explain(connection: &Connection, list: &List) -> Result<Explanation> {
    let texts = Texts::of(list.table());
    let sql = write_list(Statement::new(""), &texts.columns, list, list.most())?.into_sql();
    let explained = Statement::new("EXPLAIN QUERY PLAN ");
    let explained = write_list(explained, &texts.columns, list, list.most())?;
    let mut prepared = explained.prepare(connection)?;
    let lines = prepared
        .query_map(explained.parameters(), |row| row.get("detail"))
        .map_err(fault)?;
    Ok(Explanation {
        sql,
        plan: lines.collect::<Result<_, _>>().map_err(fault)?,
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
