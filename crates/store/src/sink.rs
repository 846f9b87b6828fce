//! Where rows go as they are read or written.

use std::ops::ControlFlow;

use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;

use crate::list_query::KeysetPosition;

/// Takes rows one by one where they are read, so that nothing is copied. It runs where they are read: on a thread of
/// SQLite, or between the answers of PostgreSQL, where other requests wait for it. So it must not block.
///
/// A value that the row cannot give, because the database holds another type than the model says, reads as null; the
/// scan then fails after that row, and the sink is dropped with whatever it made of it.
pub trait RowSink: Send + 'static {
    /// Takes a row and what was found for the scan's relations. Breaking ends the scan with this row as the last.
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()>;
}

/// What a scan leaves: the sink, and where to go on.
#[derive(Debug)]
pub struct ScanResult<S> {
    /// The sink, as the last row left it.
    pub sink: S,
    /// Where the last row stands, if the sink broke there and more may follow; none when all rows were given.
    pub next: Option<KeysetPosition>,
}

/// What is made of a single row where it is read or written. The same holds for it as for a [`RowSink`]; besides, a change
/// that was undone together with those of others is made again, and so is this.
pub trait MapRow<T>: Fn(&dyn Row) -> T + Clone + Send + 'static {}

impl<T, F: Fn(&dyn Row) -> T + Clone + Send + 'static> MapRow<T> for F {}

/// Copies a row of the table.
pub(crate) fn copy_record(table: &'static Table) -> impl MapRow<Record> {
    move |row: &dyn Row| Record::copy(row, table)
}
