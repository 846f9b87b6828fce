//! Scans of lists that are expected to be short, and that continue as searches if they are not.

use std::ops::ControlFlow;

use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;

use crate::list_query::{KeysetPosition, ListQuery};
use crate::sink::{RowSink, ScanResult};

/// Result of [`Store::scan_briefly`](crate::Store::scan_briefly).
#[derive(Debug)]
pub enum BriefScan<S> {
    /// The scan has ended in a short time.
    Ended(ScanResult<S>),
    /// The scan was interrupted.
    Interrupted {
        /// Sink with the rows so far.
        sink: S,
        /// Remaining rows, to be scanned as a search.
        rest: ListQuery,
    },
}

/// A sink that knows from which row a scan can continue.
pub(crate) struct TrackedSink<S> {
    inner: S,
    list: ListQuery,
    taken: u64,
    last: Option<KeysetPosition>,
}

impl<S: RowSink> TrackedSink<S> {
    pub(crate) fn new(inner: S, list: ListQuery) -> Self {
        Self {
            inner,
            list,
            taken: 0,
            last: None,
        }
    }

    pub(crate) fn ended(self, next: Option<KeysetPosition>) -> BriefScan<S> {
        let sink = self.inner;
        BriefScan::Ended(ScanResult { sink, next })
    }

    pub(crate) fn interrupted(self) -> BriefScan<S> {
        let list = self.list.expect_long();
        BriefScan::Interrupted {
            sink: self.inner,
            rest: match self.last {
                Some(last) => list.rest(self.taken, last),
                None => list,
            },
        }
    }
}

impl<S: RowSink> RowSink for TrackedSink<S> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        let flow = self.inner.row(row, related);
        self.taken += 1;
        self.last = Some(self.list.position(row));
        flow
    }

    fn is_chunked(&self) -> bool {
        self.inner.is_chunked()
    }
}
