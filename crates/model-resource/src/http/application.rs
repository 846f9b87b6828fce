//! Application behind an api, and how an api learns whether the application knows a URL.
//!
//! Several apis can be stacked: each is the fallback of a router that the next one has as its application. An outer api
//! must not answer a URL with its own 404 if an inner one knows it, and a router does not tell a 404 of a route from
//! that of its fallback. So the outer api marks the request ([`FromOuterApi`]), an inner api marks its response
//! ([`UrlMatched`]) if the URL is its own, and a copy of the router with a fallback that hands the request back
//! ([`Unrouted`]) shows whether one of its routes matches.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{Request, StatusCode, header};
use http_body::Body as _;
use tower::ServiceExt;

/// Application behind an api.
pub(super) struct Application {
    app: Router,
    /// Application without its fallback; hands back requests that no route matches.
    routes: Router,
}

/// Response of the application.
pub(super) enum AppAnswer {
    /// From one of its routes.
    Route(Response),
    /// From its fallback.
    Fallback(Response),
}

/// Request extension: an outer api asks whether the URL is known here.
#[derive(Clone)]
pub(super) struct FromOuterApi;

/// Response extension: the URL is known to this api or to the application behind it.
#[derive(Clone)]
struct UrlMatched;

/// Response extension: no route matches, so the request is handed back.
#[derive(Clone)]
struct Unrouted(Arc<Mutex<Option<Request<Body>>>>);

impl Application {
    pub(super) fn new(app: Router) -> Self {
        let hand_back = |request| async { axum::Extension(Unrouted(Arc::new(Mutex::new(Some(request))))) };
        let routes = app.clone().fallback(hand_back);
        Self { app, routes }
    }

    /// Calls the application.
    pub(super) async fn call(&self, request: Request<Body>) -> Response {
        call(self.app.clone(), request).await
    }

    /// Response of the application, if one of its routes knows the URL. A generic fallback does not count.
    pub(super) async fn try_call(&self, mut request: Request<Body>) -> Option<Response> {
        request.extensions_mut().insert(FromOuterApi);
        match self.call_routes(request).await {
            AppAnswer::Route(response) => Some(response),
            // A nested api is the fallback of its router. It marks its response if it knows the URL.
            AppAnswer::Fallback(response) => Some(response).filter(is_matched),
        }
    }

    /// Calls the application, and detects whether one of its routes has answered.
    pub(super) async fn call_routes(&self, request: Request<Body>) -> AppAnswer {
        let mut response = call(self.routes.clone(), request).await;
        let Some(Unrouted(request)) = response.extensions_mut().remove() else {
            return AppAnswer::Route(response);
        };
        let request = request.lock().unwrap_or_else(PoisonError::into_inner).take();
        AppAnswer::Fallback(match request {
            Some(request) => self.call(request).await,
            None => StatusCode::NOT_FOUND.into_response(),
        })
    }
}

async fn call(app: Router, request: Request<Body>) -> Response {
    app.oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// Whether a response is that of a router without routes and fallback.
pub(super) fn is_empty_404(response: &Response) -> bool {
    response.status() == StatusCode::NOT_FOUND
        && !response.headers().contains_key(header::CONTENT_TYPE)
        && response.body().size_hint().exact() == Some(0)
}

/// Marks the response to a URL that is known here.
pub(super) fn mark_matched(mut response: Response) -> Response {
    response.extensions_mut().insert(UrlMatched);
    response
}

/// Whether a response is marked by [`mark_matched`].
pub(super) fn is_matched(response: &Response) -> bool {
    response.extensions().get::<UrlMatched>().is_some()
}
