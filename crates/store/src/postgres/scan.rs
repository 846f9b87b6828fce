//! Giving many rows to a sink.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Row;
use model_resource_schema::relation::{Related, Relation};

use super::executor::Executor;
use super::related;
use super::row::PostgresRow;
use super::statement::PostgresStatement;
use super::table_sql::{FetchSize, TableSql};
use crate::batch::{MAX_BATCH_ROWS, RowBatch};
use crate::error::{Error, Result};
use crate::keyset::{KeyRange, RowComparison, key_ranges};
use crate::list_query::{KeysetPosition, ListQuery, Seek};
use crate::sink::{RowSink, ScanResult};
use crate::sql::write_list;

/// So many rows are asked for at once at the most.
const MAX_FETCH: usize = 4096;
/// An index is used for all values that are compared at once.
pub(super) const ROW_COMPARISON: RowComparison = RowComparison::All;

/// Gives the rows of a list to the sink, until it breaks.
pub(super) async fn scan<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    mut sink: S,
) -> Result<ScanResult<S>> {
    let next = match list.start() {
        Seek::Before(_) => backwards(session, list, relations, &mut sink).await?,
        Seek::Offset(_) | Seek::After(_) => forwards(session, list, relations, &mut sink).await?,
    };
    Ok(ScanResult { sink, next })
}

/// Tells where the sink broke, if it did. The rows are asked for in pieces, as large as was enough for the last reader, so
/// that little is read in vain.
async fn forwards<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let (mut size, largest) = match relations {
        [] => (fetch_size(list).get(), MAX_FETCH),
        _ => (MAX_BATCH_ROWS, MAX_BATCH_ROWS),
    };
    let (mut rest, mut given) = (Cow::Borrowed(list), 0);
    loop {
        let most = rest.max_rows().map_or(size, |most| size.min(most as usize));
        let piece = fetch(session, &rest, most, relations, sink).await?;
        given += piece.given;
        if piece.flow.is_break() {
            if list.max_rows().is_none() {
                fetch_size(list).observe(given);
            }
            return Ok(piece.last);
        }
        match piece.last {
            Some(last)
                if (piece.given == most || piece.is_full) && rest.max_rows() != Some(piece.given as u64) =>
            {
                rest = Cow::Owned(rest.into_owned().rest(piece.given as u64, last));
                size = match piece.is_full {
                    true => piece.given,
                    false => (size * 2).min(largest),
                };
            }
            _ => return Ok(None),
        }
    }
}

/// What was enough for the last reader of the table that began, or went on, as this one does.
fn fetch_size(list: &ListQuery) -> &'static FetchSize {
    let texts = TableSql::of(list.table());
    match list.start() {
        Seek::After(_) => &texts.further,
        Seek::Offset(_) | Seek::Before(_) => &texts.first,
    }
}

/// So many rows from the list's start on.
async fn fetch<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    most: usize,
    relations: &[Relation],
    sink: &mut S,
) -> Result<FetchedRows> {
    let mut whole = FetchedRows {
        flow: ControlFlow::Continue(()),
        given: 0,
        last: None,
        is_full: false,
    };
    for segment in key_ranges(list, ROW_COMPARISON) {
        let statement = statement(session, &segment, most - whole.given)?;
        let part = if relations.is_empty() {
            one_by_one(session, list, &statement, sink).await?
        } else {
            batch(session, list, &statement, relations, sink).await?
        };
        whole = FetchedRows {
            flow: part.flow,
            given: whole.given + part.given,
            last: part.last.or(whole.last),
            is_full: part.is_full,
        };
        if whole.flow.is_break() || whole.is_full || whole.given == most {
            break;
        }
    }
    Ok(whole)
}

/// The rows come from the last to the first, so they are all read before the first is given.
async fn backwards<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<KeysetPosition>> {
    let most = list.max_rows().map_or(usize::MAX, |most| most as usize);
    let mut held = RowBatch::new();
    for segment in key_ranges(list, ROW_COMPARISON) {
        if held.rows.len() < most {
            let statement = statement(session, &segment, most - held.rows.len())?;
            let is_enough = |held: &RowBatch<_>| held.check().is_err();
            hold(session, list, &statement, &mut held, is_enough).await?;
            held.check()?;
        }
    }
    held.rows.reverse();
    for block in held.rows.chunks(MAX_BATCH_ROWS) {
        let piece = emit_batch(session, list, relations, block, sink).await?;
        if piece.flow.is_break() {
            return Ok(piece.last);
        }
    }
    Ok(None)
}

/// What came of a piece.
struct FetchedRows {
    flow: ControlFlow<()>,
    /// So many rows were given to the sink.
    given: usize,
    /// Where the last of them stands.
    last: Option<KeysetPosition>,
    /// Whether they were a full block, of rows or of bytes, so that there may be more of them.
    is_full: bool,
}

fn statement<'l>(
    session: &Executor,
    segment: &'l KeyRange<'l>,
    most: usize,
) -> Result<PostgresStatement<'l>> {
    let columns = &TableSql::of(segment.list.table()).columns;
    let statement = write_list(PostgresStatement::new(""), columns, segment, Some(most as u64))?;
    Ok(match session.lock() {
        Some(lock) if most == 1 => statement.words(lock),
        _ => statement,
    })
}

/// Lends each row to the sink as it arrives.
async fn one_by_one<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    sink: &mut S,
) -> Result<FetchedRows> {
    let (extra, related): (Arc<[DataType]>, _) = (list.extra_kinds().into(), Related::default());
    let (mut given, mut last) = (0, None);
    let mut outcome = Ok(ControlFlow::Continue(()));
    let take = &mut |row| {
        let row = PostgresRow::with_extra(row, list.table(), Arc::clone(&extra));
        given += 1;
        outcome = emit(sink, &row, &related).and_then(|flow| row.check().map(|()| flow));
        last = Some(row);
        match outcome {
            Ok(flow) => flow,
            Err(_) => ControlFlow::Break(()),
        }
    };
    session.each(statement, take).await?;
    Ok(FetchedRows {
        flow: outcome?,
        given,
        last: last.map(|row| list.position(&row)),
        is_full: false,
    })
}

/// Holds a block of rows, and then gives them to the sink.
async fn batch<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<FetchedRows> {
    let mut block = RowBatch::new();
    hold(session, list, statement, &mut block, RowBatch::is_full).await?;
    let piece = emit_batch(session, list, relations, &block.rows, sink).await?;
    let is_full = block.is_full() && piece.flow.is_continue();
    Ok(FetchedRows { is_full, ..piece })
}

/// Holds rows until they are enough.
async fn hold(
    session: &Executor,
    list: &ListQuery,
    statement: &PostgresStatement<'_>,
    held: &mut RowBatch<PostgresRow>,
    is_enough: fn(&RowBatch<PostgresRow>) -> bool,
) -> Result<()> {
    let extra: Arc<[DataType]> = list.extra_kinds().into();
    let mut take = |row| {
        held.add(PostgresRow::with_extra(row, list.table(), Arc::clone(&extra)));
        match is_enough(held) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    Ok(session.each(statement, &mut take).await?)
}

/// Finds what the rows relate to, and gives them to the sink.
async fn emit_batch<S: RowSink>(
    session: &Executor,
    list: &ListQuery,
    relations: &[Relation],
    rows: &[PostgresRow],
    sink: &mut S,
) -> Result<FetchedRows> {
    let related = related::load(session, relations, rows).await?;
    for (position, row) in rows.iter().enumerate() {
        let flow = emit(sink, row, &related)?;
        row.check()?;
        if flow.is_break() {
            return Ok(FetchedRows {
                flow,
                given: position + 1,
                last: Some(list.position(row)),
                is_full: false,
            });
        }
    }
    Ok(FetchedRows {
        flow: ControlFlow::Continue(()),
        given: rows.len(),
        last: rows.last().map(|row| list.position(row)),
        is_full: false,
    })
}

/// A panic of the sink is a failure of this scan, whatever else runs on the connection.
fn emit<S: RowSink>(sink: &mut S, row: &dyn Row, related: &Related) -> Result<ControlFlow<()>> {
    catch_unwind(AssertUnwindSafe(|| sink.row(row, related))).map_err(|panic| Error::panicked(panic.as_ref()))
}
