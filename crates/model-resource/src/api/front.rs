//! The service in front of an application: the api's URLs are its own, all others are passed on.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue, Request, StatusCode};
use tower::{Service, ServiceExt};
use tracing::Instrument;

use crate::api::lingering::Lingering;
use crate::dispatch::Engine;
use crate::error::Error;
use crate::representation::ErrorStyle;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The api before the application.
#[derive(Clone)]
pub(super) struct Front {
    inner: Arc<Inner>,
    app: Router,
}

struct Inner {
    engine: Engine,
    below: String,
    started: u64,
    count: AtomicU64,
}

/// Marks the response of an application that has nothing at a URL.
#[derive(Clone)]
struct UnknownUrl;

impl Front {
    /// A router that asks the api first. Unknown URLs below `below` are answered as the api's own.
    pub(super) fn mount(engine: Engine, below: String, catch_all_404s: bool, app: Router) -> Router {
        let app = if catch_all_404s {
            app.fallback(|| async { (StatusCode::NOT_FOUND, axum::Extension(UnknownUrl)).into_response() })
        } else {
            app
        };
        let started = uuid::Uuid::new_v4().as_u64_pair().0;
        let inner = Arc::new(Inner {
            engine,
            below,
            started,
            count: AtomicU64::new(0),
        });
        Router::new().fallback_service(Self { inner, app })
    }

    async fn answer(self, request: Request<Body>, id: &str) -> Response {
        let engine = &self.inner.engine;
        if let Some((route, values)) = engine.routes.find(request.uri().path()) {
            return engine.dispatch(route, values, request, id).await;
        }
        let style = ErrorStyle::of(request.headers());
        let below = self.inner.is_below(request.uri().path());
        let response = self
            .app
            .oneshot(request)
            .await
            .unwrap_or_else(|never| match never {});
        let unknown = response.status() == StatusCode::NOT_FOUND
            && (below || response.extensions().get::<UnknownUrl>().is_some());
        if unknown {
            engine.refuse(&Error::not_found(), None, style, id)
        } else {
            response
        }
    }
}

impl Inner {
    fn is_below(&self, path: &str) -> bool {
        let rest = path
            .strip_prefix(self.below.as_str())
            .filter(|_| !self.below.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The client's request id if it is a plain one, else a new one.
    fn request_id(&self, request: &Request<Body>) -> String {
        let plain = |id: &&str| {
            (1..=64).contains(&id.len())
                && id
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        let given = request
            .headers()
            .get(REQUEST_ID)
            .and_then(|value| value.to_str().ok())
            .filter(plain);
        given.map_or_else(
            || {
                format!(
                    "{:016x}-{:x}",
                    self.started,
                    self.count.fetch_add(1, Ordering::Relaxed)
                )
            },
            str::to_owned,
        )
    }
}

impl Service<Request<Body>> for Front {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let front = self.clone();
        let id = front.inner.request_id(&request);
        let span =
            tracing::info_span!("request", id, method = %request.method(), path = request.uri().path());
        let answer = async move {
            let mut response = front.answer(Lingering::around(request), &id).await;
            tracing::debug!(status = response.status().as_u16(), "answered");
            if let Ok(value) = HeaderValue::from_str(&id) {
                response.headers_mut().insert(REQUEST_ID, value);
            }
            Ok(response)
        };
        Box::pin(answer.instrument(span))
    }
}
