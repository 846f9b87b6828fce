//! Streams lists in any format: rows are serialized directly into the response, long lists in chunks.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};
use model_resource_store::{ListQuery, RowSink, ScanResult, Store, StoreError};
use tokio::sync::Notify;
use tracing::Instrument;

use crate::handle::BoxRow;
use crate::http::{MEMORY_TIMEOUT, MemoryBudget, Reservation, counted};
use crate::list::{CallerSearches, ListRequest, Page, PageStats, scan};
use crate::pipeline::{ApiState, Error, Result, log_cut_off};
use crate::render::list_format::ListFormat;
use crate::render::page_parts::PageParts;
use crate::render::representation::response;

/// Size of the first chunk in bytes, small for a fast first byte. A list that fits into it has a `Content-Length`.
const FIRST_CHUNK: usize = 64 * 1024;
/// Size of further chunks in bytes, which are held in memory for a slow client.
const NEXT_CHUNK: usize = 256 * 1024;
/// Size of further chunks of a sorted list in bytes. Without an index the database sorts all rows again for each chunk.
const SORTED_CHUNK: usize = 4 * 1024 * 1024;
/// Maximum bytes of a page, because it is held in memory.
pub(super) const MAX_PAGE_BYTES: usize = 32 * 1024 * 1024;

/// Time for which a list that has begun waits for memory before it is cut off.
const NEXT_CHUNK_TIMEOUT: Duration = Duration::from_secs(30);

/// Responds with the rows, or with the page of them and the headers that describe it.
pub(super) async fn respond<L: ListFormat>(
    format: L,
    rows: Arc<ListRequest>,
    (mut status, mut headers): (StatusCode, HeaderMap),
    services: Arc<ApiState>,
) -> Result<Response> {
    let body = match &rows.page {
        None => stream(ListStream::new(format, rows, services)).await?,
        Some(page) => {
            let (written, seen) = whole_page(format, &rows, page, &services).await?;
            page.write_headers(&rows.list, &seen, &mut status, &mut headers);
            return Ok(counted(response(written.into_body(), status, headers)));
        }
    };
    Ok(response(body, status, headers))
}

/// Reads the rows, or the page of them, into memory.
pub(super) async fn whole<L: ListFormat>(
    format: L,
    rows: Arc<ListRequest>,
    services: &Arc<ApiState>,
) -> Result<Vec<u8>> {
    if let Some(page) = &rows.page {
        return Ok(whole_page(format, &rows, page, services).await?.0.into_vec());
    }
    let mut listing = ListStream::new(format, rows, Arc::clone(services));
    let mut all = Vec::new();
    while let Some(chunk) = listing.next().await? {
        all.extend_from_slice(&chunk);
    }
    Ok(all)
}

/// Writes objects that a handler returned as a list.
pub(super) async fn objects<L: ListFormat>(
    format: L,
    projection: &Projection,
    rows: &[BoxRow],
    services: &ApiState,
) -> Result<Vec<u8>> {
    let related = related(services, projection, rows).await?;
    let mut out = Vec::new();
    format.open(projection, &mut out);
    for (position, row) in rows.iter().enumerate() {
        if position > 0 {
            out.extend_from_slice(L::BETWEEN);
        }
        format
            .row(projection, &mut out, &**row, &related)
            .map_err(Error::internal)?;
    }
    format.close(projection, &mut out);
    Ok(out)
}

/// Fetches the related rows that the projection includes.
pub(super) async fn related(
    services: &ApiState,
    projection: &Projection,
    rows: &[BoxRow],
) -> Result<Related> {
    let Some(store) = &services.store else {
        return Ok(Related::default());
    };
    if projection.relations().is_empty() {
        return Ok(Related::default());
    }
    let records = rows
        .iter()
        .map(|row| Record::copy(&**row, projection.table()))
        .collect();
    let (_, related) = store.related(Arc::clone(projection.relations()), records).await?;
    Ok(related)
}

/// Reads a page into memory, and rejects one that is too large. If there is no memory for it, it is read again when
/// there is.
pub(super) async fn whole_page<L: ListFormat>(
    format: L,
    rows: &ListRequest,
    page: &Page,
    services: &ApiState,
) -> Result<(PageParts, PageStats)> {
    let mut memory = Reservation::empty();
    for is_last in [false, true] {
        let mut chunk = Chunk::new(format, &rows.projection, MAX_PAGE_BYTES, Vec::new());
        chunk.page = Some(PageParts::new(memory));
        format.open(&rows.projection, &mut chunk.out);
        let relations = Arc::clone(rows.projection.relations());
        let (chunk, seen) = rows
            .read_page(page, store_of(services)?, relations, chunk)
            .await?;
        let written_rows = chunk.rows;
        let (mut out, parts) = chunk.written()?;
        let parts = parts.unwrap_or_default();
        if parts.bytes() + out.len() >= MAX_PAGE_BYTES {
            return Err(StoreError::TooLarge.into());
        }
        if !parts.is_out_of_memory {
            format.close(&rows.projection, &mut out);
            return Ok((parts.finish(out), seen));
        }
        drop(out);
        // The rows that are left may be as long as those so far.
        let bytes_of_row = (parts.bytes() as u64 / written_rows.max(1)).saturating_add(1);
        let needed = usize::try_from(bytes_of_row.saturating_mul(page.size)).unwrap_or(MAX_PAGE_BYTES);
        memory = parts.abandon();
        if is_last {
            memory.refuse();
            break;
        }
        let needed = memory.possible(needed.min(MAX_PAGE_BYTES));
        if !memory.grow_within(MEMORY_TIMEOUT, needed).await {
            break;
        }
    }
    Err(Error::out_of_memory())
}

fn store_of(services: &ApiState) -> Result<&Store> {
    let store = services.store.as_ref();
    store.ok_or_else(|| Error::internal("the api has no store"))
}

/// Chunks of a list, in order.
pub(super) trait ChunkSource: Send + 'static {
    /// Reads the next chunk.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send;

    /// Whether the last chunk was read.
    fn is_over(&self) -> bool;
}

/// Streams a list as a body. The first chunk is read before the response starts, so that a failure still has a status.
pub(super) async fn stream(mut listing: impl ChunkSource) -> Result<Body> {
    let first = listing.next().await?.unwrap_or_default();
    if listing.is_over() {
        return Ok(Body::from(first));
    }
    // The chunks are read after the request's future has ended. The span keeps their log lines attached to the request.
    let span = tracing::Span::current();
    let chunks = futures_util::stream::unfold((Some(first), listing), move |(first, mut listing)| {
        let next = async move {
            if let Some(first) = first {
                return Some((Ok(first), (None, listing)));
            }
            let chunk = listing.next().await.transpose()?;
            Some((chunk.inspect_err(log_cut_off), (None, listing)))
        };
        next.instrument(span.clone())
    });
    Ok(Body::from_stream(chunks))
}

/// Streamed list. Between two chunks it holds only the query for the remaining rows.
pub(super) struct ListStream<L> {
    format: L,
    services: Arc<ApiState>,
    projection: Arc<Projection>,
    list: ListQuery,
    searches: Option<CallerSearches>,
    is_begun: bool,
    is_over: bool,
    /// Notified when a chunk was sent.
    sent: Option<Arc<Notify>>,
}

impl<L: ListFormat> ListStream<L> {
    pub(super) fn new(format: L, rows: Arc<ListRequest>, services: Arc<ApiState>) -> Self {
        Self {
            format,
            services,
            projection: Arc::clone(&rows.projection),
            list: rows.list.clone(),
            searches: rows.searches.clone(),
            is_begun: false,
            is_over: false,
            sent: None,
        }
    }

    /// Reserves memory for a chunk of this size, or of a smaller one if there is little. Then it also waits until the
    /// last chunk was sent, so that a slow client holds only one.
    async fn reserve(&self, wanted: usize) -> Result<(usize, Reservation)> {
        let Some(budget) = MemoryBudget::current() else {
            return Ok((wanted, Reservation::default()));
        };
        let size = budget.part(wanted);
        if let (true, Some(sent)) = (size < wanted, &self.sent) {
            sent.notified().await;
        }
        let size = budget.part(wanted);
        let memory = Reservation::within(self.memory_timeout(), size + size / 8).await;
        Ok((size, memory.ok_or_else(Error::out_of_memory)?))
    }

    fn memory_timeout(&self) -> Duration {
        if self.sent.is_none() {
            MEMORY_TIMEOUT
        } else {
            NEXT_CHUNK_TIMEOUT
        }
    }

    /// Reads a chunk of this size.
    async fn read(&self, size: usize, is_first: bool) -> Result<ScanResult<Chunk<L>>> {
        let mut chunk = Chunk::new(
            self.format,
            &self.projection,
            size,
            Vec::with_capacity(size + size / 8),
        );
        chunk.is_first = is_first;
        if is_first {
            self.format.open(&self.projection, &mut chunk.out);
        }
        let store = store_of(&self.services)?;
        let begin_search = async || {
            Ok(match &self.searches {
                Some(searches) if is_first => Some(searches.begin().await?),
                // A response that has begun cannot become an error.
                Some(searches) => Some(searches.begin_patiently().await),
                None => None,
            })
        };
        let relations = Arc::clone(self.projection.relations());
        let searches = self.searches.as_ref();
        scan(store, &self.list, relations, chunk, searches, begin_search).await
    }

    /// Reads a chunk of about this size. One that a long row makes larger than its reservation, while there is no more
    /// memory, is dropped and read again when there is.
    async fn read_within(
        &self,
        memory: &mut Reservation,
        size: usize,
        is_first: bool,
    ) -> Result<ScanResult<Chunk<L>>> {
        let scanned = self.read(size, is_first).await?;
        let needed = scanned.sink.out.capacity();
        if memory.grow(needed) {
            return Ok(scanned);
        }
        drop(scanned);
        if !memory.grow_within(self.memory_timeout(), needed).await {
            return Err(Error::out_of_memory());
        }
        self.read(size, is_first).await
    }
}

impl<L: ListFormat> ChunkSource for ListStream<L> {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        if self.is_over {
            return Ok(None);
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        // If this call fails, nothing follows.
        self.is_over = true;
        let wanted = match (is_first, self.list.keys().len()) {
            (true, _) => FIRST_CHUNK,
            (false, 1) => NEXT_CHUNK,
            (false, _) => SORTED_CHUNK,
        };
        let (size, mut memory) = self.reserve(wanted).await?;
        let scanned = self.read_within(&mut memory, size, is_first).await?;
        let rows = scanned.sink.rows;
        let (mut out, _) = scanned.sink.written()?;
        match scanned.next {
            Some(last) => {
                self.list = self.list.clone().rest(rows, last);
                self.is_over = false;
            }
            None => self.format.close(&self.projection, &mut out),
        }
        // Frees unused memory, because a client may be slow to take the chunk and most lists are short.
        if out.len() < out.capacity() / 2 {
            out.shrink_to_fit();
        }
        let sent = (!self.is_over).then(|| Arc::clone(self.sent.get_or_insert_default()));
        let capacity = out.capacity();
        Ok(Some(memory.hold(out, capacity, sent)))
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Serializes rows on the thread that reads them.
struct Chunk<L> {
    format: L,
    projection: Arc<Projection>,
    out: Vec<u8>,
    /// Size in bytes after which the chunk is complete.
    size: usize,
    is_first: bool,
    rows: u64,
    error: Option<SerializeError>,
    /// Full parts, if the chunk is a page.
    page: Option<PageParts>,
}

impl<L: ListFormat> Chunk<L> {
    fn new(format: L, projection: &Arc<Projection>, size: usize, out: Vec<u8>) -> Self {
        Self {
            format,
            projection: Arc::clone(projection),
            out,
            size,
            is_first: true,
            rows: 0,
            error: None,
            page: None,
        }
    }

    fn written(self) -> Result<(Vec<u8>, Option<PageParts>)> {
        match self.error {
            None => Ok((self.out, self.page)),
            Some(error) => Err(Error::internal(error)),
        }
    }
}

impl<L: ListFormat> RowSink for Chunk<L> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        if !std::mem::take(&mut self.is_first) {
            self.out.extend_from_slice(L::BETWEEN);
        }
        self.rows += 1;
        self.error = self
            .format
            .row(&self.projection, &mut self.out, row, related)
            .err();
        let mut bytes = self.out.len();
        let mut is_out_of_memory = false;
        if let Some(page) = &mut self.page {
            page.take_full(&mut self.out);
            bytes = page.bytes() + self.out.len();
            is_out_of_memory = page.is_out_of_memory;
        }
        if self.error.is_none() && bytes < self.size && !is_out_of_memory {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn is_chunked(&self) -> bool {
        self.size <= NEXT_CHUNK
    }

    fn bytes(&self) -> usize {
        self.page.as_ref().map_or(0, PageParts::bytes) + self.out.len()
    }
}
