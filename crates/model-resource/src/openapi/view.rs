//! View that sends the document.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};
use serde_json::{Value, json};

use crate::handle::Reply;
use crate::openapi::info::OpenApiInfo;
use crate::pipeline::{Context, Result};

/// Document of an api.
pub(super) struct DocumentView {
    info: OpenApiInfo,
    document: Value,
}

impl DocumentView {
    pub(super) fn new(name: &str, info: OpenApiInfo) -> Self {
        let document = json!({"openapi": "3.1.0", "info": info.to_json(name), "paths": {}});
        Self { info, document }
    }
}

/// Sends the document.
pub(super) async fn respond(view: Arc<DocumentView>, cx: Context) -> Result<Reply> {
    let mut document = view.document.clone();
    document["servers"] = view.info.servers(cx.outer_prefix());
    let mut response = Response::new(Body::from(document.to_string()));
    let content_type = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    Ok(response.into())
}
