//! JSON: one object, or a list in its brackets, in their envelopes if they have any.

use std::future::ready;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::future::BoxFuture;
use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Shape, Unwritable};

use crate::error::{Error, Result};
use crate::reply::{Data, Payload};
use crate::representation::layout::Layout;
use crate::representation::listing;
use crate::representation::render::{Render, response};
use crate::services::Services;

/// `application/json`.
#[derive(Clone, Copy)]
pub(crate) struct Json;

impl Render for Json {
    fn render(&self, payload: Payload, services: Arc<Services>) -> BoxFuture<'static, Result<Response>> {
        let Payload {
            data,
            status,
            headers,
        } = payload;
        match data {
            Data::Written(json) => Box::pin(ready(Ok(response(Body::from(json), status, headers)))),
            Data::Rows(rows) => Box::pin(listing::respond(Json, rows, (status, headers), services)),
            data => Box::pin(async move {
                let body = Body::from(whole(data, &services).await?);
                Ok(response(body, status, headers))
            }),
        }
    }
}

impl Layout for Json {
    const BETWEEN: &'static [u8] = b",";

    fn open(self, shape: &Shape, out: &mut Vec<u8>) {
        shape.open_list(out);
    }

    fn row(
        self,
        shape: &Shape,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), Unwritable> {
        shape.dump_item(out, row, related)
    }

    fn close(self, shape: &Shape, out: &mut Vec<u8>) {
        shape.close_list(out);
    }
}

/// The data as one value, for representations that need it so.
pub(crate) async fn whole_value(data: Data, services: &Arc<Services>) -> Result<serde_json::Value> {
    let bytes = match data {
        Data::Nothing => return Ok(serde_json::Value::Null),
        Data::Json(value) => return Ok(value),
        data => whole(data, services).await?,
    };
    serde_json::from_slice(&bytes).map_err(Error::internal)
}

/// The data as a whole.
async fn whole(data: Data, services: &Arc<Services>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match data {
        Data::Nothing => {}
        Data::Rows(rows) => return listing::whole(Json, rows, services).await,
        Data::Written(json) => return Ok(json),
        Data::Json(value) => serde_json::to_writer(&mut out, &value).map_err(Error::internal)?,
        Data::One(form, row) => {
            let shape = form.of_one(services)?;
            let related = listing::related(services, shape, std::slice::from_ref(&row)).await?;
            shape.dump(&mut out, &*row, &related).map_err(Error::internal)?;
        }
        Data::Many(form, rows) => {
            return listing::objects(Json, form.of_many(services)?, &rows, services).await;
        }
    }
    Ok(out)
}
