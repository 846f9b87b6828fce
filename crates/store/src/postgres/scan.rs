//! Giving many rows to a sink.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use model_resource_schema::kind::Kind;
use model_resource_schema::model::Row;
use model_resource_schema::relation::{Related, Relation};

use super::related;
use super::row::SentRow;
use super::session::Session;
use super::statement::Statement;
use super::texts::{Enough, Texts};
use crate::error::{Error, Result};
use crate::list::{List, Position, Start};
use crate::sink::{Scanned, Sink};
use crate::sql::write_list;

/// So many rows are asked for at once at the most.
const LARGEST: usize = 4096;
/// So many rows have their related rows looked up together.
const BLOCK: usize = 128;

/// Gives the rows of a list to the sink, until it breaks.
pub(super) async fn scan<S: Sink>(
    session: &Session,
    list: &List,
    relations: &[Relation],
    mut sink: S,
) -> Result<Scanned<S>> {
    let mut given = 0;
    for segment in list.segments() {
        let segment = segment.into_owned().fewer(given as u64);
        let piece = scan_segment(session, segment, relations, &mut sink).await?;
        given += piece.given;
        if piece.flow.is_break() {
            if list.most().is_none() {
                enough(list).note(given);
            }
            let next = piece.last;
            return Ok(Scanned { sink, next });
        }
    }
    Ok(Scanned { sink, next: None })
}

/// What was enough for the last reader of the table that began, or went on, as this one does.
fn enough(list: &List) -> &'static Enough {
    let texts = Texts::of(list.table());
    match list.start() {
        Start::After(_) => &texts.further,
        Start::Skipping(_) | Start::Before(_) => &texts.first,
    }
}

/// They are asked for in pieces, as large as was enough for the last reader, so that little is read in vain.
async fn scan_segment<S: Sink>(
    session: &Session,
    mut list: List,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Piece> {
    let (mut size, largest) = match relations {
        [] => (enough(&list).rows(), LARGEST),
        _ => (BLOCK, BLOCK),
    };
    let mut given = 0;
    loop {
        let most = rows_of(&list, size);
        let piece = if relations.is_empty() {
            one_by_one(session, &list, most, sink).await?
        } else {
            block(session, &list, most, relations, sink).await?
        };
        given += piece.given;
        match (piece.flow, piece.last) {
            (ControlFlow::Continue(()), Some(last)) if piece.given == most => {
                list = list.rest(piece.given as u64, last);
                size = (size * 2).min(largest);
            }
            (flow, last) => return Ok(Piece { flow, given, last }),
        }
    }
}

/// So many rows are asked for next. Of the last rows of a list all at once: only then is it known where they begin.
fn rows_of(list: &List, size: usize) -> usize {
    let most = list.most().map_or(usize::MAX, |most| most as usize);
    match list.start() {
        Start::Before(_) => most,
        Start::Skipping(_) | Start::After(_) => most.min(size),
    }
}

/// What came of a piece.
struct Piece {
    flow: ControlFlow<()>,
    /// So many rows were given to the sink.
    given: usize,
    /// Where the last of them stands.
    last: Option<Position>,
}

fn statement<'v>(session: &Session, list: &'v List, most: usize) -> Result<Statement<'v>> {
    let columns = &Texts::of(list.table()).columns;
    let statement = write_list(Statement::new(""), columns, list, Some(most as u64))?;
    Ok(match session.lock() {
        Some(lock) if most == 1 => statement.words(lock),
        _ => statement,
    })
}

/// Lends each row to the sink as it arrives.
async fn one_by_one<S: Sink>(session: &Session, list: &List, most: usize, sink: &mut S) -> Result<Piece> {
    let (extra, related): (Arc<[Kind]>, _) = (list.extra_kinds().into(), Related::default());
    let statement = statement(session, list, most)?;
    let (mut given, mut last) = (0, None);
    let mut outcome = Ok(ControlFlow::Continue(()));
    let take = &mut |row| {
        let row = SentRow::with_extra(row, list.table(), Arc::clone(&extra));
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
        last: last.map(|row| list.position(&row)),
    })
}

/// Copies a block of rows, finds what they relate to, and then gives them to the sink.
async fn block<S: Sink>(
    session: &Session,
    list: &List,
    most: usize,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Piece> {
    let rows = session.read(&statement(session, list, most)?).await?;
    let extra: Arc<[Kind]> = list.extra_kinds().into();
    let copy = |row| SentRow::with_extra(row, list.table(), Arc::clone(&extra)).to_record();
    let records = rows.into_iter().map(copy).collect::<Result<Vec<_>>>()?;
    let related = related::load(session, relations, &records).await?;
    for (position, record) in records.iter().enumerate() {
        let flow = give(sink, record, &related)?;
        if flow.is_break() {
            return Ok(Piece {
                flow,
                given: position + 1,
                last: Some(list.position(record)),
            });
        }
    }
    Ok(Piece {
        flow: ControlFlow::Continue(()),
        given: records.len(),
        last: records.last().map(|record| list.position(record)),
    })
}

/// A panic of the sink is a failure of this scan, whatever else runs on the connection.
fn give<S: Sink>(sink: &mut S, row: &dyn Row, related: &Related) -> Result<ControlFlow<()>> {
    catch_unwind(AssertUnwindSafe(|| sink.row(row, related))).map_err(|panic| Error::panicked(panic.as_ref()))
}
