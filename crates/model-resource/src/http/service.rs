//! Api as a service in front of an application: it answers its own URLs and passes all others on.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse, Response};
use futures_util::future::BoxFuture;
#[cfg(any(feature = "openapi", feature = "pages"))]
use http::header;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri};
use tower::Service;
use tracing::Instrument;

use crate::http::application::{
    AppAnswer, Application, FromOuterApi, is_empty_404, is_matched, mark_matched,
};
use crate::http::completion::{Completion, ResponseSettings};
use crate::http::drain::DrainOnDrop;
use crate::http::head::without_body;
use crate::http::request_id::{RequestIds, X_REQUEST_ID};
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::http::service_link::ServiceLink;
use crate::http::{peer, validity};
use crate::observe::{Observer, TRACEPARENT, TraceContext};
#[cfg(feature = "pages")]
use crate::pages::{CompiledPages, PageServer, prefers_page};
#[cfg(feature = "pages")]
use crate::pipeline::outer_prefix;
use crate::pipeline::{Engine, Error, Lookup};
use crate::query::ExplainRequested;
use crate::render::Accept;
use crate::routing::UrlTree;

/// Api in front of its application, as a tower service; created by [`Api::into_service`](crate::Api::into_service).
#[derive(Clone)]
pub struct ApiService(Arc<ServiceInner>);

struct ServiceInner {
    engine: Engine,
    app: Application,
    /// Paths below the prefix; empty without one.
    below: UrlTree<()>,
    /// Handler of unknown URLs that are not below the prefix.
    unknown: UnknownUrls,
    responses: ResponseSettings,
    ids: RequestIds,
    observer: Observer,
    /// Links to the documents that describe the api.
    #[cfg(any(feature = "openapi", feature = "pages"))]
    links: Option<ServiceLink>,
    /// Pages for browsers, if the api has them.
    #[cfg(feature = "pages")]
    pages: Option<CompiledPages>,
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

impl ApiService {
    /// Creates the service. Unknown URLs among `below` are answered by the api.
    pub(crate) fn new(
        engine: Engine,
        below: UrlTree<()>,
        unknown: UnknownUrls,
        app: Router,
        responses: ResponseSettings,
        observer: Observer,
    ) -> Self {
        Self(Arc::new(ServiceInner {
            #[cfg(any(feature = "openapi", feature = "pages"))]
            links: ServiceLink::new(&engine.services),
            engine,
            app: Application::new(app),
            below,
            unknown,
            responses,
            ids: RequestIds::new(),
            observer,
            #[cfg(feature = "pages")]
            pages: None,
        }))
    }

    /// Answers browsers with these pages.
    #[cfg(feature = "pages")]
    pub(crate) fn with_pages(mut self, pages: Option<CompiledPages>) -> Self {
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.pages = pages;
        }
        self
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
        #[cfg(any(feature = "openapi", feature = "pages"))]
        let link = self.0.links.as_ref().and_then(|links| links.header(&cx));
        let completion = self.completion(cx.method(), cx.headers());
        let preflight = completion.preflight(|| Some(route.allow()));
        let response = 'answered: {
            if let Some(response) = preflight {
                break 'answered response;
            }
            #[cfg(feature = "pages")]
            if action.as_ref().is_none_or(|action| !action.is_asset())
                && let Some(server) = self.page_server(cx.method(), cx.headers(), id)
            {
                // Erased, because its type is too deep for the compiler to show that it is `Send`.
                let page: BoxFuture<'_, Response> = Box::pin(server.answer(&route, action.as_ref(), cx));
                break 'answered page.await;
            }
            self.0.engine.dispatch(&route, action.as_ref(), cx, id).await
        };
        #[cfg_attr(
            not(any(feature = "openapi", feature = "pages")),
            expect(unused_mut, reason = "no feature changes it")
        )]
        let mut response = completion.complete(response);
        #[cfg(any(feature = "openapi", feature = "pages"))]
        if let Some(link) = link {
            response.headers_mut().append(header::LINK, link);
        }
        if is_of_outer {
            mark_matched(response)
        } else {
            response
        }
    }

    /// Server of pages, if the client prefers a page.
    #[cfg(feature = "pages")]
    fn page_server<'a>(
        &'a self,
        method: &Method,
        headers: &HeaderMap,
        id: &'a str,
    ) -> Option<PageServer<'a>> {
        let pages = self.0.pages.as_ref()?;
        prefers_page(method, headers).then_some(PageServer {
            pages,
            engine: &self.0.engine,
            id,
        })
    }

    /// Calls the application, and rejects unknown URLs where the api is responsible for them.
    async fn fall_through(&self, request: Request<Body>, id: &str) -> Response {
        let below = self.0.is_below(request.uri().path());
        let is_own = below || self.0.unknown == UnknownUrls::Own;
        let is_of_outer = request.extensions().get::<FromOuterApi>().is_some();
        if !is_own && !is_of_outer && self.0.unknown == UnknownUrls::OfApplication {
            return self.0.app.call(request).await;
        }
        let accept = Accept::of(request.headers());
        let completion = self.completion(request.method(), request.headers());
        #[cfg(feature = "pages")]
        let page = self.page_server(request.method(), request.headers(), id);
        #[cfg(feature = "pages")]
        let page = page.map(|server| {
            let path = request.uri().path();
            (
                server,
                server.place(path, outer_prefix(request.extensions(), path)),
            )
        });
        let reject = async || {
            let preflight = completion.preflight(|| None);
            let not_found = || {
                self.0
                    .engine
                    .error_response(&Error::not_found(), None, &accept, id)
            };
            let response = preflight.unwrap_or_else(not_found);
            #[cfg(feature = "pages")]
            let response = match &page {
                Some((server, path)) => {
                    let page: BoxFuture<'_, Response> =
                        Box::pin(server.without_caller(path.clone(), response));
                    page.await
                }
                None => response,
            };
            completion.complete(response)
        };
        if !is_own && !is_of_outer {
            return match self.0.app.call_routes(request).await {
                AppAnswer::Fallback(response) if is_empty_404(&response) => reject().await,
                AppAnswer::Route(response) | AppAnswer::Fallback(response) => response,
            };
        }
        match self.0.app.try_call(request).await {
            Some(response)
                if below && response.status() == StatusCode::NOT_FOUND && !is_matched(&response) =>
            {
                mark_matched(reject().await)
            }
            Some(response) => mark_matched(response),
            None if is_own => mark_matched(reject().await),
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
        let response = self.completion(method, headers).complete(response);
        if is_of_outer {
            mark_matched(response)
        } else {
            response
        }
    }

    /// Address of a request's client, for the access log.
    fn client_address(&self, request: &Request<Body>) -> Option<IpAddr> {
        let connected = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = connected.map(|ConnectInfo(peer)| peer.ip()).or_else(peer)?;
        Some(self.0.engine.services.proxies.client(peer, request.headers()))
    }

    fn completion(&self, method: &Method, headers: &HeaderMap) -> Completion<'_> {
        self.0.responses.of(method, headers)
    }
}

impl ServiceInner {
    fn is_below(&self, path: &str) -> bool {
        self.below.find(path).is_some()
    }
}

impl Service<Request<Body>> for ApiService {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut TaskContext<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let service = self.clone();
        let id = service.0.ids.of(&request);
        // The span has the id alone, because subscribers format a span's fields even if nothing is logged in it.
        let span = tracing::info_span!("request", %id, trace = tracing::field::Empty);
        let trace = TraceContext::of(request.headers());
        if let Some(trace) = trace {
            span.record("trace", tracing::field::display(trace.trace_id()));
            request.extensions_mut().insert(trace);
        }
        tracing::debug!(parent: &span, method = %request.method(), path = request.uri().path(), "request received");
        let is_head = request.method() == Method::HEAD;
        // Boxed, because nearly every request is valid.
        let invalid = validity::check(&request).err().map(Box::new);
        let client = |request: &Request<Body>| service.client_address(request);
        let observation = service.0.observer.begin(&request, &span, client);
        let mut lookup = service.0.engine.find(DrainOnDrop::around(request));
        let observation = observation.map(|pending| match &mut lookup {
            Lookup::Matched(route, _, cx) => {
                let observation = pending.at(Some(route.observed(cx.method())));
                cx.set_caller_slot(observation.caller_slot());
                observation
            }
            Lookup::Unmatched(_) => pending.at(None),
        });
        let answer = async move {
            let mut response = match invalid {
                None => service.answer(lookup, &id).await,
                Some(error) => service.error_response(&error, &lookup, &id),
            };
            tracing::debug!(status = response.status().as_u16(), "answered");
            if let Ok(value) = HeaderValue::try_from(id) {
                response.headers_mut().insert(X_REQUEST_ID, value);
            }
            if let Some(value) = trace.and_then(|trace| trace.header()) {
                response.headers_mut().insert(TRACEPARENT, value);
            }
            let response = if is_head { without_body(response) } else { response };
            Ok(match observation {
                Some(observation) => observation.finish(response),
                None => response,
            })
        };
        Box::pin(answer.instrument(span))
    }
}

impl std::fmt::Debug for ApiService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ApiService").finish_non_exhaustive()
    }
}
