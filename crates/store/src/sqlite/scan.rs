//! Giving many rows to a sink.

use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::begin_commit::snapshot;
use super::error::map_error;
use super::related;
use super::row::SqliteRow;
use super::statement::SqliteStatement;
use super::table_sql::SqliteTableSql;
use crate::batch::{MAX_BATCH_ROWS, RowBatch};
use crate::error::Result;
use crate::keyset::{KeyRange, RowComparison, key_ranges};
use crate::list_query::{KeysetPosition, ListQuery, Seek};
use crate::sink::{RowSink, ScanResult};
use crate::sql::write_list;

/// The rowid, which every index ends with, is used alone, but not as the last of several values that are compared at once.
pub(super) const REACH: RowComparison = RowComparison::AllButLast;

/// Gives the rows of a list to the sink, until it breaks.
pub(super) fn scan<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    mut sink: S,
) -> Result<ScanResult<S>> {
    let next = match list.start() {
        Seek::Before(_) => backwards(connection, list, relations, &mut sink)?,
        Seek::Offset(_) | Seek::After(_) => forwards(connection, list, relations, &mut sink)?,
    };
    Ok(ScanResult { sink, next })
}

/// Tells where the sink broke, if it did.
fn forwards<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let texts = SqliteTableSql::of(list.table());
    let mut left = list.max_rows();
    let segments = key_ranges(list, REACH);
    // Besides, to open a transaction for each takes as long as to find a row.
    let _snapshot = (segments.len() > 1).then(|| snapshot(connection)).transpose()?;
    for segment in segments {
        let statement = statement(&texts, &segment, left)?;
        let (given, next) = if relations.is_empty() {
            one_by_one(connection, list, &statement, sink)?
        } else {
            in_blocks(connection, list, &statement, relations, sink)?
        };
        left = left.map(|left| left.saturating_sub(given));
        if next.is_some() || left == Some(0) {
            return Ok(next);
        }
    }
    Ok(None)
}

/// The rows come from the last to the first, so they are all copied before the first is given.
fn backwards<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let (texts, extra) = (SqliteTableSql::of(list.table()), list.extra_kinds());
    let _snapshot = snapshot(connection)?;
    let mut copied = RowBatch::new();
    for segment in key_ranges(list, REACH) {
        let left = list.max_rows().map(|most| most - copied.rows.len() as u64);
        if left == Some(0) {
            break;
        }
        let statement = statement(&texts, &segment, left)?;
        let mut prepared = statement.prepare(connection)?;
        let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
        while let Some(row) = rows.next().map_err(map_error)? {
            copied.add(SqliteRow::with_extra(row, list.table(), &extra).to_record()?);
            copied.check()?;
        }
    }
    copied.rows.reverse();
    for block in copied.rows.chunks(MAX_BATCH_ROWS) {
        let (_, next) = give_block(connection, list, relations, block, sink)?;
        if next.is_some() {
            return Ok(next);
        }
    }
    Ok(None)
}

fn statement<'l>(
    texts: &'l SqliteTableSql,
    segment: &'l KeyRange<'l>,
    most: Option<u64>,
) -> Result<SqliteStatement<'l>> {
    let list = segment.list;
    match list.start() {
        Seek::Offset(0) if list.is_plain() => Ok(SqliteStatement::ready(&texts.list)),
        Seek::After(KeysetPosition(values)) if list.is_plain() => {
            let key = values.last().unwrap_or(&Value::Null);
            SqliteStatement::ready(&texts.list_after_key).bind_sought(list.table().key(), key)
        }
        _ => write_list(SqliteStatement::new(""), &texts.columns, segment, most),
    }
}

/// Lends each row to the sink as the database steps to it.
fn one_by_one<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    statement: &SqliteStatement<'_>,
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let mut given = 0;
    let (table, extra, related) = (list.table(), list.extra_kinds(), Related::default());
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    while let Some(stored) = rows.next().map_err(map_error)? {
        let row = SqliteRow::with_extra(stored, table, &extra);
        let flow = sink.row(&row, &related);
        row.check()?;
        given += 1;
        if flow.is_break() {
            return Ok((given, Some(list.position(&row))));
        }
    }
    Ok((given, None))
}

/// Copies the rows block by block, and then gives them to the sink.
fn in_blocks<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    statement: &SqliteStatement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let mut given = 0;
    let extra = list.extra_kinds();
    let _snapshot = snapshot(connection)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    loop {
        let mut block = RowBatch::new();
        while !block.is_full() {
            let Some(row) = rows.next().map_err(map_error)? else {
                break;
            };
            block.add(SqliteRow::with_extra(row, list.table(), &extra).to_record()?);
        }
        let (count, next) = give_block(connection, list, relations, &block.rows, sink)?;
        given += count;
        if next.is_some() || !block.is_full() {
            return Ok((given, next));
        }
    }
}

/// Finds what the rows relate to, and gives them to the sink.
fn give_block<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    block: &[Record],
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let related = related::load(connection, relations, block)?;
    for (position, record) in block.iter().enumerate() {
        if sink.row(record, &related).is_break() {
            return Ok((position as u64 + 1, Some(list.position(record))));
        }
    }
    Ok((block.len() as u64, None))
}
