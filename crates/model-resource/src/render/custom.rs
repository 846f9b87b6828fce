//! Custom representations, which render the whole data as JSON values.

use std::sync::Arc;

use axum::response::Response;
use futures_util::future::BoxFuture;

use crate::handle::Payload;
use crate::pipeline::{ApiState, Result};
use crate::render::json;
use crate::render::objects::collect_rows;
use crate::render::representation::{Render, Representation};

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
