//! Streamed lists whose objects decorators change.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use model_resource_schema::serializer::Projection;

use crate::handle::{Data, JsonObject, Mapped, ObjectMap};
use crate::http::Reservation;
use crate::pipeline::{ApiState, Error, Result};
use crate::render::list_format::{JsonItems, ObjectFormat, ObjectWriter};
use crate::render::objects::{apply, items, written};
use crate::render::representation::response;
use crate::render::stream;
use crate::render::stream::{ChunkSource, ListStream};

/// Responds with the rows, or the page of them, after applying the maps to each object.
pub(super) async fn respond<F: ObjectFormat>(
    mapped: Mapped,
    (mut status, mut headers): (StatusCode, HeaderMap),
    services: Arc<ApiState>,
) -> Result<Response> {
    let Mapped {
        data: Data::Rows(rows),
        maps,
    } = mapped
    else {
        return Err(Error::internal("only rows are a stream"));
    };
    let body = match &rows.page {
        None => {
            let listing = MappedStream::<F::Writer> {
                projection: Arc::clone(&rows.projection),
                listing: ListStream::new(JsonItems, rows, services),
                maps,
                writer: F::Writer::default(),
                is_begun: false,
            };
            stream::stream(listing).await?
        }
        Some(page) => {
            let (json, seen) = stream::whole_page(JsonItems, &rows, page, &services).await?;
            let mut objects = items(&json.into_vec())?;
            apply(&maps, &mut objects);
            page.write_headers(&rows.list, &seen, &mut status, &mut headers);
            Body::from(written::<F>(&rows.projection, &objects)?)
        }
    };
    Ok(response(body, status, headers))
}

/// List whose chunks are parsed as JSON, changed, and written in a format.
struct MappedStream<W> {
    listing: ListStream<JsonItems>,
    projection: Arc<Projection>,
    maps: Vec<ObjectMap>,
    writer: W,
    is_begun: bool,
}

impl<W: ObjectWriter> MappedStream<W> {
    fn write(&mut self, objects: &[JsonObject]) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        if !std::mem::replace(&mut self.is_begun, true) {
            self.writer.open(&self.projection, objects.first(), &mut out);
        }
        for object in objects {
            self.writer.object(object, &mut out)?;
        }
        if self.is_over() {
            self.writer.close(&self.projection, &mut out);
        }
        Ok(out)
    }
}

impl<W: ObjectWriter> ChunkSource for MappedStream<W> {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        let Some(chunk) = self.listing.next().await? else {
            return Ok(None);
        };
        let mut objects = items(&chunk)?;
        apply(&self.maps, &mut objects);
        let out = self.write(&objects)?;
        let capacity = out.capacity();
        Ok(Some(Reservation::empty().hold(out, capacity, None)))
    }

    fn is_over(&self) -> bool {
        self.listing.is_over()
    }
}
