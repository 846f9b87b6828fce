//! Giving many rows to a sink.

use std::borrow::Cow;

use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::fault::fault;
use super::related;
use super::row::StoredRow;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::list::{List, Position, Start};
use crate::sink::{Scanned, Sink};
use crate::sql::write_list;

/// So many rows have their related rows looked up together.
const BLOCK: usize = 128;

/// Gives the rows of a list to the sink, until it breaks.
pub(super) fn scan<S: Sink>(
    connection: &Connection,
    list: &List,
    relations: &[Relation],
    mut sink: S,
) -> Result<Scanned<S>> {
    let mut given = 0;
    for segment in list.segments() {
        let segment = match given {
            0 => segment,
            given => Cow::Owned(segment.into_owned().fewer(given)),
        };
        let (rows, next) = scan_segment(connection, &segment, relations, &mut sink)?;
        given += rows;
        if next.is_some() {
            return Ok(Scanned { sink, next });
        }
    }
    Ok(Scanned { sink, next: None })
}

/// Gives so many rows, and tells where the sink broke, if it did.
fn scan_segment<S: Sink>(
    connection: &Connection,
    list: &List,
    relations: &[Relation],
    sink: &mut S,
) -> Result<(u64, Option<Position>)> {
    let texts = Texts::of(list.table());
    let statement = match list.start() {
        Start::Skipping(0) if list.is_plain() => Statement::ready(&texts.list),
        Start::After(Position(values)) if list.is_plain() => {
            let key = values.last().unwrap_or(&Value::Null);
            Statement::ready(&texts.list_after_key).bind_sought(list.table().key(), key)?
        }
        _ => write_list(Statement::new(""), &texts.columns, list, list.most())?,
    };
    if relations.is_empty() {
        one_by_one(connection, list, &statement, sink)
    } else {
        in_blocks(connection, list, &statement, relations, sink)
    }
}

/// Lends each row to the sink as the database steps to it.
fn one_by_one<S: Sink>(
    connection: &Connection,
    list: &List,
    statement: &Statement<'_>,
    sink: &mut S,
) -> Result<(u64, Option<Position>)> {
    let mut given = 0;
    let (table, extra, related) = (list.table(), list.extra_kinds(), Related::default());
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    while let Some(stored) = rows.next().map_err(fault)? {
        let row = StoredRow::with_extra(stored, table, &extra);
        let flow = sink.row(&row, &related);
        row.check()?;
        given += 1;
        if flow.is_break() {
            return Ok((given, Some(list.position(&row))));
        }
    }
    Ok((given, None))
}

/// Copies a block of rows, finds what they relate to, and then gives them to the sink.
fn in_blocks<S: Sink>(
    connection: &Connection,
    list: &List,
    statement: &Statement<'_>,
    relations: &[Relation],
    sink: &mut S,
) -> Result<(u64, Option<Position>)> {
    let mut given = 0;
    let extra = list.extra_kinds();
    let _snapshot = related::snapshot(connection)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        while block.len() < BLOCK {
            let Some(row) = rows.next().map_err(fault)? else {
                break;
            };
            block.push(StoredRow::with_extra(row, list.table(), &extra).to_record()?);
        }
        let related = related::load(connection, relations, &block)?;
        for record in &block {
            given += 1;
            if sink.row(record, &related).is_break() {
                return Ok((given, Some(list.position(record))));
            }
        }
        if block.len() < BLOCK {
            return Ok((given, None));
        }
    }
}
