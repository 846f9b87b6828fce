//! Scans: passing many rows to a sink.

use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::begin_commit::snapshot;
use super::error::map_error;
use super::row::SqliteRow;
use super::statement::SqliteStatement;
use super::table_sql;
use super::{interrupt, related};
use crate::batch::{MAX_BATCH_ROWS, RowBatch};
use crate::brief_scan::{BriefScan, ShortSink, TrackedSink, max_short_bytes};
use crate::error::Result;
use crate::list_query::{KeysetPosition, ListQuery, Seek};
use crate::sink::{RowSink, ScanResult};
use crate::sql::keyset::{KeyRange, RowComparison, key_ranges};
use crate::sql::table_sql::TableSql;
use crate::sql::{SqlWriter as _, write_list};

/// SQLite uses the rowid at the end of an index alone, but not as the last value of a row comparison.
pub(super) const ROW_COMPARISON: RowComparison = RowComparison::AllButLast;

/// Passes the rows of a list to the sink until it breaks.
pub(super) fn scan<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    mut sink: S,
) -> Result<ScanResult<S>> {
    let next = scan_into(connection, list, relations, &mut sink)?;
    Ok(ScanResult { sink, next })
}

/// Passes the rows of a short list to the sink until it breaks, or until the rows are long together.
pub(super) fn scan_to_size<S: RowSink>(
    connection: &Connection,
    list: ListQuery,
    relations: &[Relation],
    sink: S,
) -> Result<BriefScan<S>> {
    let sink = ShortSink::new(sink, max_short_bytes(&list));
    let scanned = scan(connection, &list, relations, sink)?;
    Ok(ShortSink::ended(&list, scanned))
}

/// Passes the rows of a list that is expected to be short to the sink until it breaks, or until it takes too long.
pub(super) fn scan_briefly<S: RowSink>(
    connection: &Connection,
    list: ListQuery,
    relations: &[Relation],
    sink: S,
) -> Result<BriefScan<S>> {
    let mut sink = TrackedSink::new(sink, list.clone());
    match interrupt::brief(|| scan_into(connection, &list, relations, &mut sink))? {
        Some(next) => Ok(sink.ended(next)),
        None => Ok(sink.interrupted()),
    }
}

/// Returns the position at which the sink broke.
fn scan_into<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    match list.start() {
        Seek::Before(_) => backwards(connection, list, relations, sink),
        Seek::Offset(_) | Seek::After(_) => forwards(connection, list, relations, sink),
    }
}

/// Scans forwards; returns the position at which the sink broke.
fn forwards<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let table_sql = table_sql::of(list.table());
    let mut left = list.max_rows();
    let ranges = key_ranges(list, ROW_COMPARISON);
    // One transaction for all ranges also saves time: opening one takes as long as finding a row.
    let _snapshot = (ranges.len() > 1).then(|| snapshot(connection)).transpose()?;
    for range in ranges {
        let statement = statement(&table_sql, &range, left)?;
        let (emitted, next) = if relations.is_empty() {
            one_by_one(connection, list, &statement, sink)?
        } else {
            in_batches(connection, list, &statement, relations, sink)?
        };
        left = left.map(|left| left.saturating_sub(emitted));
        if next.is_some() || left == Some(0) {
            return Ok(next);
        }
    }
    Ok(None)
}

/// Scans backwards. Rows arrive last to first, so all are copied before the first is passed on.
fn backwards<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let (table_sql, extra) = (table_sql::of(list.table()), list.extra_kinds());
    let _snapshot = snapshot(connection)?;
    let mut copied = RowBatch::new();
    for range in key_ranges(list, ROW_COMPARISON) {
        let left = list.max_rows().map(|limit| limit - copied.rows.len() as u64);
        if left == Some(0) {
            break;
        }
        let statement = statement(&table_sql, &range, left)?;
        let mut prepared = statement.prepare(connection)?;
        let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
        while let Some(row) = rows.next().map_err(map_error)? {
            copied.add(SqliteRow::with_extra(row, list.table(), &extra).to_record()?);
            copied.check()?;
        }
    }
    copied.rows.reverse();
    for batch in copied.rows.chunks(MAX_BATCH_ROWS) {
        let (_, next) = emit_batch(connection, list, relations, batch, sink)?;
        if next.is_some() {
            return Ok(next);
        }
    }
    Ok(None)
}

fn statement<'l>(
    table_sql: &'l TableSql,
    range: &'l KeyRange<'l>,
    limit: Option<u64>,
) -> Result<SqliteStatement<'l>> {
    let list = range.list;
    match list.start() {
        Seek::Offset(0) if list.is_plain() => Ok(SqliteStatement::ready(&table_sql.list)),
        Seek::After(KeysetPosition(values)) if list.is_plain() => {
            let key = values.last().unwrap_or(&Value::Null);
            SqliteStatement::ready(&table_sql.list_after_key).bind_search(list.table().key(), key)
        }
        _ => write_list(SqliteStatement::start(""), &table_sql.columns, range, limit),
    }
}

/// Passes each row to the sink as the statement steps to it.
fn one_by_one<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    statement: &SqliteStatement<'_>,
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let mut emitted = 0;
    let (table, extra, related) = (list.table(), list.extra_kinds(), Related::default());
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    while let Some(stored) = rows.next().map_err(map_error)? {
        let row = SqliteRow::with_extra(stored, table, &extra);
        let flow = sink.row(&row, &related);
        row.check()?;
        emitted += 1;
        if flow.is_break() {
            return Ok((emitted, Some(list.position(&row))));
        }
    }
    Ok((emitted, None))
}

/// Copies rows in batches and passes them to the sink.
fn in_batches<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    statement: &SqliteStatement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let mut emitted = 0;
    let extra = list.extra_kinds();
    let _snapshot = snapshot(connection)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(map_error)?;
    loop {
        let mut batch = RowBatch::new();
        while !batch.is_full() {
            let Some(row) = rows.next().map_err(map_error)? else {
                break;
            };
            batch.add(SqliteRow::with_extra(row, list.table(), &extra).to_record()?);
        }
        let (count, next) = emit_batch(connection, list, relations, &batch.rows, sink)?;
        emitted += count;
        if next.is_some() || !batch.is_full() {
            return Ok((emitted, next));
        }
    }
}

/// Fetches related rows and passes the batch to the sink.
fn emit_batch<S: RowSink>(
    connection: &Connection,
    list: &ListQuery,
    relations: &[Relation],
    batch: &[Record],
    sink: &mut S,
) -> Result<(u64, Option<KeysetPosition>)> {
    let related = related::load(connection, relations, batch)?;
    for (position, record) in batch.iter().enumerate() {
        if sink.row(record, &related).is_break() {
            return Ok((position as u64 + 1, Some(list.position(record))));
        }
    }
    Ok((batch.len() as u64, None))
}
