//! JSON of other URLs for a page, as its caller would get it.

use axum::body::{Body, to_bytes};
use futures_util::future::{BoxFuture, ready};
use http::{HeaderMap, Request, StatusCode, Uri};
use serde_json::Value;

use crate::access::Caller;
use crate::pages::content::{Fetch, PageContent};
use crate::pipeline::{Context, Engine, Lookup};
use crate::query::ExplainRequested;

/// Maximum bytes of a response that is part of a page.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// Fetches JSON as the caller of a page.
pub(crate) struct CallerFetch<'a> {
    engine: &'a Engine,
    /// Id of the page's request.
    id: &'a str,
    /// Whether the caller sees diagnostics.
    sees_diagnostics: bool,
    /// Request of the page, whose headers and extensions the other requests have too.
    request: Request<()>,
    caller: Caller,
}

impl<'a> CallerFetch<'a> {
    pub(crate) fn of(engine: &'a Engine, cx: &Context, sees_diagnostics: bool, id: &'a str) -> Self {
        Self {
            engine,
            id,
            sees_diagnostics,
            request: cx.sibling_request(),
            caller: cx.caller().clone(),
        }
    }

    async fn answer(&self, path_and_query: &str, is_explained: bool) -> PageContent {
        let Ok(uri) = path_and_query.parse::<Uri>() else {
            return PageContent::of_status(StatusCode::NOT_FOUND);
        };
        let (mut parts, ()) = self.request.clone().into_parts();
        parts.uri = uri;
        if is_explained {
            parts.extensions.insert(ExplainRequested);
        }
        let request = Request::from_parts(parts, Body::empty());
        let Lookup::Matched(route, action, mut cx) = self.engine.find(request) else {
            return PageContent::of_status(StatusCode::NOT_FOUND);
        };
        cx.set_caller(self.caller.clone());
        let response = self.engine.dispatch(&route, action.as_deref(), cx, self.id);
        let (parts, body) = response.await.into_parts();
        let body = to_bytes(body, MAX_BODY).await.unwrap_or_default();
        PageContent {
            status: parts.status,
            headers: parts.headers,
            json: serde_json::from_slice(&body).unwrap_or_default(),
        }
    }
}

impl Fetch for CallerFetch<'_> {
    fn get(&self, path_and_query: String) -> BoxFuture<'_, PageContent> {
        Box::pin(async move { self.answer(&path_and_query, false).await })
    }

    fn explain(&self, path_and_query: String) -> BoxFuture<'_, Option<Value>> {
        if !self.sees_diagnostics {
            return Box::pin(ready(None));
        }
        Box::pin(async move {
            let plan = self.answer(&path_and_query, true).await;
            plan.status.is_success().then_some(plan.json)
        })
    }
}

/// Fetches nothing, for pages without a caller.
pub(crate) struct NoFetch;

impl Fetch for NoFetch {
    fn get(&self, _: String) -> BoxFuture<'_, PageContent> {
        Box::pin(ready(PageContent::of_status(StatusCode::NOT_FOUND)))
    }

    fn explain(&self, _: String) -> BoxFuture<'_, Option<Value>> {
        Box::pin(ready(None))
    }
}

impl PageContent {
    /// Content without a body.
    fn of_status(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            json: Value::Null,
        }
    }
}
