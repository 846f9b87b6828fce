//! Dispatch: one request from its URL to its response, in order.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use futures_util::FutureExt;
use http::{HeaderValue, Method, Request, StatusCode, header};

use crate::access::AnyAuthenticate;
use crate::http::Timeout;
use crate::pipeline::api_state::ApiState;
use crate::pipeline::context::Context;
use crate::pipeline::error::{Error, ErrorKind, Result};
use crate::query::ExportRequested;
use crate::render::{Accept, ErrorMap, ErrorStyle};
use crate::routing::{Route, UrlTree};

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// Everything that is compiled at startup; a request only looks up.
pub(crate) struct Engine {
    pub(crate) routes: UrlTree<Arc<Route>>,
    pub(crate) services: Arc<ApiState>,
    pub(crate) errors: ErrorMap,
    pub(crate) challenge: HeaderValue,
    pub(crate) time_limit: Timeout,
    pub(crate) security: Option<Arc<dyn AnyAuthenticate>>,
}

/// Result of looking up a request's URL.
pub(crate) enum Lookup {
    /// A route of the api matches.
    Matched(Arc<Route>, Context),
    /// No route matches. Boxed, because this variant is rare and `Request` is large.
    Unmatched(Box<Request<Body>>),
}

impl Engine {
    /// Finds the route for a request's URL.
    pub(crate) fn find(&self, request: Request<Body>) -> Lookup {
        let Some((route, values)) = self.routes.find(request.uri().path()) else {
            return Lookup::Unmatched(Box::new(request));
        };
        let route = route.for_method(request.method());
        let params = route.rule.params(values);
        let operation = route.operation(request.method());
        let (binding, services) = (Arc::clone(&route.binding), Arc::clone(&self.services));
        let cx = Context::new(request, params, operation, binding, services);
        Lookup::Matched(Arc::clone(route), cx)
    }

    /// Answers a request to one of the api's URLs, errors and timeouts included.
    pub(crate) async fn dispatch(&self, route: &Route, cx: Context, id: &str) -> Response {
        let accept = Accept::of(cx.headers());
        let method = cx.method().clone();
        let answered = {
            let answer = pin!(AssertUnwindSafe(self.answer(route, cx, &accept)).catch_unwind());
            self.time_limit.within(answer).await
        };
        let result = match answered {
            Some(Ok(result)) => result,
            Some(Err(panic)) => Err(Error::internal(format!(
                "a handler panicked: {}",
                panic_message(&*panic)
            ))),
            None => {
                // Waits for the cancellation, so that a client can rely on a 408: nothing was written.
                if let Some(store) = &self.services.store {
                    Box::pin(store.wait_cancelled()).await;
                }
                Err(Error::new(ErrorKind::Timeout))
            }
        };
        result.unwrap_or_else(|error| {
            if error.status().is_server_error() {
                log_internal_error(&error, &method, route, id);
            }
            self.error_response(&error, Some(route), &accept, id)
        })
    }

    async fn answer(&self, route: &Route, mut cx: Context, accept: &Accept) -> Result<Response> {
        if cx.method() == Method::OPTIONS && route.chain(&Method::OPTIONS).is_err() {
            return Ok(options(route));
        }
        let chain = route.chain(cx.method())?;
        let bulk = route.bulk(cx.method());
        let representation = route.representation(cx.operation(), cx.uri(), accept)?;
        if representation.is_export() {
            cx.insert_extension(ExportRequested);
        }
        if let Some(security) = &self.security {
            let caller = security.authenticate_any(&mut cx).await?;
            cx.set_caller(caller);
        }
        let is_known = cx.caller().is_authenticated();
        let visibility = cx.visibility();
        let mut reply = match bulk {
            Some((bulk, operation)) => Box::pin(bulk.run(operation, chain, cx)).await?,
            None => chain.run(cx).await?,
        };
        if let Some(payload) = reply.payload_mut() {
            if let Some(visibility) = visibility {
                payload.data.restrict_to(&visibility, &self.services)?;
            }
            if payload.status == StatusCode::UNAUTHORIZED {
                let challenge = payload.headers.entry(header::WWW_AUTHENTICATE);
                challenge.or_insert_with(|| self.challenge.clone());
            }
        }
        let mut response = representation.respond(reply, &self.services).await?;
        if is_known || response.headers().contains_key(header::SET_COOKIE) {
            // The response may be personal, so neither shared caches nor the next user of the browser may get it.
            let caching = response.headers_mut().entry(header::CACHE_CONTROL);
            caching.or_insert(NO_STORE);
        }
        Ok(response)
    }

    /// Builds the response for an error.
    pub(crate) fn error_response(
        &self,
        error: &Error,
        route: Option<&Route>,
        accept: &Accept,
        id: &str,
    ) -> Response {
        let mut response = ErrorStyle::of(accept).render(error, &self.errors, id);
        // Caches may keep a 404 or 405 by default, although the resource may exist later.
        let caching = response.headers_mut().entry(header::CACHE_CONTROL);
        caching.or_insert(NO_STORE);
        match (response.status(), route) {
            (StatusCode::METHOD_NOT_ALLOWED, Some(route)) => {
                response.headers_mut().insert(header::ALLOW, route.allow());
            }
            (StatusCode::UNAUTHORIZED, _) => {
                response
                    .headers_mut()
                    .insert(header::WWW_AUTHENTICATE, self.challenge.clone());
            }
            _ => {}
        }
        response
    }
}

fn log_internal_error(error: &Error, method: &Method, route: &Route, id: &str) {
    let (url, kind) = (route.rule.as_str(), error.name());
    tracing::error!(%method, url, cause = %error, kind, "request failed");
    // Without a subscriber the cause would be lost, and a first application rarely has one.
    if !tracing::dispatcher::has_been_set() {
        eprintln!("request {id} failed: {method} {url}: {error}");
    }
}

fn options(route: &Route) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::ALLOW, route.allow());
    response
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
