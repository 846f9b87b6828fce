//! The rows and the page that a request asks for.

use std::ops::ControlFlow;
use std::sync::Arc;

use model_resource_schema::json::write_value;
use model_resource_schema::model::{Model, Row};
use model_resource_schema::relation::{Related, Relation};
use model_resource_schema::serializer::Projection;
use model_resource_store::{
    BriefScan, CollectModels, KeysetPosition, ListQuery, RowSink, ScanResult, Seek, Store,
};

use crate::list::caller_searches::{CallerSearches, RunningSearch};
use crate::list::page::{Count, Page, PageStats};
use crate::pipeline::Result;
use crate::query::invalid_parameter;

/// Maximum bytes in the sort key values of a row, so that a cursor fits into 2 KiB.
const MAX_POSITION: usize = 1536;

/// The rows that a request asks for, and their projection.
pub(crate) struct ListRequest {
    pub(crate) list: ListQuery,
    pub(crate) projection: Arc<Projection>,
    /// Page of the list; all rows if absent.
    pub(crate) page: Option<Box<Page>>,
    /// Whether the query has filters or searches for words.
    pub(crate) is_filtered: bool,
    /// Other searches of the caller, if this is one and they are limited.
    pub(crate) searches: Option<CallerSearches>,
}

/// Passes the rows of a page on to another sink, and detects whether a row follows.
struct PageSink<S> {
    inner: S,
    list: ListQuery,
    size: u64,
    is_backwards: bool,
    seen: PageStats,
}

impl ListRequest {
    /// Whether the database may have to read many rows for it.
    pub(crate) fn is_search(&self) -> bool {
        let has_count = self.page.as_ref().is_some_and(|page| page.count == Count::Exact);
        has_count || self.list.may_be_long() || !are_by_key(self.projection.relations())
    }

    /// Waits for the caller's other searches.
    async fn begin_search(&self) -> Result<Option<RunningSearch>> {
        match &self.searches {
            Some(searches) => Ok(Some(searches.begin().await?)),
            None => Ok(None),
        }
    }

    /// Reads the rows, or the page of them, as model instances.
    pub(crate) async fn read_instances<M: Model>(
        &self,
        store: &Store,
    ) -> Result<(Vec<M>, Option<PageStats>)> {
        let Some(page) = &self.page else {
            let _search = self.begin_search().await?;
            return Ok((store.all_of(&self.list).await?, None));
        };
        let relations = Arc::new([]);
        let (instances, seen) = self
            .read_page(page, store, relations, CollectModels::default())
            .await?;
        Ok((instances.found()?, Some(seen)))
    }

    /// Reads the rows of a list, which is a part of this one, into a sink.
    pub(crate) async fn read_rows<S: RowSink>(&self, store: &Store, list: &ListQuery, sink: S) -> Result<S> {
        Ok(self.scan(store, list, Arc::new([]), sink).await?.sink)
    }

    /// Scans a list, which is a part of this one.
    async fn scan<S: RowSink>(
        &self,
        store: &Store,
        list: &ListQuery,
        relations: Arc<[Relation]>,
        sink: S,
    ) -> Result<ScanResult<S>> {
        let searches = self.searches.as_ref();
        scan(store, list, relations, sink, searches, async || {
            self.begin_search().await
        })
        .await
    }

    /// Returns the list to read: that of the page if there is one.
    pub(crate) fn list_to_read(&self) -> ListQuery {
        match &self.page {
            Some(page) => page.list(&self.list),
            None => self.list.clone(),
        }
    }

    /// Reads the page into the sink, which must accept every row.
    pub(crate) async fn read_page<S: RowSink>(
        &self,
        page: &Page,
        store: &Store,
        relations: Arc<[Relation]>,
        inner: S,
    ) -> Result<(S, PageStats)> {
        let total = match page.count {
            Count::None => None,
            Count::Exact => {
                let _search = self.begin_search().await?;
                Some(store.count(self.list.select()).await?)
            }
            Count::Estimated => Some(store.estimate(self.list.select()).await?),
        };
        let list = page.list(&self.list);
        let is_backwards = matches!(list.start(), Seek::Before(_));
        let sink = PageSink {
            inner,
            list: self.list.clone(),
            size: page.size,
            is_backwards,
            seen: PageStats {
                total,
                ..PageStats::default()
            },
        };
        let PageSink { inner, mut seen, .. } = self.scan(store, &list, relations, sink).await?.sink;
        if let (true, Some(first)) = (is_backwards, &seen.first) {
            let before = self.list.clone().seek(Seek::Before(Some(first.clone()))).limit(1);
            let found = self.scan(store, &before, Arc::new([]), ExistsSink(false)).await?;
            seen.before = found.sink.0;
        }
        if page.is_by_cursor() {
            let has_prev = match list.start() {
                Seek::Offset(_) => false,
                Seek::After(_) => true,
                Seek::Before(_) => seen.before,
            };
            if has_prev && let Some(first) = &seen.first {
                check_position_length(first)?;
            }
            if (seen.more || is_backwards)
                && let Some(last) = &seen.last
            {
                check_position_length(last)?;
            }
        }
        Ok((inner, seen))
    }
}

/// Scans a list. One that is probably short is read at once, beside other short reads, unless the caller has many of them.
/// Any other, and what is left of one that takes long nevertheless, is read when `begin_search` lets it.
pub(crate) async fn scan<S: RowSink>(
    store: &Store,
    list: &ListQuery,
    relations: Arc<[Relation]>,
    sink: S,
    searches: Option<&CallerSearches>,
    begin_search: impl AsyncFnOnce() -> Result<Option<RunningSearch>>,
) -> Result<ScanResult<S>> {
    // Rows before a position are passed on in order only when all are read, so that no rest of them could be scanned.
    let has_rest = relations.is_empty() || !matches!(list.start(), Seek::Before(_));
    let is_short = list.is_probably_short() && has_rest && are_by_key(&relations);
    let attempt = searches.filter(|_| is_short).map(CallerSearches::try_begin_short);
    if !is_short || matches!(attempt, Some(None)) {
        let _search = begin_search().await?;
        return Ok(store.scan(list, relations, sink).await?);
    }
    let scanned = store.scan_briefly(list, Arc::clone(&relations), sink).await?;
    drop(attempt);
    match scanned {
        BriefScan::Ended(scanned) => Ok(scanned),
        BriefScan::Interrupted { sink, rest } => {
            let _search = begin_search().await?;
            Ok(store.scan(&rest, relations, sink).await?)
        }
    }
}

/// Whether all related rows are found by unique values.
fn are_by_key(relations: &[Relation]) -> bool {
    relations.iter().all(|relation| {
        let table = relation.table;
        let is_unique = relation.to == table.primary_key || table.columns[relation.to].unique;
        relation.through.is_none() && is_unique && are_by_key(&relation.relations)
    })
}

/// Rejects a page whose neighbours cannot be linked to, because the URLs would be too long.
fn check_position_length(position: &KeysetPosition) -> Result<()> {
    let mut text = Vec::new();
    position
        .0
        .iter()
        .for_each(|value| write_value(&mut text, value.borrow()));
    if text.len() > MAX_POSITION {
        Err(invalid_parameter(
            "sort",
            "Values of these fields are so long that there is no cursor for the next page in this order.",
        ))
    } else {
        Ok(())
    }
}

impl<S: RowSink> RowSink for PageSink<S> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        if self.seen.rows == self.size {
            self.seen.more = true;
            return ControlFlow::Break(());
        }
        self.seen.rows += 1;
        if self.seen.rows == 1 {
            self.seen.first = Some(self.list.position(row));
        }
        // Reading forwards, an incomplete page is the last one and needs no position.
        if self.is_backwards || self.seen.rows == self.size {
            self.seen.last = Some(self.list.position(row));
        }
        self.inner.row(row, related)
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}

/// Sink that detects whether a row exists.
struct ExistsSink(bool);

impl RowSink for ExistsSink {
    fn row(&mut self, _: &dyn Row, _: &Related) -> ControlFlow<()> {
        self.0 = true;
        ControlFlow::Break(())
    }
}
