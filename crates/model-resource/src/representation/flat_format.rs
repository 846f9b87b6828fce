//! What the formats have in common that list objects without an envelope, for programs to read: CSV and NDJSON.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use serde_json::Value;

use crate::api_state::ApiState;
use crate::error::Result;
use crate::payload::{Data, Payload};
use crate::representation::list_format::ObjectFormat;
use crate::representation::objects::{self, Objects};
use crate::representation::render::response;
use crate::representation::{json, mapped, stream};

/// A format that is nothing but rows.
pub(super) trait FlatFormat: ObjectFormat {
    /// Writes what a handler has returned as JSON, if it can be written so.
    fn json(self, data: &Value) -> Result<Vec<u8>>;
}

/// The response in such a format. One object is a list of one.
pub(super) async fn render<E: FlatFormat>(
    format: E,
    payload: Payload,
    services: Arc<ApiState>,
) -> Result<Response> {
    let Payload {
        data,
        status,
        headers,
        ..
    } = payload;
    let written = match data {
        Data::Rows(rows) => return stream::respond(format, rows, (status, headers), services).await,
        Data::Mapped(mapped) if matches!(mapped.data, Data::Rows(_)) => {
            return mapped::respond::<E>(*mapped, (status, headers), services).await;
        }
        Data::Mapped(mapped) => Objects::read(&mapped, &services).await?.written::<E>()?,
        Data::Objects(shape, objects) => objects::written::<E>(&shape, &objects)?,
        Data::Many(form, rows) => stream::objects(format, form.of_many(&services)?, &rows, &services).await?,
        Data::One(form, row) => {
            let rows = std::slice::from_ref(&row);
            stream::objects(format, form.of_one(&services)?, rows, &services).await?
        }
        Data::Nothing => Vec::new(),
        data @ (Data::Json(_) | Data::Written(..)) => {
            format.json(&json::whole_value(data, &services).await?)?
        }
    };
    Ok(response(Body::from(written), status, headers))
}
