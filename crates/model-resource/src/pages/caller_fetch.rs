//! JSON of other URLs for a page, as its caller would get it.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use futures_util::future::{BoxFuture, ready};
use http::{Method, Request, StatusCode, Uri};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::access::Caller;
use crate::pages::content::{Fetch, FetchedResponse};
use crate::pipeline::{Context, Engine, Lookup, Result};
use crate::query::ExplainRequested;

/// Maximum bytes of a response that is part of a page.
const MAX_BODY: usize = 1024 * 1024;
/// Maximum requests of one page at a time, so that a page takes no more of the database than a few clients.
const MAX_CONCURRENT: usize = 4;
/// Time for all requests of a page. A page without labels and counts is better than a late one.
const MAX_TIME: Duration = Duration::from_secs(2);

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
    turns: Semaphore,
    deadline: Instant,
}

impl<'a> CallerFetch<'a> {
    pub(crate) fn of(engine: &'a Engine, cx: &Context, sees_diagnostics: bool, id: &'a str) -> Self {
        Self {
            engine,
            id,
            sees_diagnostics,
            request: cx.sibling_request(),
            caller: cx.caller().clone(),
            turns: Semaphore::new(MAX_CONCURRENT),
            deadline: Instant::now() + MAX_TIME,
        }
    }

    /// Answers within the time of the page, or not at all.
    async fn answer_in_time(&self, path_and_query: &str, is_explained: bool) -> FetchedResponse {
        let answer = async {
            let _turn = self.turns.acquire().await;
            self.answer(path_and_query, is_explained).await
        };
        let answer = tokio::time::timeout_at(self.deadline, answer).await;
        answer.unwrap_or_else(|_| FetchedResponse::of_status(StatusCode::SERVICE_UNAVAILABLE))
    }

    async fn answer(&self, path_and_query: &str, is_explained: bool) -> FetchedResponse {
        let Ok(uri) = path_and_query.parse::<Uri>() else {
            return FetchedResponse::of_status(StatusCode::NOT_FOUND);
        };
        let (mut parts, ()) = self.request.clone().into_parts();
        parts.uri = uri;
        if is_explained {
            parts.extensions.insert(ExplainRequested);
        }
        let request = Request::from_parts(parts, Body::empty());
        let Lookup::Matched(route, action, mut cx) = self.engine.find(request) else {
            return FetchedResponse::of_status(StatusCode::NOT_FOUND);
        };
        cx.set_caller(self.caller.clone());
        let response = self.engine.dispatch(&route, action.as_ref(), cx, self.id);
        let (parts, body) = response.await.into_parts();
        let body = to_bytes(body, MAX_BODY).await.unwrap_or_default();
        FetchedResponse {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }
}

impl CallerFetch<'_> {
    /// Asks the policy about the object at a path, without running the action. `None` if there is no answer in time.
    async fn ask_policy<T>(
        &self,
        method: Method,
        path: String,
        ask: impl AsyncFnOnce(&Context) -> Result<T>,
    ) -> Option<T> {
        let (mut parts, ()) = self.request.clone().into_parts();
        parts.uri = path.parse().ok()?;
        parts.method = method;
        let request = Request::from_parts(parts, Body::empty());
        let Lookup::Matched(_, Some(_), mut cx) = self.engine.find(request) else {
            return None;
        };
        cx.set_caller(self.caller.clone());
        let answer = async {
            let _turn = self.turns.acquire().await;
            ask(&cx).await
        };
        let answer = tokio::time::timeout_at(self.deadline, answer).await;
        answer.ok()?.ok()
    }
}

impl Fetch for CallerFetch<'_> {
    fn get(&self, path_and_query: String) -> BoxFuture<'_, FetchedResponse> {
        Box::pin(async move { self.answer_in_time(&path_and_query, false).await })
    }

    fn permits(&self, method: Method, path: String) -> BoxFuture<'_, bool> {
        let permission = self.ask_policy(method, path, async |cx| cx.permits_url_row().await);
        Box::pin(async { permission.await.unwrap_or(true) })
    }

    fn frozen_fields(&self, path: String) -> BoxFuture<'_, Vec<String>> {
        let fields = self.ask_policy(Method::PATCH, path, async |cx| cx.frozen_fields().await);
        Box::pin(async { fields.await.unwrap_or_default() })
    }

    fn explain(&self, path_and_query: String) -> BoxFuture<'_, Option<Value>> {
        if !self.sees_diagnostics {
            return Box::pin(ready(None));
        }
        Box::pin(async move {
            let plan = self.answer_in_time(&path_and_query, true).await;
            if !plan.status.is_success() {
                return None;
            }
            serde_json::from_slice(&plan.body).ok()
        })
    }
}

/// Fetches nothing, for pages without a caller.
pub(crate) struct NoFetch;

impl Fetch for NoFetch {
    fn get(&self, _: String) -> BoxFuture<'_, FetchedResponse> {
        Box::pin(ready(FetchedResponse::of_status(StatusCode::NOT_FOUND)))
    }

    fn permits(&self, _: Method, _: String) -> BoxFuture<'_, bool> {
        Box::pin(ready(true))
    }

    fn frozen_fields(&self, _: String) -> BoxFuture<'_, Vec<String>> {
        Box::pin(ready(Vec::new()))
    }

    fn explain(&self, _: String) -> BoxFuture<'_, Option<Value>> {
        Box::pin(ready(None))
    }
}
