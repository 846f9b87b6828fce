//! Flat formats, which list objects without an envelope: CSV and NDJSON.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use serde_json::Value;

use crate::handle::{Data, Payload};
use crate::pipeline::{ApiState, Result};
use crate::render::list_format::ObjectFormat;
use crate::render::objects::Objects;
use crate::render::representation::response;
use crate::render::{json, mapped, objects, stream};

/// Format that consists of rows only.
pub(super) trait FlatFormat: ObjectFormat {
    /// Writes JSON that a handler returned, if the format can represent it.
    fn json(self, data: &Value) -> Result<Vec<u8>>;
}

/// Renders a response in a flat format. A single object is a list of one.
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
        Data::Objects(projection, objects) => objects::written::<E>(&projection, &objects)?,
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
