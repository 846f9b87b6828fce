//! JSON: written straight from rows into the response, long lists in pieces.

use std::future::ready;
use std::ops::ControlFlow;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream;
use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Plan, Unwritable};
use model_resource_schema::value::Value;
use model_resource_store::{Select, Sink};
use tracing::Instrument;

use crate::error::{Error, Result};
use crate::reply::{BoxRow, Data, Payload};
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
            Data::Rows(select) => Box::pin(async { list(select, services).await.map(respond) }),
            data => Box::pin(async move { Ok(respond(Body::from(whole(data, &services).await?))) }),
        }
    }
}

/// The data as one value, for representations that need it so.
pub(crate) async fn value(data: Data, services: &Arc<Services>) -> Result<serde_json::Value> {
    let bytes = match data {
        Data::Nothing => return Ok(serde_json::Value::Null),
        Data::Json(value) => return Ok(value),
        Data::Rows(select) => {
            let mut listing = Listing::new(select, Arc::clone(services))?;
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
        Data::One(table, row) => {
            let plan = services.serializers.single(table)?;
            let related = related(services, plan, std::slice::from_ref(&row), table).await?;
            plan.dump(&mut out, &*row, &related).map_err(Error::internal)?;
        }
        Data::Many(table, rows) => {
            let plan = services.serializers.many(table)?;
            let related = related(services, plan, &rows, table).await?;
            plan.open_list(&mut out);
            for (i, row) in rows.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                plan.dump_item(&mut out, &**row, &related)
                    .map_err(Error::internal)?;
            }
            plan.close_list(&mut out);
        }
    }
    Ok(out)
}

/// The rows that the serializer nests, if it nests any.
async fn related(
    services: &Services,
    plan: &Plan,
    rows: &[BoxRow],
    table: &'static Table,
) -> Result<Related> {
    let Some(store) = services.store.as_ref().filter(|_| !plan.relations().is_empty()) else {
        return Ok(Related::default());
    };
    let records = rows.iter().map(|row| Record::copy(&**row, table)).collect();
    let (_, related) = store.related(Arc::clone(plan.relations()), records).await?;
    Ok(related)
}

/// A list as a body: its first piece is read before the response starts, so that a failure still has a status.
async fn list(select: Select, services: Arc<Services>) -> Result<Body> {
    let mut listing = Listing::new(select, services)?;
    let first = listing.next().await?.unwrap_or_default();
    if listing.is_over() {
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

/// A list on its way out: nothing is held between two pieces but the key to go on from.
struct Listing {
    services: Arc<Services>,
    plan: Arc<Plan>,
    select: Select,
    progress: Progress,
}

enum Progress {
    Start,
    After(Value),
    Over,
}

impl Listing {
    fn new(select: Select, services: Arc<Services>) -> Result<Self> {
        let plan = Arc::clone(services.serializers.many(select.table())?);
        Ok(Self {
            services,
            plan,
            select,
            progress: Progress::Start,
        })
    }

    fn is_over(&self) -> bool {
        matches!(self.progress, Progress::Over)
    }

    async fn next(&mut self) -> Result<Option<Bytes>> {
        let (after, size) = match std::mem::replace(&mut self.progress, Progress::Over) {
            Progress::Start => (None, FIRST),
            Progress::After(key) => (Some(key), FURTHER),
            Progress::Over => return Ok(None),
        };
        let is_first = after.is_none();
        let mut out = Vec::with_capacity(size + size / 8);
        if is_first {
            self.plan.open_list(&mut out);
        }
        let store = self
            .services
            .store
            .as_ref()
            .ok_or_else(|| Error::internal("the api has no store"))?;
        let sink = Piece {
            plan: Arc::clone(&self.plan),
            out,
            size,
            is_first,
            unwritable: None,
        };
        let scanned = store
            .scan(&self.select, Arc::clone(self.plan.relations()), after, sink)
            .await?;
        if let Some(unwritable) = scanned.sink.unwritable {
            return Err(Error::internal(unwritable));
        }
        let mut out = scanned.sink.out;
        match scanned.next {
            Some(key) => self.progress = Progress::After(key),
            None => self.plan.close_list(&mut out),
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
    plan: Arc<Plan>,
    out: Vec<u8>,
    /// So many bytes are enough.
    size: usize,
    is_first: bool,
    unwritable: Option<Unwritable>,
}

impl Sink for Piece {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.unwritable = self.plan.dump_item(&mut self.out, row, related).err();
        if self.unwritable.is_none() && self.out.len() < self.size {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
