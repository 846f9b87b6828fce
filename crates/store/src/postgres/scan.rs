//! Scans: passing many rows to a sink.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Row;
use model_resource_schema::relation::{Related, Relation};

use super::executor::Executor;
use super::fetch_size::FetchSize;
use super::related;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql;
use crate::batch::{MAX_BATCH_ROWS, RowBatch};
use crate::brief_scan::{BriefScan, ShortSink, TrackedSink, max_short_bytes};
use crate::error::{Error, Result};
use crate::list_query::{KeysetPosition, ListQuery, Seek};
use crate::sink::{RowSink, ScanResult};
use crate::sql::keyset::{KeyRange, RowComparison, key_ranges};
use crate::sql::{SqlWriter as _, write_list};

/// Maximum rows per fetch.
const MAX_FETCH: usize = 4096;
/// PostgreSQL uses an index for all values of a row comparison.
pub(super) const ROW_COMPARISON: RowComparison = RowComparison::All;

/// Passes the rows of a list to the sink until it breaks.
pub(super) async fn scan<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    mut sink: S,
) -> Result<ScanResult<S>> {
    let next = scan_into(executor, list, relations, &mut sink).await?;
    Ok(ScanResult { sink, next })
}

/// Passes the rows of a list to the sink until it breaks, or until the rows of a page are long together. A list that may take long
/// is read beside other long reads, as is a page if the rows of recent ones were long.
pub(super) async fn scan_to_size<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: S,
) -> Result<BriefScan<S>> {
    let row_size = &table_sql::of(list.table()).row_size;
    let scanned = if list.may_be_long() || row_size.makes_long(list.max_rows()) {
        let sink = ShortSink::new(sink, usize::MAX);
        scan(&executor.for_long_reads(), list, relations, sink).await?
    } else {
        let sink = ShortSink::new(sink, max_short_bytes(list));
        scan(executor, list, relations, sink).await?
    };
    row_size.observe(scanned.sink.bytes_of_row());
    Ok(ShortSink::ended(list, scanned))
}

/// Passes the rows of a list that is expected to be short to the sink until it breaks, or until a statement takes too long.
pub(super) async fn scan_briefly<S: RowSink>(
    executor: &Executor,
    list: ListQuery,
    relations: &[Relation],
    sink: S,
) -> Result<BriefScan<S>> {
    let mut sink = TrackedSink::new(sink, list.clone());
    match scan_into(executor, &list, relations, &mut sink).await {
        Ok(next) => Ok(sink.ended(next)),
        Err(Error::TooSlow(_)) => Ok(sink.interrupted()),
        Err(error) => Err(error),
    }
}

/// Returns the position at which the sink broke.
async fn scan_into<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    match list.start() {
        Seek::Before(_) => backwards(executor, list, relations, sink).await,
        Seek::Offset(_) | Seek::After(_) => forwards(executor, list, relations, sink).await,
    }
}

/// Scans forwards; returns the position at which the sink broke. Rows are fetched in chunks of the size that was
/// enough for the last reader, so that few are read in vain.
async fn forwards<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let (mut size, largest) = match relations {
        [] => (fetch_size(list).get(), MAX_FETCH),
        _ => (MAX_BATCH_ROWS, MAX_BATCH_ROWS),
    };
    let (mut rest, mut emitted) = (Cow::Borrowed(list), 0);
    loop {
        let limit = rest.max_rows().map_or(size, |limit| size.min(limit as usize));
        let chunk = fetch(executor, &rest, limit, relations, sink).await?;
        emitted += chunk.emitted;
        if chunk.flow.is_break() {
            if list.max_rows().is_none() {
                fetch_size(list).observe(emitted);
            }
            return Ok(chunk.last);
        }
        match chunk.last {
            Some(last)
                if (chunk.emitted == limit || chunk.is_full)
                    && rest.max_rows() != Some(chunk.emitted as u64) =>
            {
                rest = Cow::Owned(rest.into_owned().rest(chunk.emitted as u64, last));
                size = if chunk.is_full {
                    chunk.emitted
                } else {
                    (size * 2).min(largest)
                };
            }
            _ => return Ok(None),
        }
    }
}

/// Returns the adaptive fetch size of the table, for the start or the continuation of a scan.
fn fetch_size(list: &ListQuery) -> &'static FetchSize {
    let table_sql = table_sql::of(list.table());
    match list.start() {
        Seek::After(_) => &table_sql.further,
        Seek::Offset(_) | Seek::Before(_) => &table_sql.first,
    }
}

/// Fetches a chunk of rows from the start of the list.
async fn fetch<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    limit: usize,
    relations: &[Relation],
    sink: &mut S,
) -> Result<FetchedRows> {
    let mut whole = FetchedRows {
        flow: ControlFlow::Continue(()),
        emitted: 0,
        last: None,
        is_full: false,
    };
    for range in key_ranges(list, ROW_COMPARISON) {
        let statement = statement(executor, &range, limit - whole.emitted)?;
        let part = if relations.is_empty() {
            one_by_one(executor, list, &statement, sink).await?
        } else {
            batch(executor, list, &statement, relations, sink).await?
        };
        whole = FetchedRows {
            flow: part.flow,
            emitted: whole.emitted + part.emitted,
            last: part.last.or(whole.last),
            is_full: part.is_full,
        };
        if whole.flow.is_break() || whole.is_full || whole.emitted == limit {
            break;
        }
    }
    Ok(whole)
}

/// Scans backwards. Rows arrive last to first, so all are read before the first is passed on.
async fn backwards<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let limit = list.max_rows().map_or(usize::MAX, |limit| limit as usize);
    let mut held = RowBatch::new();
    for range in key_ranges(list, ROW_COMPARISON) {
        if held.rows.len() < limit {
            let statement = statement(executor, &range, limit - held.rows.len())?;
            let is_enough = |held: &RowBatch<_>| held.check().is_err();
            hold(executor, list, &statement, &mut held, is_enough).await?;
            held.check()?;
        }
    }
    held.rows.reverse();
    for rows in held.rows.chunks(MAX_BATCH_ROWS) {
        let chunk = emit_batch(executor, list, relations, rows, sink).await?;
        if chunk.flow.is_break() {
            return Ok(chunk.last);
        }
    }
    Ok(None)
}

/// Result of fetching a chunk.
struct FetchedRows {
    flow: ControlFlow<()>,
    /// Number of rows passed to the sink.
    emitted: usize,
    /// Position of the last of them.
    last: Option<KeysetPosition>,
    /// Whether the batch was full, by rows or by bytes, so that more rows may follow.
    is_full: bool,
}

fn statement<'l>(
    executor: &Executor,
    range: &'l KeyRange<'l>,
    limit: usize,
) -> Result<PostgresStatement<'l>> {
    let columns = &table_sql::of(range.list.table()).columns;
    let statement = PostgresStatement::start("").about(range.list.table());
    let statement = write_list(statement, columns, range, Some(limit as u64))?;
    Ok(match executor.lock() {
        Some(lock) if limit == 1 => statement.push_sql(lock),
        _ => statement,
    })
}

/// Passes each row to the sink as it arrives.
async fn one_by_one<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    sink: &mut S,
) -> Result<FetchedRows> {
    let (extra, related): (Arc<[DataType]>, _) = (list.extra_kinds().into(), Related::default());
    let (mut emitted, mut last) = (0, None);
    let mut outcome = Ok(ControlFlow::Continue(()));
    let take = &mut |row| {
        let row = PostgresRow::with_extra(row, list.table(), Arc::clone(&extra));
        emitted += 1;
        outcome = emit(sink, &row, &related).and_then(|flow| row.check().map(|()| flow));
        last = Some(row);
        match outcome {
            Ok(flow) => flow,
            Err(_) => ControlFlow::Break(()),
        }
    };
    executor.each(statement, take).await?;
    Ok(FetchedRows {
        flow: outcome?,
        emitted,
        last: last.map(|row| list.position(&row)),
        is_full: false,
    })
}

/// Buffers a batch of rows and passes them to the sink.
async fn batch<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<FetchedRows> {
    let mut held = RowBatch::new();
    hold(executor, list, statement, &mut held, RowBatch::is_full).await?;
    let chunk = emit_batch(executor, list, relations, &held.rows, sink).await?;
    let is_full = held.is_full() && chunk.flow.is_continue();
    Ok(FetchedRows { is_full, ..chunk })
}

/// Buffers rows until the batch is full.
async fn hold(
    executor: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    held: &mut RowBatch<PostgresRow>,
    is_enough: fn(&RowBatch<PostgresRow>) -> bool,
) -> Result<()> {
    let extra: Arc<[DataType]> = list.extra_kinds().into();
    let mut take = |row| {
        held.add(PostgresRow::with_extra(row, list.table(), Arc::clone(&extra)));
        if is_enough(held) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    executor.each(statement, &mut take).await?;
    Ok(())
}

/// Fetches related rows and passes the batch to the sink.
async fn emit_batch<S: RowSink>(
    executor: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    rows: &[PostgresRow],
    sink: &mut S,
) -> Result<FetchedRows> {
    let related = related::load(executor, relations, rows).await?;
    for (position, row) in rows.iter().enumerate() {
        let flow = emit(sink, row, &related)?;
        row.check()?;
        if flow.is_break() {
            return Ok(FetchedRows {
                flow,
                emitted: position + 1,
                last: Some(list.position(row)),
                is_full: false,
            });
        }
    }
    Ok(FetchedRows {
        flow: ControlFlow::Continue(()),
        emitted: rows.len(),
        last: rows.last().map(|row| list.position(row)),
        is_full: false,
    })
}

/// Passes a row to the sink. A panic of the sink fails this scan, and not the others on the connection.
fn emit<S: RowSink>(sink: &mut S, row: &dyn Row, related: &Related) -> Result<ControlFlow<()>> {
    catch_unwind(AssertUnwindSafe(|| sink.row(row, related))).map_err(|panic| Error::panicked(panic.as_ref()))
}
