//! The headers by which a browser lets a page of another origin have an answer.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::cors::settings::Cors;

/// What clients send that the framework reads, beside what a page may send anyway.
const ALLOWED_HEADERS: &str =
    "authentication-token, authorization, content-type, prefer, x-csrftoken, x-request-id";

/// What the framework tells clients, beside what a page may read anyway.
const EXPOSED_HEADERS: &str = "allow, content-range, etag, link, location, preference-applied, ratelimit, ratelimit-policy, \
                    retry-after, www-authenticate, x-request-id, x-total-count";

const ANY_METHOD: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// The rules, with every header made ready.
pub(crate) struct CorsPolicy {
    rules: Cors,
    allowed_headers: HeaderValue,
    max_age: HeaderValue,
}

/// A request, as far as other origins are concerned.
pub(crate) struct CorsRequest<'s> {
    sharing: &'s CorsPolicy,
    /// Whom the answer may be shared with.
    origin: Option<HeaderValue>,
    /// Whether a browser asks if it may ask.
    is_preflight: bool,
}

impl CorsPolicy {
    pub(crate) fn new(rules: Cors) -> Self {
        let mut allowed = ALLOWED_HEADERS.to_owned();
        for name in &rules.headers {
            allowed.push_str(", ");
            allowed.push_str(name.as_str());
        }
        Self {
            allowed_headers: HeaderValue::try_from(allowed)
                .expect("a list of `HeaderName`s is a valid header"),
            max_age: rules.max_age.as_secs().into(),
            rules,
        }
    }

    /// What a request is about, before it is answered.
    pub(crate) fn request(&self, method: &Method, headers: &HeaderMap) -> CorsRequest<'_> {
        CorsRequest {
            sharing: self,
            origin: self.origin(headers),
            is_preflight: *method == Method::OPTIONS
                && headers.contains_key(header::ORIGIN)
                && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD),
        }
    }

    /// The origin that a request's answer may be shared with.
    fn origin(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let mut asked = request.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (asked.next(), asked.next()) else {
            return None;
        };
        if self.rules.is_for_any() {
            return Some(HeaderValue::from_static("*"));
        }
        let is_named = self.rules.origins.iter().any(|named| named.as_header() == origin);
        is_named.then(|| origin.clone())
    }
}

impl CorsRequest<'_> {
    /// The answer to a browser that asks if it may ask, which needs nothing but the URL: what `Allow` says, or any method
    /// where the URL is not known, so that the page learns of the 404.
    pub(crate) fn preflight(&self, allow: impl FnOnce() -> Option<HeaderValue>) -> Option<Response> {
        if !self.is_preflight {
            return None;
        }
        let allow = allow();
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        if self.origin.is_some() {
            let methods = allow.clone();
            let methods = methods.unwrap_or_else(|| HeaderValue::from_static(ANY_METHOD));
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            let allowed = self.sharing.allowed_headers.clone();
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, self.sharing.max_age.clone());
        }
        headers.extend(allow.map(|allow| (header::ALLOW, allow)));
        Some(response)
    }

    /// Lets a page of the origin have an answer, if it may, and tells caches that the answer depends on it. One that a view
    /// has marked itself is left alone.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        if headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
            return;
        }
        let rules = &self.sharing.rules;
        if !rules.is_for_any() {
            headers.append(header::VARY, HeaderValue::from_static("origin"));
        }
        let Some(origin) = &self.origin else {
            return;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED_HEADERS),
        );
        if rules.with_credentials {
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
    }
}
