//! Scans of lists that are expected to be short, and that continue as searches if they are not.

use std::ops::ControlFlow;

use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;

use crate::error::Result;
use crate::list_query::{KeysetPosition, ListQuery, Seek};
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

impl<S> BriefScan<S> {
    /// Result of the whole scan: of this one, or of a search for the rest.
    pub(crate) async fn or_search(
        self,
        search: impl AsyncFnOnce(ListQuery, S) -> Result<ScanResult<S>>,
    ) -> Result<ScanResult<S>> {
        match self {
            Self::Ended(scanned) => Ok(scanned),
            Self::Interrupted { sink, rest } => search(rest, sink).await,
        }
    }
}

/// Bytes of rows after which a scan is not short any more: about a millisecond.
pub(crate) const MAX_SHORT_BYTES: usize = 256 * 1024;

/// Bytes of this list after which a scan is not short any more. A list without a limit is read in chunks, and one that is read
/// backwards cannot be continued.
pub(crate) fn max_short_bytes(list: &ListQuery) -> usize {
    let is_page = list.max_rows().is_some() && !matches!(list.start(), Seek::Before(_));
    if is_page { MAX_SHORT_BYTES } else { usize::MAX }
}

/// A sink that breaks after a number of bytes.
pub(crate) struct ShortSink<S> {
    inner: S,
    max_bytes: usize,
    taken: u64,
    is_full: bool,
}

impl<S: RowSink> ShortSink<S> {
    pub(crate) fn new(inner: S, max_bytes: usize) -> Self {
        Self {
            inner,
            max_bytes,
            taken: 0,
            is_full: false,
        }
    }

    /// Mean bytes of the rows so far.
    #[cfg(feature = "postgres")]
    pub(crate) fn bytes_of_row(&self) -> usize {
        self.inner.bytes() / usize::try_from(self.taken.max(1)).unwrap_or(usize::MAX)
    }

    /// Result of a scan into this sink.
    pub(crate) fn ended(list: &ListQuery, scanned: ScanResult<Self>) -> BriefScan<S> {
        let ScanResult { sink, next } = scanned;
        match next {
            Some(last) if sink.is_full => BriefScan::Interrupted {
                sink: sink.inner,
                rest: list.clone().rest(sink.taken, last),
            },
            next => BriefScan::Ended(ScanResult {
                sink: sink.inner,
                next,
            }),
        }
    }
}

impl<S: RowSink> RowSink for ShortSink<S> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        let flow = self.inner.row(row, related);
        self.taken += 1;
        if flow.is_continue() && self.inner.bytes() > self.max_bytes {
            self.is_full = true;
            return ControlFlow::Break(());
        }
        flow
    }

    fn is_chunked(&self) -> bool {
        self.inner.is_chunked()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

/// A sink that knows from which row a scan can continue.
pub(crate) struct TrackedSink<S> {
    inner: S,
    list: ListQuery,
    taken: u64,
    last: Option<KeysetPosition>,
    is_full: bool,
}

impl<S: RowSink> TrackedSink<S> {
    pub(crate) fn new(inner: S, list: ListQuery) -> Self {
        Self {
            inner,
            list,
            taken: 0,
            last: None,
            is_full: false,
        }
    }

    pub(crate) fn ended(self, next: Option<KeysetPosition>) -> BriefScan<S> {
        if self.is_full {
            return self.interrupted();
        }
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
        if flow.is_continue() && self.inner.bytes() > max_short_bytes(&self.list) {
            self.is_full = true;
            return ControlFlow::Break(());
        }
        flow
    }

    fn is_chunked(&self) -> bool {
        self.inner.is_chunked()
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
