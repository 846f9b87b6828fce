//! Streams lists in any format: rows are serialized directly into the response, long lists in chunks.

use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};
use model_resource_store::{ListQuery, RowSink, Store, StoreError};
use tracing::Instrument;

use crate::handle::BoxRow;
use crate::list::{ListRequest, Page, PageStats};
use crate::pipeline::{ApiState, Error, Result};
use crate::render::list_format::ListFormat;
use crate::render::representation::response;

/// Size of the first chunk in bytes, small for a fast first byte. A list that fits into it has a `Content-Length`.
const FIRST_CHUNK: usize = 64 * 1024;
/// Size of further chunks in bytes, which are held in memory for a slow client.
const NEXT_CHUNK: usize = 256 * 1024;
/// Size of further chunks of a sorted list in bytes. Without an index the database sorts all rows again for each chunk.
const SORTED_CHUNK: usize = 4 * 1024 * 1024;
/// Maximum bytes of a page, because it is held in memory.
const MAX_PAGE_BYTES: usize = 32 * 1024 * 1024;

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
            Body::from(written)
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
        return Ok(whole_page(format, &rows, page, services).await?.0);
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

/// Reads a page into memory, and rejects one that is too large.
pub(super) async fn whole_page<L: ListFormat>(
    format: L,
    rows: &ListRequest,
    page: &Page,
    services: &ApiState,
) -> Result<(Vec<u8>, PageStats)> {
    let mut chunk = Chunk::new(format, &rows.projection, MAX_PAGE_BYTES, Vec::new());
    format.open(&rows.projection, &mut chunk.out);
    let relations = Arc::clone(rows.projection.relations());
    let (chunk, seen) = rows
        .read_page(page, store_of(services)?, relations, chunk)
        .await?;
    let mut out = chunk.written()?;
    if out.len() >= MAX_PAGE_BYTES {
        return Err(StoreError::TooLarge.into());
    }
    format.close(&rows.projection, &mut out);
    Ok((out, seen))
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
            Some((
                chunk.inspect_err(|error| tracing::error!(%error, "a list was cut off")),
                (None, listing),
            ))
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
    is_begun: bool,
    is_over: bool,
}

impl<L: ListFormat> ListStream<L> {
    pub(super) fn new(format: L, rows: Arc<ListRequest>, services: Arc<ApiState>) -> Self {
        Self {
            format,
            services,
            projection: Arc::clone(&rows.projection),
            list: rows.list.clone(),
            is_begun: false,
            is_over: false,
        }
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
        let size = match (is_first, self.list.keys().len()) {
            (true, _) => FIRST_CHUNK,
            (false, 1) => NEXT_CHUNK,
            (false, _) => SORTED_CHUNK,
        };
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
        let scanned = store
            .scan(&self.list, Arc::clone(self.projection.relations()), chunk)
            .await?;
        let rows = scanned.sink.rows;
        let mut out = scanned.sink.written()?;
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
        Ok(Some(Bytes::from(out)))
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
        }
    }

    fn written(self) -> Result<Vec<u8>> {
        match self.error {
            None => Ok(self.out),
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
        if self.error.is_none() && self.out.len() < self.size {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn is_chunked(&self) -> bool {
        self.size <= NEXT_CHUNK
    }
}
