//! Giving many rows to a sink.

use model_resource_schema::model::Row;
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::fault::fault;
use super::related;
use super::row::StoredRow;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::Result;
use crate::select::Select;
use crate::sink::{Scanned, Sink};

/// So many rows have their related rows looked up together: few at first, since the sink may soon have enough and the
/// rest of the block would be read in vain, and twice as many each time that it has not.
const FIRST_BLOCK: usize = 16;
const LARGEST_BLOCK: usize = 256;

/// Gives the selected rows after the key to the sink, in the order of their keys, until it breaks.
pub(super) fn scan<S: Sink>(
    connection: &Connection,
    select: &Select,
    relations: &[Relation],
    after: Option<&Value>,
    sink: S,
) -> Result<Scanned<S>> {
    let table = select.table();
    let texts = Texts::of(table);
    let statement = match (select.conditions().is_empty(), after) {
        (true, None) => Statement::ready(&texts.list),
        (true, Some(key)) => Statement::ready(&texts.list_after_key).bind_sought(table.key(), key)?,
        (false, _) => {
            let mut statement = Statement::new(&texts.select).filter(select)?;
            if let Some(key) = after {
                statement = statement.and_key(table, " > ", key)?;
            }
            statement.words(" ORDER BY ").name(table.key().name)
        }
    };
    if relations.is_empty() {
        one_by_one(connection, select, &statement, sink)
    } else {
        in_blocks(connection, select, &statement, relations, sink)
    }
}

/// Lends each row to the sink as the database steps to it.
fn one_by_one<S: Sink>(
    connection: &Connection,
    select: &Select,
    statement: &Statement<'_>,
    mut sink: S,
) -> Result<Scanned<S>> {
    let (table, related) = (select.table(), Related::default());
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    while let Some(row) = rows.next().map_err(fault)? {
        let row = StoredRow::new(row, table);
        let flow = sink.row(&row, &related);
        row.check()?;
        if flow.is_break() {
            return Ok(Scanned {
                sink,
                next: Some(row.value(table.primary_key).to_value()),
            });
        }
    }
    Ok(Scanned { sink, next: None })
}

/// Copies a block of rows, finds what they relate to, and then gives them to the sink.
fn in_blocks<S: Sink>(
    connection: &Connection,
    select: &Select,
    statement: &Statement<'_>,
    relations: &[Relation],
    mut sink: S,
) -> Result<Scanned<S>> {
    let table = select.table();
    let _snapshot = related::snapshot(connection)?;
    let mut prepared = statement.prepare(connection)?;
    let mut rows = prepared.query(statement.parameters()).map_err(fault)?;
    let (mut block, mut size) = (Vec::with_capacity(FIRST_BLOCK), FIRST_BLOCK);
    loop {
        while block.len() < size {
            let Some(row) = rows.next().map_err(fault)? else {
                break;
            };
            block.push(StoredRow::new(row, table).to_record()?);
        }
        let related = related::load(connection, relations, &block)?;
        for record in &block {
            if sink.row(record, &related).is_break() {
                return Ok(Scanned {
                    sink,
                    next: Some(record.values()[table.primary_key].clone()),
                });
            }
        }
        if block.len() < size {
            return Ok(Scanned { sink, next: None });
        }
        block.clear();
        size = LARGEST_BLOCK.min(size * 2);
    }
}
