//! JSON: one object or an array of objects, in their envelopes if there are any.

use std::future::ready;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};
use serde_json::Value;

use crate::handle::{Data, JsonObject, Payload};
use crate::pipeline::{ApiState, Error, Result};
use crate::render::list_format::{ListFormat, ObjectFormat, ObjectWriter};
use crate::render::objects::Objects;
use crate::render::representation::{Render, response};
use crate::render::{mapped, objects, stream};

/// `application/json`.
#[derive(Clone, Copy)]
pub(crate) struct JsonRepresentation;

impl Render for JsonRepresentation {
    fn render(&self, payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>> {
        let Payload {
            data,
            status,
            headers,
            ..
        } = payload;
        match data {
            Data::Written(_, json) => Box::pin(ready(Ok(response(Body::from(json), status, headers)))),
            Data::Rows(rows) => Box::pin(stream::respond(
                JsonRepresentation,
                rows,
                (status, headers),
                services,
            )),
            Data::Mapped(mapped) if matches!(mapped.data, Data::Rows(_)) => {
                Box::pin(mapped::respond::<JsonRepresentation>(
                    *mapped,
                    (status, headers),
                    services,
                ))
            }
            data => Box::pin(async move {
                let body = Body::from(whole(&data, &services).await?);
                Ok(response(body, status, headers))
            }),
        }
    }
}

impl ListFormat for JsonRepresentation {
    const BETWEEN: &'static [u8] = b",";

    fn open(self, projection: &Projection, out: &mut Vec<u8>) {
        projection.open_list(out);
    }

    fn row(
        self,
        projection: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        projection.dump_item(out, row, related)
    }

    fn close(self, projection: &Projection, out: &mut Vec<u8>) {
        projection.close_list(out);
    }
}

impl ObjectFormat for JsonRepresentation {
    type Writer = JsonWriter;
}

/// Writes objects in memory as an array.
#[derive(Default)]
pub(crate) struct JsonWriter {
    is_begun: bool,
}

impl ObjectWriter for JsonWriter {
    fn open(&mut self, projection: &Projection, _: Option<&JsonObject>, out: &mut Vec<u8>) {
        projection.open_list(out);
    }

    fn object(&mut self, object: &JsonObject, out: &mut Vec<u8>) -> Result<()> {
        if std::mem::replace(&mut self.is_begun, true) {
            out.push(b',');
        }
        serde_json::to_writer(out, object).map_err(Error::internal)
    }

    fn close(&mut self, projection: &Projection, out: &mut Vec<u8>) {
        projection.close_list(out);
    }
}

/// Reads all data into one JSON value, for representations that need it.
pub(crate) async fn whole_value(data: Data, services: &Arc<ApiState>) -> Result<Value> {
    match data {
        Data::Nothing => Ok(Value::Null),
        Data::Json(value) => Ok(value),
        Data::Objects(projection, objects) => Ok(Objects::Many(projection, objects).into_value()),
        data => serde_json::from_slice(&whole(&data, services).await?).map_err(Error::internal),
    }
}

/// Reads all data as JSON text.
pub(super) async fn whole(data: &Data, services: &Arc<ApiState>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match data {
        Data::Nothing => {}
        Data::Written(_, json) => out.extend_from_slice(json),
        Data::Json(value) => serde_json::to_writer(&mut out, value).map_err(Error::internal)?,
        Data::One(form, row) => {
            let projection = form.of_one(services)?;
            let related = stream::related(services, projection, std::slice::from_ref(row)).await?;
            projection
                .dump(&mut out, &**row, &related)
                .map_err(Error::internal)?;
        }
        Data::Many(form, rows) => {
            return stream::objects(JsonRepresentation, form.of_many(services)?, rows, services).await;
        }
        Data::Rows(rows) => return stream::whole(JsonRepresentation, Arc::clone(rows), services).await,
        Data::Objects(projection, objects) => {
            return objects::written::<JsonRepresentation>(projection, objects);
        }
        Data::Mapped(mapped) => {
            let value = Objects::read(mapped, services).await?.into_value();
            serde_json::to_writer(&mut out, &value).map_err(Error::internal)?;
        }
    }
    Ok(out)
}
