//! Giving many rows to a sink.

use std::borrow::Cow;
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
use crate::block::{BLOCK_ROWS, Block};
use crate::error::{Error, Result};
use crate::list::{List, Position, Start};
use crate::segment::{Reach, Segment, segments};
use crate::sink::{Scanned, Sink};
use crate::sql::write_list;

/// So many rows are asked for at once at the most.
const LARGEST: usize = 4096;
/// An index is used for all values that are compared at once.
pub(super) const REACH: Reach = Reach::All;

/// Gives the rows of a list to the sink, until it breaks.
pub(super) async fn scan<S: Sink>(
    session: &Session,
    list: &List,
    relations: &[Relation],
    mut sink: S,
) -> Result<Scanned<S>> {
    let next = match list.start() {
        Start::Before(_) => backwards(session, list, relations, &mut sink).await?,
        Start::Skipping(_) | Start::After(_) => forwards(session, list, relations, &mut sink).await?,
    };
    Ok(Scanned { sink, next })
}

/// Tells where the sink broke, if it did. The rows are asked for in pieces, as large as was enough for the last reader, so
/// that little is read in vain.
async fn forwards<S: Sink>(
    session: &Session,
    list: &List,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<Position>> {
    let (mut size, largest) = match relations {
        [] => (enough(list).rows(), LARGEST),
        _ => (BLOCK_ROWS, BLOCK_ROWS),
    };
    let (mut rest, mut given) = (Cow::Borrowed(list), 0);
    loop {
        let most = rest.most().map_or(size, |most| size.min(most as usize));
        let piece = piece(session, &rest, most, relations, sink).await?;
        given += piece.given;
        if piece.flow.is_break() {
            if list.most().is_none() {
                enough(list).note(given);
            }
            return Ok(piece.last);
        }
        match piece.last {
            Some(last)
                if (piece.given == most || piece.is_full) && rest.most() != Some(piece.given as u64) =>
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
fn enough(list: &List) -> &'static Enough {
    let texts = Texts::of(list.table());
    match list.start() {
        Start::After(_) => &texts.further,
        Start::Skipping(_) | Start::Before(_) => &texts.first,
    }
}

/// So many rows from the list's start on.
async fn piece<S: Sink>(
    session: &Session,
    list: &List,
    most: usize,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Piece> {
    let mut whole = Piece {
        flow: ControlFlow::Continue(()),
        given: 0,
        last: None,
        is_full: false,
    };
    for segment in segments(list, REACH) {
        let statement = statement(session, &segment, most - whole.given)?;
        let part = if relations.is_empty() {
            one_by_one(session, list, &statement, sink).await?
        } else {
            block(session, list, &statement, relations, sink).await?
        };
        whole = Piece {
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
async fn backwards<S: Sink>(
    session: &Session,
    list: &List,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Option<Position>> {
    let most = list.most().map_or(usize::MAX, |most| most as usize);
    let mut held = Block::new();
    for segment in segments(list, REACH) {
        if held.rows.len() < most {
            let statement = statement(session, &segment, most - held.rows.len())?;
            let is_enough = |held: &Block<_>| held.check().is_err();
            hold(session, list, &statement, &mut held, is_enough).await?;
            held.check()?;
        }
    }
    held.rows.reverse();
    for block in held.rows.chunks(BLOCK_ROWS) {
        let piece = give_block(session, list, relations, block, sink).await?;
        if piece.flow.is_break() {
            return Ok(piece.last);
        }
    }
    Ok(None)
}

/// What came of a piece.
struct Piece {
    flow: ControlFlow<()>,
    /// So many rows were given to the sink.
    given: usize,
    /// Where the last of them stands.
    last: Option<Position>,
    /// Whether they were a full block, of rows or of bytes, so that there may be more of them.
    is_full: bool,
}

fn statement<'l>(session: &Session, segment: &'l Segment<'l>, most: usize) -> Result<Statement<'l>> {
    let columns = &Texts::of(segment.list.table()).columns;
    let statement = write_list(Statement::new(""), columns, segment, Some(most as u64))?;
    Ok(match session.lock() {
        Some(lock) if most == 1 => statement.words(lock),
        _ => statement,
    })
}

/// Lends each row to the sink as it arrives.
async fn one_by_one<S: Sink>(
    session: &Session,
    list: &List,
    statement: &Statement<'_>,
    sink: &mut S,
) -> Result<Piece> {
    let (extra, related): (Arc<[Kind]>, _) = (list.extra_kinds().into(), Related::default());
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
    session.each(statement, take).await?;
    Ok(Piece {
        flow: outcome?,
        given,
        last: last.map(|row| list.position(&row)),
        is_full: false,
    })
}

/// Holds a block of rows, and then gives them to the sink.
async fn block<S: Sink>(
    session: &Session,
    list: &List,
    statement: &Statement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<Piece> {
    let mut block = Block::new();
    hold(session, list, statement, &mut block, Block::is_full).await?;
    let piece = give_block(session, list, relations, &block.rows, sink).await?;
    let is_full = block.is_full() && piece.flow.is_continue();
    Ok(Piece { is_full, ..piece })
}

/// Holds rows until they are enough.
async fn hold(
    session: &Session,
    list: &List,
    statement: &Statement<'_>,
    held: &mut Block<SentRow>,
    is_enough: fn(&Block<SentRow>) -> bool,
) -> Result<()> {
    let extra: Arc<[Kind]> = list.extra_kinds().into();
    let mut take = |row| {
        held.add(SentRow::with_extra(row, list.table(), Arc::clone(&extra)));
        match is_enough(held) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    Ok(session.each(statement, &mut take).await?)
}

/// Finds what the rows relate to, and gives them to the sink.
async fn give_block<S: Sink>(
    session: &Session,
    list: &List,
    relations: &[Relation],
    rows: &[SentRow],
    sink: &mut S,
) -> Result<Piece> {
    let related = related::load(session, relations, rows).await?;
    for (position, row) in rows.iter().enumerate() {
        let flow = give(sink, row, &related)?;
        row.check()?;
        if flow.is_break() {
            return Ok(Piece {
                flow,
                given: position + 1,
                last: Some(list.position(row)),
                is_full: false,
            });
        }
    }
    Ok(Piece {
        flow: ControlFlow::Continue(()),
        given: rows.len(),
        last: rows.last().map(|row| list.position(row)),
        is_full: false,
    })
}

/// A panic of the sink is a failure of this scan, whatever else runs on the connection.
fn give<S: Sink>(sink: &mut S, row: &dyn Row, related: &Related) -> Result<ControlFlow<()>> {
    catch_unwind(AssertUnwindSafe(|| sink.row(row, related))).map_err(|panic| Error::panicked(panic.as_ref()))
}
