//! Api as a service in front of an application: it answers its own URLs and passes all others on.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use hyper::body::Body as _;
use tower::{Service, ServiceExt};
use tracing::Instrument;

use crate::http::cors::{CorsPolicy, CorsRequest};
use crate::http::drain::DrainOnDrop;
use crate::http::head::without_body;
use crate::http::validity;
use crate::pipeline::{Engine, Error, Lookup};
use crate::query::ExplainRequested;
use crate::render::Accept;
use crate::routing::UrlTree;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Api in front of its application, as a tower service; created by [`Api::into_service`](crate::Api::into_service).
#[derive(Clone)]
pub struct ApiService(Arc<ServiceInner>);

struct ServiceInner {
    engine: Engine,
    /// Application.
    app: Router,
    /// Application without its fallback; hands back requests that no route matches.
    routes: Router,
    /// Paths below the prefix; empty without one.
    below: UrlTree<()>,
    /// Handler of unknown URLs that are not below the prefix.
    unknown: UnknownUrls,
    /// CORS settings, if there are any.
    cors: Option<CorsPolicy>,
    /// Prefix of this api's request ids.
    ids: String,
    count: AtomicU64,
}

/// Handler of unknown URLs that are not below the api's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnknownUrls {
    /// The api (`catch_all_404s`).
    Own,
    /// The api, if the application has neither a route nor a fallback for them: an api without a prefix.
    IfUnanswered,
    /// The application.
    OfApplication,
}

/// Response of the application.
enum AppAnswer {
    /// From one of its routes.
    Route(Response),
    /// From its fallback.
    Fallback(Response),
}

/// Request extension: an outer api asks whether the URL is known here.
#[derive(Clone)]
struct FromOuterApi;

/// Response extension: the URL is known to this api or to the application behind it.
#[derive(Clone)]
struct UrlMatched;

/// Response extension: no route matches, so the request is handed back.
#[derive(Clone)]
struct Unrouted(Arc<Mutex<Option<Request<Body>>>>);

impl ApiService {
    /// Creates the service. Unknown URLs among `below` are answered by the api.
    pub(crate) fn new(
        engine: Engine,
        below: UrlTree<()>,
        unknown: UnknownUrls,
        app: Router,
        cors: Option<CorsPolicy>,
    ) -> Self {
        let hand_back = |request| async { axum::Extension(Unrouted(Arc::new(Mutex::new(Some(request))))) };
        let routes = app.clone().fallback(hand_back);
        let ids = format!("{:016x}-", uuid::Uuid::new_v4().as_u64_pair().0);
        Self(Arc::new(ServiceInner {
            engine,
            app,
            routes,
            below,
            unknown,
            cors,
            ids,
            count: AtomicU64::new(0),
        }))
    }

    /// Explains how the list at a URL would be read: its SQL, the database's query plan, and missing indexes, as JSON.
    /// Invalid URLs are rejected as usual.
    pub async fn explain(&self, uri: Uri) -> Response {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = uri;
        request.extensions_mut().insert(ExplainRequested);
        self.answer(self.0.engine.find(request), "explain").await
    }

    async fn answer(&self, lookup: Lookup, id: &str) -> Response {
        let (route, action, cx) = match lookup {
            Lookup::Matched(route, action, cx) => (route, action, cx),
            Lookup::Unmatched(request) => return Box::pin(self.fall_through(*request, id)).await,
        };
        let is_of_outer = cx.extension::<FromOuterApi>().is_some();
        let visit = self.cors_request(cx.method(), cx.headers());
        let preflight = visit
            .as_ref()
            .and_then(|visit| visit.preflight(|| Some(route.allow())));
        let response = match preflight {
            Some(response) => response,
            None => self.0.engine.dispatch(&route, action.as_deref(), cx, id).await,
        };
        let response = finish(response, visit.as_ref());
        if is_of_outer {
            mark_matched(response)
        } else {
            response
        }
    }

    /// Calls the application, and rejects unknown URLs where the api is responsible for them.
    async fn fall_through(&self, request: Request<Body>, id: &str) -> Response {
        let below = self.0.is_below(request.uri().path());
        let is_own = below || self.0.unknown == UnknownUrls::Own;
        let is_of_outer = request.extensions().get::<FromOuterApi>().is_some();
        if !is_own && !is_of_outer && self.0.unknown == UnknownUrls::OfApplication {
            return call(self.0.app.clone(), request).await;
        }
        let accept = Accept::of(request.headers());
        let visit = self.cors_request(request.method(), request.headers());
        let reject = || {
            let preflight = visit.as_ref().and_then(|visit| visit.preflight(|| None));
            let not_found = || {
                self.0
                    .engine
                    .error_response(&Error::not_found(), None, &accept, id)
            };
            finish(preflight.unwrap_or_else(not_found), visit.as_ref())
        };
        if !is_own && !is_of_outer {
            return match self.call_app(request).await {
                AppAnswer::Fallback(response) if is_empty_404(&response) => reject(),
                AppAnswer::Route(response) | AppAnswer::Fallback(response) => response,
            };
        }
        match self.try_app(request).await {
            Some(response)
                if below && response.status() == StatusCode::NOT_FOUND && !is_matched(&response) =>
            {
                mark_matched(reject())
            }
            Some(response) => mark_matched(response),
            None if is_own => mark_matched(reject()),
            None => StatusCode::NOT_FOUND.into_response(),
        }
    }

    /// Responds to a request that is rejected before dispatch.
    fn error_response(&self, error: &Error, lookup: &Lookup, id: &str) -> Response {
        let (method, headers, is_of_outer) = match lookup {
            Lookup::Matched(_, _, cx) => (
                cx.method(),
                cx.headers(),
                cx.extension::<FromOuterApi>().is_some(),
            ),
            Lookup::Unmatched(request) => {
                let is_of_outer = request.extensions().get::<FromOuterApi>().is_some();
                (request.method(), request.headers(), is_of_outer)
            }
        };
        let response = self
            .0
            .engine
            .error_response(error, None, &Accept::of(headers), id);
        let response = finish(response, self.cors_request(method, headers).as_ref());
        if is_of_outer {
            mark_matched(response)
        } else {
            response
        }
    }

    fn cors_request(&self, method: &Method, headers: &HeaderMap) -> Option<CorsRequest<'_>> {
        let cors = self.0.cors.as_ref();
        cors.map(|cors| cors.request(method, headers))
    }

    /// Response of the application, if one of its routes knows the URL. A generic fallback does not count.
    async fn try_app(&self, mut request: Request<Body>) -> Option<Response> {
        request.extensions_mut().insert(FromOuterApi);
        match self.call_app(request).await {
            AppAnswer::Route(response) => Some(response),
            // A nested api is the fallback of its router. It marks its response if it knows the URL.
            AppAnswer::Fallback(response) => Some(response).filter(is_matched),
        }
    }

    /// Calls the application, and detects whether one of its routes has answered.
    async fn call_app(&self, request: Request<Body>) -> AppAnswer {
        let mut response = call(self.0.routes.clone(), request).await;
        let Some(Unrouted(request)) = response.extensions_mut().remove() else {
            return AppAnswer::Route(response);
        };
        let request = request.lock().unwrap_or_else(PoisonError::into_inner).take();
        AppAnswer::Fallback(match request {
            Some(request) => call(self.0.app.clone(), request).await,
            None => StatusCode::NOT_FOUND.into_response(),
        })
    }
}

async fn call(app: Router, request: Request<Body>) -> Response {
    app.oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// Completes a response of the api. Browsers must not guess another media type.
fn finish(mut response: Response, visit: Option<&CorsRequest<'_>>) -> Response {
    let headers = response.headers_mut();
    let sniffing = headers.entry(header::X_CONTENT_TYPE_OPTIONS);
    sniffing.or_insert(HeaderValue::from_static("nosniff"));
    if let Some(visit) = visit {
        visit.apply(headers);
    }
    response
}

/// Whether a response is that of a router without routes and fallback.
fn is_empty_404(response: &Response) -> bool {
    response.status() == StatusCode::NOT_FOUND
        && !response.headers().contains_key(header::CONTENT_TYPE)
        && response.body().size_hint().exact() == Some(0)
}

fn mark_matched(mut response: Response) -> Response {
    response.extensions_mut().insert(UrlMatched);
    response
}

fn is_matched(response: &Response) -> bool {
    response.extensions().get::<UrlMatched>().is_some()
}

impl ServiceInner {
    fn is_below(&self, path: &str) -> bool {
        self.below.find(path).is_some()
    }

    /// Request id of the client if it is valid, else a new one.
    fn request_id(&self, request: &Request<Body>) -> String {
        let plain = |id: &&str| {
            (1..=64).contains(&id.len())
                && id
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
        };
        let sent = request
            .headers()
            .get(REQUEST_ID)
            .and_then(|value| value.to_str().ok())
            .filter(plain);
        sent.map_or_else(
            || {
                let count = self.count.fetch_add(1, Ordering::Relaxed);
                let mut number = itoa::Buffer::new();
                [self.ids.as_str(), number.format(count)].concat()
            },
            str::to_owned,
        )
    }
}

impl Service<Request<Body>> for ApiService {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let service = self.clone();
        let id = service.0.request_id(&request);
        // The span has the id alone, because subscribers format a span's fields even if nothing is logged in it.
        let span = tracing::info_span!("request", %id);
        tracing::debug!(parent: &span, method = %request.method(), path = request.uri().path(), "request received");
        let is_head = request.method() == Method::HEAD;
        // Boxed, because nearly every request is valid.
        let invalid = validity::check(&request).err().map(Box::new);
        let lookup = service.0.engine.find(DrainOnDrop::around(request));
        let answer = async move {
            let mut response = match invalid {
                None => service.answer(lookup, &id).await,
                Some(error) => service.error_response(&error, &lookup, &id),
            };
            tracing::debug!(status = response.status().as_u16(), "answered");
            if let Ok(value) = HeaderValue::try_from(id) {
                response.headers_mut().insert(REQUEST_ID, value);
            }
            Ok(if is_head { without_body(response) } else { response })
        };
        Box::pin(answer.instrument(span))
    }
}

impl std::fmt::Debug for ApiService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiService").finish_non_exhaustive()
    }
}
