//! Custom representations, which render the whole data as JSON values.

use std::sync::Arc;

use axum::response::Response;
use futures_util::future::BoxFuture;

use crate::api_state::ApiState;
use crate::error::Result;
use crate::payload::Payload;
use crate::representation::json;
use crate::representation::objects::collect_rows;
use crate::representation::render::{Render, Representation};

/// Adapter for a custom representation.
pub(crate) struct Custom<R>(pub(crate) Arc<R>);

impl<R: Representation> Render for Custom<R> {
    fn render(&self, mut payload: Payload, services: Arc<ApiState>) -> BoxFuture<'static, Result<Response>> {
        let representation = Arc::clone(&self.0);
        Box::pin(async move {
            collect_rows(&mut payload, &services).await?;
            let data = json::whole_value(payload.data, &services).await?;
            representation.render(data, payload.status, payload.headers)
        })
    }
}
