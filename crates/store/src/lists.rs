//! Lists and counts of a store.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::query::AnyQuery;
use model_resource_schema::relation::{JoinTable, Related, Relation};
use tracing::Instrument;

use crate::backend::{Backend as _, ReadLength};
use crate::batch::RowBatch;
use crate::brief_scan::BriefScan;
use crate::database::call_async;
use crate::error::Result;
use crate::explain::QueryPlan;
use crate::list_query::ListQuery;
use crate::sink::{RowSink, ScanResult};
use crate::slow::{SlowStatement, SlowThreshold};
use crate::store::Store;

/// Maximum time to ask for the query plan of a slow list.
const PLAN_TIMEOUT: Duration = Duration::from_secs(2);

/// A sink that copies rows until they are too large together.
struct CollectRecords {
    table: &'static Table,
    batch: RowBatch<Record>,
}

impl RowSink for CollectRecords {
    fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
        self.batch.add(Record::copy(row, self.table));
        match self.batch.check() {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

impl Store {
    /// Passes the rows of a list to a sink.
    ///
    /// The sink breaks when it has enough rows. A later scan of [`ListQuery::rest`] continues from
    /// [`ScanResult::next`]. Nothing stays open between two calls, so a slow reader blocks nobody. With relations,
    /// rows are read in batches, with one query per relation and batch.
    pub async fn scan<S: RowSink>(
        &self,
        list: &ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        let timer = self.slow.start();
        let asked = list.clone();
        let outcome = call_async!(*self.reads_from(), backend => backend.scan(asked, relations, sink));
        if let Some(slow) = timer.slow() {
            self.log_slow_list(slow, "list", list.clone());
        }
        outcome
    }

    /// Like [`scan`](Self::scan), for a list that is [probably short](ListQuery::is_probably_short): it waits for no search, and
    /// is interrupted if it takes more than a moment. The caller then scans the rest.
    pub async fn scan_briefly<S: RowSink>(
        &self,
        list: &ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<BriefScan<S>> {
        let list = list.clone();
        call_async!(*self.reads_from(), backend => backend.scan_briefly(list, relations, sink))
    }

    /// Returns copies of all rows of a list. Limit it, if it may have many. Fails if they are too large together.
    pub async fn records(&self, list: &ListQuery) -> Result<Vec<Record>> {
        let sink = CollectRecords {
            table: list.table(),
            batch: RowBatch::new(),
        };
        let batch = self.scan(list, Arc::from([]), sink).await?.sink.batch;
        batch.check()?;
        Ok(batch.rows)
    }

    /// Number of selected rows.
    pub async fn count(&self, select: impl AsRef<AnyQuery>) -> Result<u64> {
        let (timer, select) = (self.slow.start(), select.as_ref());
        let asked = select.clone();
        let outcome = call_async!(*self.reads_from(), backend => backend.count(asked));
        if let Some(slow) = timer.slow() {
            self.log_slow_list(slow, "count", ListQuery::of(select.clone()));
        }
        outcome
    }

    /// Sets the duration from which on a statement is logged as slow, with the indexes that a list, a count or groups
    /// lack; 500 milliseconds by default. The time that it waits for a connection counts. At most one line per second
    /// is logged.
    pub fn slow_statements(mut self, threshold: Duration) -> Self {
        self.slow = SlowThreshold(threshold);
        self
    }

    /// Estimated number of selected rows from the database's statistics; exact if it has none.
    pub async fn estimate(&self, select: &AnyQuery) -> Result<u64> {
        let (timer, asked) = (self.slow.start(), select.clone());
        let outcome = call_async!(*self.reads_from(), backend => backend.estimate(asked));
        timer.end("estimate", select.table());
        outcome
    }

    /// Fetches related rows, by one query per relation, and returns them with the rows.
    ///
    /// It is a short read for one row if indexes find its related rows, so that the reply to a write, which is read after the
    /// commit, waits for no search.
    pub async fn related(
        &self,
        relations: Arc<[Relation]>,
        rows: Vec<Record>,
    ) -> Result<(Vec<Record>, Related)> {
        let Some(first) = relations.first() else {
            return Ok((rows, Related::default()));
        };
        let length = if rows.len() == 1 && self.are_indexed(&relations) {
            ReadLength::Short
        } else {
            ReadLength::Long
        };
        let (timer, table) = (self.slow.start(), first.table);
        let outcome = call_async!(*self.reads_from(), backend => backend.related(relations, rows, length));
        timer.end("related", table);
        outcome
    }

    /// Whether indexes find the rows of these relations, whose number is limited.
    fn are_indexed(&self, relations: &[Relation]) -> bool {
        relations.iter().all(|relation| {
            let finds_joined = |join: &JoinTable| self.is_indexed(join.table, join.from);
            relation.through.as_ref().is_none_or(finds_joined)
                && self.is_indexed(relation.table, relation.to)
                && self.are_indexed(&relation.relations)
        })
    }

    /// Returns the query plan of a list and the indexes it lacks.
    pub async fn explain(&self, list: &ListQuery) -> Result<QueryPlan> {
        let list = list.clone();
        call_async!(*self.reads_from(), backend => backend.explain(list))
    }

    /// Logs a slow list, or a count or groups of its rows, with the indexes that it lacks, in a task of its own.
    pub(crate) fn log_slow_list(&self, slow: SlowStatement, operation: &'static str, list: ListQuery) {
        let store = self.clone();
        let log = async move {
            // A transaction has ended by then, and would wait.
            let plan = if store.is_in_transaction() {
                None
            } else {
                tokio::time::timeout(PLAN_TIMEOUT, store.explain(&list))
                    .await
                    .ok()
            };
            let hint = plan.and_then(Result::ok).map(|plan| plan.unindexed.join("; "));
            slow.log(operation, list.table(), &hint.unwrap_or_default());
        };
        tokio::spawn(log.in_current_span());
    }
}
