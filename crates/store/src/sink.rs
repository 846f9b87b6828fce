//! Row sinks and mappers, which run where rows are read or written.

use std::ops::ControlFlow;

use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;

use crate::list_query::KeysetPosition;

/// Consumes rows one by one without copying them. A sink runs on a SQLite thread, or between PostgreSQL responses
/// that other requests wait for. It must not block.
///
/// If the database holds another type than the model declares, the value reads as null. The scan then fails after
/// that row and drops the sink.
pub trait RowSink: Send + 'static {
    /// Takes a row and its related rows. Breaking ends the scan after this row.
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()>;

    /// Whether the sink breaks after a few hundred kilobytes. A list without a limit is then still a short read.
    fn is_chunked(&self) -> bool {
        false
    }

    /// Bytes that the sink has made of the rows, if they may be many. A list of long rows does not stay a short read.
    fn bytes(&self) -> usize {
        0
    }
}

/// Result of a scan: the sink and the position to continue from.
#[derive(Debug)]
pub struct ScanResult<S> {
    /// Sink in its final state.
    pub sink: S,
    /// Position of the last row if the sink stopped there and more rows may follow; `None` after the last row.
    pub next: Option<KeysetPosition>,
}

/// Maps one row on the thread that reads or writes it. Must not block (see [`RowSink`]), and may run twice: if a
/// group commit fails, its writes are retried one by one.
pub trait MapRow<T>: Fn(&dyn Row) -> T + Clone + Send + 'static {}

impl<T, F: Fn(&dyn Row) -> T + Clone + Send + 'static> MapRow<T> for F {}

/// Returns a mapper that copies a row of the table.
pub(crate) fn copy_record(table: &'static Table) -> impl MapRow<Record> {
    move |row: &dyn Row| Record::copy(row, table)
}
