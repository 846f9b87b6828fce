//! Giving many rows to a sink.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;

use super::fetch;
use super::related;
use super::row::SentRow;
use super::session::Session;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::select::Select;
use crate::sink::{Scanned, Sink};

/// So many rows are asked for at once at the most.
const LARGEST: usize = 4096;
/// With relations, so many rows are held while theirs are looked up.
const LARGEST_BLOCK: usize = 256;

/// Gives the selected rows after the key to the sink, in the order of their keys, until it breaks, after `most` of them at
/// the latest.
///
/// They are asked for in pieces, as large as was enough for the last reader of the table, so that little is read in vain.
pub(super) async fn scan<S: Sink>(
    session: &Session,
    select: &Select,
    relations: &[Relation],
    after: Option<Value>,
    most: usize,
    mut sink: S,
) -> Result<Scanned<S>> {
    let texts = Texts::of(select.table());
    let enough = if after.is_none() {
        &texts.first
    } else {
        &texts.further
    };
    let largest = if relations.is_empty() {
        LARGEST
    } else {
        LARGEST_BLOCK
    };
    let (mut last, mut total, mut size) = (after, 0, enough.rows().min(most).min(largest));
    loop {
        let piece = if relations.is_empty() {
            one_by_one(session, select, last.as_ref(), size, &mut sink).await?
        } else {
            block(session, select, relations, last.as_ref(), size, &mut sink).await?
        };
        total += piece.given;
        if piece.flow.is_break() {
            if most == usize::MAX {
                enough.note(total);
            }
            return Ok(Scanned {
                sink,
                next: piece.last,
            });
        }
        if piece.given < size {
            return Ok(Scanned { sink, next: None });
        }
        last = piece.last;
        size = (size * 2).min(largest);
    }
}

/// What came of one piece.
struct Piece {
    flow: ControlFlow<()>,
    /// So many rows were given to the sink.
    given: usize,
    /// The key of the last of them.
    last: Option<Value>,
}

fn select_piece<'v>(
    session: &Session,
    select: &'v Select,
    after: Option<&'v Value>,
    size: usize,
) -> Result<Statement<'v>> {
    let table = select.table();
    let mut statement = Statement::new(&Texts::of(table).select).filter(select)?;
    if let Some(key) = after {
        statement = statement.and_key(table, " > ", key)?;
    }
    let statement = statement.words(" ORDER BY ").name(table.key().name);
    // In the text, since the planner chooses by it.
    let statement = statement.words(" LIMIT ").words(&size.to_string());
    Ok(match session.lock() {
        Some(lock) if size == 1 => statement.words(lock),
        _ => statement,
    })
}

/// Lends each row to the sink as it arrives.
async fn one_by_one<S: Sink>(
    session: &Session,
    select: &Select,
    after: Option<&Value>,
    size: usize,
    sink: &mut S,
) -> Result<Piece> {
    let (table, related) = (select.table(), Related::default());
    let statement = select_piece(session, select, after, size)?;
    let (mut given, mut last) = (0, None);
    let mut outcome = Ok(ControlFlow::Continue(()));
    let take = &mut |row| {
        let row = SentRow::new(row, table);
        given += 1;
        outcome = give(sink, &row, &related).and_then(|flow| row.check().map(|()| flow));
        last = Some(row);
        match outcome {
            Ok(flow) => flow,
            Err(_) => ControlFlow::Break(()),
        }
    };
    session.each(&statement, take).await?;
    Ok(Piece {
        flow: outcome?,
        given,
        last: last.map(|row| row.value(table.primary_key).to_value()),
    })
}

/// Copies a block of rows, finds what they relate to, and then gives them to the sink.
async fn block<S: Sink>(
    session: &Session,
    select: &Select,
    relations: &[Relation],
    after: Option<&Value>,
    size: usize,
    sink: &mut S,
) -> Result<Piece> {
    let table = select.table();
    let statement = select_piece(session, select, after, size)?;
    let records = fetch::records(session, table, &statement).await?;
    let related = related::load(session, relations, &records).await?;
    let key = |record: &Record| record.values()[table.primary_key].clone();
    for (position, record) in records.iter().enumerate() {
        let flow = give(sink, record, &related)?;
        if flow.is_break() {
            return Ok(Piece {
                flow,
                given: position + 1,
                last: Some(key(record)),
            });
        }
    }
    Ok(Piece {
        flow: ControlFlow::Continue(()),
        given: records.len(),
        last: records.last().map(key),
    })
}

/// A panic of the sink is a failure of this scan, whatever else runs on the connection.
fn give<S: Sink>(sink: &mut S, row: &dyn Row, related: &Related) -> Result<ControlFlow<()>> {
    catch_unwind(AssertUnwindSafe(|| sink.row(row, related))).map_err(|panic| Error::panicked(panic.as_ref()))
}
