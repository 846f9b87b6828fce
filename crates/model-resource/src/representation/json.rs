//! JSON: written straight from rows into the response, long lists in pieces.

use std::future::ready;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream;
use http::StatusCode;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Shape, Unwritable};
use model_resource_store::{List, Sink, Store};
use tracing::Instrument;

use crate::error::{Error, Result};
use crate::query::{Page, PageSeen, Rows};
use crate::reply::{BoxRow, Data, Form, Payload};
use crate::representation::render::Render;
use crate::services::Services;

/// The first piece of a list, soon there; a list that fits into it has a Content-Length.
const FIRST: usize = 64 * 1024;
/// The further pieces: so much is held for a client that is slow to take it.
const FURTHER: usize = 256 * 1024;

/// `application/json`.
pub(crate) struct Json;

impl Render for Json {
    fn render(&self, payload: Payload, services: Arc<Services>) -> BoxFuture<'static, Result<Response>> {
        let Payload {
            data,
            status,
            headers,
        } = payload;
        let respond = move |body: Body| {
            let mut response = Response::new(body);
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            response
        };
        match data {
            Data::Written(json) => Box::pin(ready(Ok(respond(Body::from(json))))),
            Data::Rows(rows) => Box::pin(async move {
                let Some(page) = &rows.page else {
                    return list(rows, services).await.map(respond);
                };
                let (body, seen) = whole_page(&rows, page, &services).await?;
                let mut response = respond(Body::from(body));
                page.write_headers(&rows.list, &seen, response.headers_mut());
                if page.is_partial(&seen) && response.status() == StatusCode::OK {
                    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
                }
                Ok(response)
            }),
            data => Box::pin(async move { Ok(respond(Body::from(whole(data, &services).await?))) }),
        }
    }
}

/// The data as one value, for representations that need it so.
pub(crate) async fn value(data: Data, services: &Arc<Services>) -> Result<serde_json::Value> {
    let bytes = match data {
        Data::Nothing => return Ok(serde_json::Value::Null),
        Data::Json(value) => return Ok(value),
        Data::Rows(rows) if rows.page.is_some() => match &rows.page {
            Some(page) => whole_page(&rows, page, services).await?.0,
            None => Vec::new(),
        },
        Data::Rows(rows) => {
            let mut listing = Listing::new(rows, Arc::clone(services));
            let mut all = Vec::new();
            while let Some(piece) = listing.next().await? {
                all.extend_from_slice(&piece);
            }
            all
        }
        data => whole(data, services).await?,
    };
    serde_json::from_slice(&bytes).map_err(Error::internal)
}

/// Data that is there as a whole.
async fn whole(data: Data, services: &Services) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match data {
        Data::Nothing | Data::Rows(_) => {}
        Data::Written(json) => return Ok(json),
        Data::Json(value) => serde_json::to_writer(&mut out, &value).map_err(Error::internal)?,
        Data::One(form, row) => {
            let shape = match &form {
                Form::Registered(table) => services.serializers.single(table)?.shape(),
                Form::Wanted(shape) => shape,
            };
            let related = related(services, shape, std::slice::from_ref(&row)).await?;
            shape.dump(&mut out, &*row, &related).map_err(Error::internal)?;
        }
        Data::Many(form, rows) => {
            let shape = match &form {
                Form::Registered(table) => services.serializers.many(table)?.shape(),
                Form::Wanted(shape) => shape,
            };
            let related = related(services, shape, &rows).await?;
            shape.open_list(&mut out);
            for (i, row) in rows.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                shape
                    .dump_item(&mut out, &**row, &related)
                    .map_err(Error::internal)?;
            }
            shape.close_list(&mut out);
        }
    }
    Ok(out)
}

/// What the rows relate to, as far as it is written.
async fn related(services: &Services, shape: &Shape, rows: &[BoxRow]) -> Result<Related> {
    let Some(store) = services.store.as_ref().filter(|_| !shape.relations().is_empty()) else {
        return Ok(Related::default());
    };
    let records = rows
        .iter()
        .map(|row| Record::copy(&**row, shape.table()))
        .collect();
    let (_, related) = store.related(Arc::clone(shape.relations()), records).await?;
    Ok(related)
}

/// A page, which is not so long that it could not be held.
async fn whole_page(rows: &Rows, page: &Page, services: &Services) -> Result<(Vec<u8>, PageSeen)> {
    let mut piece = Piece::new(&rows.shape, usize::MAX, Vec::new());
    rows.shape.open_list(&mut piece.out);
    let relations = Arc::clone(rows.shape.relations());
    let (piece, seen) = rows
        .read_page(page, store_of(services)?, relations, piece)
        .await?;
    let mut out = piece.written()?;
    rows.shape.close_list(&mut out);
    Ok((out, seen))
}

fn store_of(services: &Services) -> Result<&Store> {
    let store = services.store.as_ref();
    store.ok_or_else(|| Error::internal("the api has no store"))
}

/// A list as a body: its first piece is read before the response starts, so that a failure still has a status.
async fn list(rows: Arc<Rows>, services: Arc<Services>) -> Result<Body> {
    let mut listing = Listing::new(rows, services);
    let first = listing.next().await?.unwrap_or_default();
    if listing.is_over {
        return Ok(Body::from(first));
    }
    // The pieces are read after the request's own future has ended, and still belong to it in the log.
    let span = tracing::Span::current();
    let pieces = stream::unfold((Some(first), listing), move |(first, mut listing)| {
        let next = async move {
            if let Some(first) = first {
                return Some((Ok(first), (None, listing)));
            }
            let piece = listing.next().await.transpose()?;
            Some((
                piece.inspect_err(|error| tracing::error!(%error, "a list was cut off")),
                (None, listing),
            ))
        };
        next.instrument(span.clone())
    });
    Ok(Body::from_stream(pieces))
}

/// A list on its way out: nothing is held between two pieces but what is left of it.
struct Listing {
    services: Arc<Services>,
    shape: Arc<Shape>,
    list: List,
    is_begun: bool,
    is_over: bool,
}

impl Listing {
    fn new(rows: Arc<Rows>, services: Arc<Services>) -> Self {
        Self {
            services,
            shape: Arc::clone(&rows.shape),
            list: rows.list.clone(),
            is_begun: false,
            is_over: false,
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        if self.is_over {
            return Ok(None);
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        // Whatever ends this early, there is no next one.
        self.is_over = true;
        let size = if is_first { FIRST } else { FURTHER };
        let mut piece = Piece::new(&self.shape, size, Vec::with_capacity(size + size / 8));
        piece.is_first = is_first;
        if is_first {
            self.shape.open_list(&mut piece.out);
        }
        let store = store_of(&self.services)?;
        let scanned = store
            .scan(&self.list, Arc::clone(self.shape.relations()), piece)
            .await?;
        let rows = scanned.sink.rows;
        let mut out = scanned.sink.written()?;
        match scanned.next {
            Some(last) => {
                self.list = self.list.clone().rest(rows, last);
                self.is_over = false;
            }
            None => self.shape.close_list(&mut out),
        }
        // A client may be slow to take it, and most lists are short.
        if out.len() < out.capacity() / 2 {
            out.shrink_to_fit();
        }
        Ok(Some(Bytes::from(out)))
    }
}

/// Writes rows where they are read.
struct Piece {
    shape: Arc<Shape>,
    out: Vec<u8>,
    /// So many bytes are enough.
    size: usize,
    is_first: bool,
    rows: u64,
    unwritable: Option<Unwritable>,
}

impl Piece {
    fn new(shape: &Arc<Shape>, size: usize, out: Vec<u8>) -> Self {
        Self {
            shape: Arc::clone(shape),
            out,
            size,
            is_first: true,
            rows: 0,
            unwritable: None,
        }
    }

    fn written(self) -> Result<Vec<u8>> {
        match self.unwritable {
            None => Ok(self.out),
            Some(unwritable) => Err(Error::internal(unwritable)),
        }
    }
}

impl Sink for Piece {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.rows += 1;
        self.unwritable = self.shape.dump_item(&mut self.out, row, related).err();
        if self.unwritable.is_none() && self.out.len() < self.size {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
