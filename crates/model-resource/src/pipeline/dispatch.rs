//! Dispatch: one request from its URL to its response, in order.

use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use model_resource_store::drop_and_tell_wait;

use crate::access::AnyAuthenticate;
use crate::dry_run::answer_dry_run;
use crate::handle::{DRY_RUN, PREFERENCE_APPLIED, Wait, prefers_dry_run};
use crate::http::Timeout;
#[cfg(feature = "compression")]
use crate::http::Uncompressed;
use crate::idempotency::{IDEMPOTENCY_KEY, KeyedRequest};
use crate::load::ACCEPT_PATCH;
use crate::pipeline::api_state::ApiState;
#[cfg(feature = "compression")]
use crate::pipeline::caching::may_contain_secret;
use crate::pipeline::caching::{AmbiguousTag, Caching, forbid_storing};
use crate::pipeline::commit_queue::CommitScope;
use crate::pipeline::context::Context;
use crate::pipeline::error::{Error, ErrorKind, Result};
#[cfg(feature = "pages")]
use crate::pipeline::recent::RecentRequests;
use crate::pipeline::respond::respond;
use crate::pipeline::unavailable_log::UnavailableLog;
use crate::query::ExportRequested;
use crate::render::{Accept, ErrorMap, ErrorStyle, Negotiated};
#[cfg(any(feature = "openapi", feature = "pages"))]
use crate::routing::ActionSource;
use crate::routing::{Action, Route, UrlTree};

/// Header with the media types of patches.
const ACCEPT_PATCH_NAME: HeaderName = HeaderName::from_static("accept-patch");

/// Everything that is compiled at startup; a request only looks up.
pub(crate) struct Engine {
    pub(crate) routes: UrlTree<Arc<Route>>,
    pub(crate) services: Arc<ApiState>,
    pub(crate) errors: ErrorMap,
    pub(crate) challenge: HeaderValue,
    pub(crate) caching: Caching,
    pub(crate) timeout: Timeout,
    pub(crate) authenticator: Option<Arc<dyn AnyAuthenticate>>,
    pub(crate) unavailable: UnavailableLog,
    /// Failed and slow requests, if they are recorded.
    #[cfg(feature = "pages")]
    pub(crate) recent: Option<RecentRequests>,
}

/// Result of looking up a request's URL.
pub(crate) enum Lookup {
    /// A route of the api matches, with an action if it answers the method.
    Matched(Arc<Route>, Option<Arc<Action>>, Context),
    /// No route matches. Boxed, because this variant is rare and `Request` is large.
    Unmatched(Box<Request<Body>>),
}

impl Engine {
    /// Finds the route for a request's URL.
    pub(crate) fn find(&self, request: Request<Body>) -> Lookup {
        let Some((route, values)) = self.routes.find(request.uri().path()) else {
            return Lookup::Unmatched(Box::new(request));
        };
        let params = route.rule.params(values);
        let action = route.action(request.method()).map(Arc::clone);
        let (binding, operation) = match &action {
            Some(action) => (&action.binding, action.operation),
            None => (&route.binding, None),
        };
        let (binding, services) = (Arc::clone(binding), Arc::clone(&self.services));
        let cx = Context::new(request, params, operation, binding, services);
        Lookup::Matched(Arc::clone(route), action, cx)
    }

    /// Answers a request to one of the api's URLs, errors and timeouts included.
    pub(crate) async fn dispatch(
        &self,
        route: &Route,
        action: Option<&Arc<Action>>,
        cx: Context,
        id: &str,
    ) -> Response {
        let accept = Accept::of(cx.headers());
        let method = cx.method().clone();
        let Some(action) = action else {
            return self.unsupported(route, &method, &accept, id);
        };
        #[cfg(feature = "pages")]
        let watch = self.recent.as_ref().map(|recent| recent.watch(&cx));
        let wait = Wait::preferred(cx.headers());
        let limit = wait.map(Wait::limit);
        let is_dry_run = is_dry_run(&cx);
        let answer = pin!(Some(self.answer(action, cx, &accept, limit)));
        let result = self.contain(answer, limit).await;
        #[cfg(feature = "pages")]
        if let Some(watch) = watch {
            watch.finish(result.as_ref().err(), id);
        }
        let mut response = result.unwrap_or_else(|error| self.failure(&error, &method, route, &accept, id));
        if let Some(applied) = wait.and_then(Wait::header) {
            response.headers_mut().append(PREFERENCE_APPLIED, applied);
        }
        if is_dry_run {
            response.headers_mut().append(PREFERENCE_APPLIED, DRY_RUN);
        }
        response
    }

    /// Builds the response for an error that ended a request, and logs one of the server.
    pub(crate) fn failure(
        &self,
        error: &Error,
        method: &Method,
        route: &Route,
        accept: &Accept,
        id: &str,
    ) -> Response {
        match error.kind() {
            ErrorKind::Unavailable => self.unavailable.log(error, method, route),
            _ if error.status().is_server_error() => log_internal_error(error, method, route, id),
            _ => {}
        }
        self.error_response(error, Some(route), accept, id)
    }

    /// Runs a request to its end, a panic, the timeout or a shorter time. The future is pinned by the caller, because a large one is
    /// expensive to move; it is dropped at the timeout.
    pub(crate) async fn contain<T>(
        &self,
        mut answer: Pin<&mut Option<impl Future<Output = Result<T>>>>,
        shorter: Option<Duration>,
    ) -> Result<T> {
        let answered = {
            let future = answer.as_mut().as_pin_mut().expect("the caller passes a future");
            let future = pin!(AssertUnwindSafe(future).catch_unwind());
            self.timeout.within(shorter, future).await
        };
        match answered {
            Some(Ok(result)) => result,
            Some(Err(panic)) => Err(Error::internal(format!(
                "a handler panicked: {}",
                panic_message(&*panic)
            ))),
            None => {
                // Dropping the future cancels its write.
                let waited_for_database = drop_and_tell_wait(|| answer.set(None));
                // Waits for the cancellation, so that nothing is written after the response. What was committed just before
                // the time limit stays.
                if let Some(store) = &self.services.store {
                    Box::pin(store.wait_cancelled()).await;
                }
                // The database is not to blame if the client does not wait.
                let is_impatient = self.timeout.limit_within(shorter) < self.timeout.limit_within(None);
                Err(if waited_for_database && !is_impatient {
                    Error::database_timeout()
                } else {
                    Error::new(ErrorKind::Timeout)
                })
            }
        }
    }

    /// Answers a method that has no action: OPTIONS with the others, and those with an error.
    fn unsupported(&self, route: &Route, method: &Method, accept: &Accept, id: &str) -> Response {
        if method == Method::OPTIONS {
            options(route)
        } else {
            self.error_response(&route.unsupported(method), Some(route), accept, id)
        }
    }

    async fn answer(
        &self,
        action: &Arc<Action>,
        mut cx: Context,
        accept: &Accept,
        limit: Option<Duration>,
    ) -> Result<Response> {
        let representation = action.representation(&cx, accept)?;
        if representation.is_export() {
            cx.insert_extension(ExportRequested);
        }
        if !action.is_asset() {
            self.authenticate(&mut cx).await?;
        }
        #[cfg(any(feature = "openapi", feature = "pages"))]
        if action.source == ActionSource::Framework
            && let Some(authenticator) = &self.authenticator
            && let Some(token) = authenticator.csrf_token_any(&cx)
        {
            cx.insert_extension(token);
        }
        let is_known = cx.caller().is_authenticated();
        let commit = commit_scope(action, &mut cx);
        let mut response = if is_dry_run(&cx) {
            Box::pin(answer_dry_run(action, &self.challenge, cx)).await?
        } else if cx.headers().contains_key(IDEMPOTENCY_KEY) {
            Box::pin(self.answer_keyed(action, &representation, cx, limit)).await?
        } else {
            respond(action, &representation, &self.challenge, cx).await?
        };
        if let Some(commit) = commit {
            commit.end(response.status());
        }
        #[cfg(feature = "compression")]
        if may_contain_secret(response.headers()) {
            response.extensions_mut().insert(Uncompressed);
        }
        // Neither shared caches nor the next user of the browser may get a personal response.
        let is_personal = is_known || response.headers().contains_key(header::SET_COOKIE);
        if is_personal || response.extensions().get::<AmbiguousTag>().is_some() {
            forbid_storing(response.headers_mut());
        } else if !action.is_asset() {
            self.caching.add_to(response.headers_mut());
        }
        Ok(response)
    }

    /// Answers a request with an `Idempotency-Key`, which is ignored unless the request writes.
    async fn answer_keyed(
        &self,
        action: &Arc<Action>,
        representation: &Negotiated<'_>,
        cx: Context,
        limit: Option<Duration>,
    ) -> Result<Response> {
        match KeyedRequest::of(&cx, action, &self.challenge).await? {
            Some(keyed) => keyed.answer(cx, self.timeout.limit_within(limit)).await,
            None => respond(action, representation, &self.challenge, cx).await,
        }
    }

    /// Determines the caller of a request, unless that is done already.
    pub(crate) async fn authenticate(&self, cx: &mut Context) -> Result<()> {
        if let Some(authenticator) = &self.authenticator
            && !cx.is_authenticated()
        {
            let caller = authenticator.authenticate_any(cx).await?;
            cx.set_caller(caller);
        }
        Ok(())
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
        forbid_storing(response.headers_mut());
        match (response.status(), route) {
            (StatusCode::METHOD_NOT_ALLOWED, Some(route)) => {
                response.headers_mut().insert(header::ALLOW, route.allow());
            }
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, Some(route)) if route.takes_patches() => {
                response.headers_mut().insert(ACCEPT_PATCH_NAME, ACCEPT_PATCH);
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

/// Whether a request is to be checked and not to write.
fn is_dry_run(cx: &Context) -> bool {
    !cx.method().is_safe() && prefers_dry_run(cx.headers())
}

/// Scope of the work that waits for the commit of the request. An automatic read has no such work.
fn commit_scope(action: &Action, cx: &mut Context) -> Option<CommitScope> {
    if cx.method().is_safe() && action.chain.is_automatic {
        return None;
    }
    let scope = CommitScope::new();
    cx.set_commit_queue(scope.queue());
    Some(scope)
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
    if route.takes_patches() {
        response.headers_mut().insert(ACCEPT_PATCH_NAME, ACCEPT_PATCH);
    }
    response
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
