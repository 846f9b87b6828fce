//! Serves pages: the api makes the JSON of a URL for the caller as always, and a page shows it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Value, json};

use crate::description::{ApiDescription, PolicySentence};
use crate::http::vary_by;
use crate::pages::caller_fetch::{CallerFetch, NoFetch};
use crate::pages::content::{Fetch, PageContent, PageRequest};
use crate::pages::default_query::{default_query, is_form_of_list};
use crate::pages::page_json::PageJson;
use crate::pages::parameters::{PageParameters, api_query, with_query};
use crate::pages::render::render;
use crate::pages::settings::CompiledPages;
use crate::pipeline::{Context, Engine, Error, RecentRequests, Result, external_path};
use crate::render::Accept;
use crate::routing::{Action, ActionSource, Operation, Route};

/// Maximum bytes of a response that a page shows. The page takes a multiple of it in memory.
const MAX_BODY: usize = 4 * 1024 * 1024;
/// Bytes from which on a response is large, so that its page waits for a turn.
const LARGE_BODY: usize = 256 * 1024;
/// `Accept` of the request for JSON. An application's own HTML precedes the pages.
const JSON_OR_OWN_HTML: HeaderValue = HeaderValue::from_static("text/html, application/json;q=0.9");
/// Time that the health check of the overview waits for the database.
const MAX_PING: Duration = Duration::from_secs(1);

/// Whether a client prefers a page: it names `text/html`, and none of the built-in media types (JSON, problem details,
/// CSV, NDJSON) with the same or a higher quality. Media types of the application's representations do not count.
pub(crate) fn prefers_page(method: &Method, headers: &HeaderMap) -> bool {
    if *method != Method::GET && *method != Method::HEAD {
        return false;
    }
    let names_html = |value: &HeaderValue| value.as_bytes().windows(9).any(|part| part == b"text/html");
    if !headers.get_all(header::ACCEPT).iter().any(names_html) {
        return false;
    }
    let accept = Accept::of(headers);
    let others = [
        "application/json",
        "application/problem+json",
        "text/csv",
        "application/x-ndjson",
    ];
    let other = others
        .iter()
        .filter_map(|media_type| accept.named(media_type))
        .max();
    accept.named("text/html").unwrap_or(0) > other.unwrap_or(0)
}

/// Pages of an api, over the engine that answers its requests.
#[derive(Clone, Copy)]
pub(crate) struct PageServer<'a> {
    pub(crate) pages: &'a CompiledPages,
    pub(crate) engine: &'a Engine,
    /// Id of the request.
    pub(crate) id: &'a str,
}

impl<'a> PageServer<'a> {
    /// Answers a request to one of the api's URLs with a page. Anything but JSON, such as a file, a redirect or an
    /// application's own HTML, is sent unchanged.
    pub(crate) async fn answer(self, route: &Route, action: Option<&Arc<Action>>, cx: Context) -> Response {
        let (place, method) = (
            self.place(cx.uri().path(), cx.outer_prefix()),
            cx.method().clone(),
        );
        let page = self
            .engine
            .contain(pin!(Some(self.page(route, action, cx))), None)
            .await;
        match page {
            Ok(page) => page,
            Err(error) => {
                let accept = Accept::of(&HeaderMap::new());
                let response = self.engine.failure(&error, &method, route, &accept, self.id);
                self.without_caller(place, response).await
            }
        }
    }

    /// Describes where a request is, if nothing else is known about it: its path, and the prefix that outer routers
    /// have stripped from it.
    pub(crate) fn place(self, path: &str, mount: &str) -> PageRequest {
        let path = external_path(path, mount, &self.engine.services.mount);
        PageRequest {
            // A browser would take two slashes for the beginning of another host.
            path: format!("/{}", path.trim_start_matches(['/', '\\'])),
            mount: mount.to_owned(),
            documents: self.documents(),
            ..PageRequest::default()
        }
    }

    /// Documents that describe the api.
    fn documents(self) -> Vec<(&'static str, String)> {
        let documents = self.engine.services.documents();
        let documents = documents.map(|(name, _, rule)| (name, rule.as_str().to_owned()));
        documents.collect()
    }

    /// Wraps the response to a request whose caller is not known in a page: one to an unknown URL, or one that took too
    /// long.
    pub(crate) async fn without_caller(self, request: PageRequest, response: Response) -> Response {
        let description = self.engine.services.description_for(&request.caller);
        let page = pin!(Some(self.show(&NoFetch, request, response, &description)));
        let page = self.engine.contain(page, None).await;
        page.unwrap_or_else(|error| {
            let accept = Accept::of(&HeaderMap::new());
            self.engine.error_response(&error, None, &accept, self.id)
        })
    }

    async fn page(self, route: &Route, action: Option<&Arc<Action>>, mut cx: Context) -> Result<Response> {
        if !self.has_page(route, action) {
            return Ok(self.engine.dispatch(route, action, cx, self.id).await);
        }
        let parameters = PageParameters::of(cx.query_string().pairs());
        if parameters.is_form {
            return see_other(&with_query(&cx.external_path(), &parameters.submitted()));
        }
        let authenticated = self.engine.authenticate(&mut cx).await;
        let description = self.engine.services.description_for(cx.caller());
        let mut request = self.request(&cx, route, &description, parameters);
        let fetch = CallerFetch::of(self.engine, &cx, request.sees_diagnostics, self.id);
        if let Err(error) = authenticated {
            // The credential is invalid, so the page is that of an anonymous caller.
            let accept = Accept::of(cx.headers());
            let response = self.engine.failure(&error, cx.method(), route, &accept, self.id);
            return self.show(&fetch, request, response, &description).await;
        }
        if request.is_overview && request.sees_diagnostics {
            request.diagnostics = Some(self.diagnostics().await);
        }
        let list = action.and_then(|action| action.list.as_deref());
        let defaults = default_query(&request, list, self.pages.page_size);
        let query = api_query(cx.uri().query().unwrap_or_default(), &defaults);
        if !is_form_of_list(&request) {
            request.defaults = defaults;
        }
        if let Ok(uri) = format!("{}?{query}", cx.uri().path()).parse() {
            cx.set_uri(uri);
        }
        let headers = &mut cx.parts_mut().headers;
        headers.insert(header::ACCEPT, JSON_OR_OWN_HTML);
        if action.is_some_and(|action| action.operation.is_some()) {
            // A page is not the JSON that the client may have cached.
            headers.remove(header::IF_NONE_MATCH);
            headers.remove(header::IF_MODIFIED_SINCE);
        }
        let response = Box::pin(self.engine.dispatch(route, action, cx, self.id)).await;
        if response.status() == StatusCode::URI_TOO_LONG {
            // The links of the page would repeat it.
            request.query.clear();
            request.defaults.clear();
        }
        self.show(&fetch, request, response, &description).await
    }

    /// Whether a URL has a page. Of the framework's own URLs only the overview has one.
    fn has_page(self, route: &Route, action: Option<&Arc<Action>>) -> bool {
        action.is_none_or(|action| action.source == ActionSource::Application) || self.is_overview(route)
    }

    /// Whether a URL is the prefix of the api.
    fn is_overview(self, route: &Route) -> bool {
        let prefix = &self.engine.services.describer.whole().prefix;
        route.rule.as_str().trim_end_matches('/') == prefix.trim_end_matches('/')
    }

    /// Describes the request to the page.
    fn request(
        self,
        cx: &Context,
        route: &Route,
        description: &ApiDescription,
        parameters: PageParameters,
    ) -> PageRequest {
        let url = route.rule.as_str();
        let actions = description
            .actions
            .iter()
            .filter(|action| action.route.url == url);
        let actions: Vec<_> = actions.map(Arc::clone).collect();
        let authenticator = self.engine.authenticator.as_ref();
        let role = self.pages.diagnostics.as_deref();
        PageRequest {
            path: cx.external_path(),
            query: parameters.query,
            defaults: Vec::new(),
            view: parameters.view,
            next: parameters.next,
            from: parameters.from,
            caller: cx.caller().clone(),
            csrf: authenticator.and_then(|authenticator| authenticator.csrf_token_any(cx)),
            origin: origin(cx.headers()),
            mount: cx.outer_prefix().to_owned(),
            action: actions
                .iter()
                .find(|action| action.route.method == "GET")
                .cloned(),
            actions,
            documents: self.documents(),
            is_writable: self.is_writable(url),
            is_overview: self.is_overview(route),
            diagnostics: None,
            sees_diagnostics: role.is_some_and(|role| cx.caller().has_role(role)),
            policy_sentences: self.policy_sentences(cx, route),
        }
    }

    /// Whether some callers may change or delete the object of a URL.
    fn is_writable(self, url: &str) -> bool {
        let whole = self.engine.services.describer.whole();
        let mut actions = whole.actions.iter().filter(|action| action.route.url == url);
        actions.any(|action| {
            let operation = action.route.operation;
            matches!(
                operation,
                Some(Operation::Put | Operation::Patch | Operation::Delete)
            )
        })
    }

    /// Sentences about the policy of the URL's model, as it applies to the caller.
    fn policy_sentences(self, cx: &Context, route: &Route) -> Vec<PolicySentence> {
        let services = &self.engine.services;
        let sentences = route.binding.table.and_then(|table| {
            let describer = &services.describer;
            describer.policy_sentences(&services.policies, table, cx.caller())
        });
        sentences.unwrap_or_default()
    }

    /// State of the application for its operators.
    async fn diagnostics(self) -> Value {
        let health = match &self.engine.services.store {
            None => "ok",
            Some(store) => match tokio::time::timeout(MAX_PING, store.ping()).await {
                Ok(Ok(())) => "ok",
                Ok(Err(_)) => "the database does not answer",
                Err(_) => "the database answers slowly",
            },
        };
        let recent = self.engine.recent.as_ref();
        json!({
            "health": { "status": health },
            "errors": recent.map(RecentRequests::failed),
            "slow": recent.map(RecentRequests::slow),
        })
    }

    /// Reads a response, or replaces one that is too large for a page by an error.
    async fn read(self, response: Response) -> Result<(Parts, Bytes)> {
        let (parts, body) = response.into_parts();
        match Limited::new(body, MAX_BODY).collect().await {
            Ok(body) => Ok((parts, body.to_bytes())),
            Err(error) if error.is::<LengthLimitError>() => {
                let message = "The response is larger than 4 MiB, the limit of a page.";
                let error = Error::named("TooLargeForPage", StatusCode::NOT_ACCEPTABLE, message);
                let accept = Accept::of(&HeaderMap::new());
                let (parts, body) = self
                    .engine
                    .error_response(&error, None, &accept, self.id)
                    .into_parts();
                let body = body.collect().await.map_err(Error::internal)?;
                Ok((parts, body.to_bytes()))
            }
            Err(error) => Err(Error::internal(error)),
        }
    }

    /// Wraps a JSON response in a page.
    async fn show(
        self,
        fetch: &dyn Fetch,
        request: PageRequest,
        response: Response,
        description: &ApiDescription,
    ) -> Result<Response> {
        if !is_json(&response) {
            return Ok(response);
        }
        let (parts, body) = self.read(response).await?;
        // Many large pages at a time would take too much memory, and the threads of all other requests.
        let _turn = if body.len() > LARGE_BODY {
            self.pages.large_pages.acquire().await.ok()
        } else {
            None
        };
        let Ok(json) = PageJson::parse(&body) else {
            return Ok(Response::from_parts(parts, Body::from(body)));
        };
        let content = PageContent {
            status: parts.status,
            headers: parts.headers.clone(),
            json,
        };
        let mut page = render(self.pages, &request, content, description, fetch).await;
        *page.status_mut() = match page.status() {
            StatusCode::PARTIAL_CONTENT => StatusCode::OK,
            // The page has the forms of the methods that the URL does answer.
            StatusCode::METHOD_NOT_ALLOWED if !request.actions.is_empty() => StatusCode::OK,
            status => status,
        };
        keep_headers(&parts.headers, page.headers_mut());
        let is_personal = request.caller.is_authenticated() || request.csrf.is_some();
        let caching = caching(&parts.headers, is_personal);
        page.headers_mut().insert(header::CACHE_CONTROL, caching);
        Ok(page)
    }
}

/// Adds the headers of the JSON response to those of the page, apart from those that describe its body or how long it
/// may be cached, and links to other pages of a list.
fn keep_headers(json: &HeaderMap, page: &mut HeaderMap) {
    const OF_BODY: [HeaderName; 10] = [
        header::CONTENT_TYPE,
        header::CONTENT_LENGTH,
        header::CONTENT_ENCODING,
        header::CONTENT_RANGE,
        header::CONTENT_DISPOSITION,
        header::ETAG,
        header::LAST_MODIFIED,
        header::EXPIRES,
        header::CACHE_CONTROL,
        header::LINK,
    ];
    for (name, value) in json {
        if name == header::VARY {
            vary_by(page, value);
        } else if !OF_BODY.contains(name) {
            page.append(name, value.clone());
        }
    }
}

/// Caching of a page. It names the caller and has their CSRF token, so it is never cached as long as its JSON.
fn caching(json: &HeaderMap, is_personal: bool) -> HeaderValue {
    let may_store = |value: &HeaderValue| !value.as_bytes().windows(8).any(|part| part == b"no-store");
    let is_stored = json.get_all(header::CACHE_CONTROL).iter().all(may_store);
    if is_personal || !is_stored || json.contains_key(header::SET_COOKIE) {
        HeaderValue::from_static("no-store")
    } else {
        HeaderValue::from_static("no-cache")
    }
}

fn is_json(response: &Response) -> bool {
    let media_type = response.headers().get(header::CONTENT_TYPE);
    let media_type = media_type
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default().trim();
    ["application/json", "application/problem+json"].contains(&media_type)
}

fn see_other(location: &str) -> Result<Response> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let location = HeaderValue::try_from(location).map_err(Error::internal)?;
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

/// Scheme and authority of a request, for commands to copy.
fn origin(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let scheme = match text("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    format!("{scheme}://{}", text("host").unwrap_or("localhost"))
}
