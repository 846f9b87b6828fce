//! CORS headers, which let browsers share responses with pages of other origins.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::http::cors::settings::Cors;
use crate::http::vary::vary_by;

/// Request headers that the framework reads, in addition to the CORS-safelisted ones.
const ALLOWED_HEADERS: &str = "authentication-token, authorization, content-type, idempotency-key, if-match, if-modified-since, if-none-match, if-unmodified-since, prefer, x-csrftoken, x-request-id";

/// Response headers that the framework writes, in addition to the CORS-safelisted ones.
const EXPOSED_HEADERS: &str = "allow, content-range, etag, idempotency-replayed, link, location, preference-applied, ratelimit, ratelimit-policy, \
                    retry-after, www-authenticate, x-request-id, x-total-count";

const ANY_METHOD: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// CORS settings with all headers compiled.
pub(crate) struct CorsPolicy {
    settings: Cors,
    allowed_headers: HeaderValue,
    max_age: HeaderValue,
}

/// CORS data of one request.
pub(crate) struct CorsRequest<'s> {
    policy: &'s CorsPolicy,
    /// Origin that the response may be shared with.
    origin: Option<HeaderValue>,
    /// Whether the request is a preflight request.
    is_preflight: bool,
}

impl CorsPolicy {
    pub(crate) fn new(settings: Cors) -> Self {
        let mut allowed = ALLOWED_HEADERS.to_owned();
        for name in &settings.headers {
            allowed.push_str(", ");
            allowed.push_str(name.as_str());
        }
        Self {
            allowed_headers: HeaderValue::try_from(allowed)
                .expect("a list of `HeaderName`s is a valid header"),
            max_age: settings.max_age.as_secs().into(),
            settings,
        }
    }

    /// Reads the CORS data of a request.
    pub(crate) fn request(&self, method: &Method, headers: &HeaderMap) -> CorsRequest<'_> {
        CorsRequest {
            policy: self,
            origin: self.origin(headers),
            is_preflight: *method == Method::OPTIONS
                && headers.contains_key(header::ORIGIN)
                && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD),
        }
    }

    /// Origin that the response may be shared with.
    fn origin(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let mut sent = request.get_all(header::ORIGIN).iter();
        let (Some(origin), None) = (sent.next(), sent.next()) else {
            return None;
        };
        if self.settings.is_for_any() {
            return Some(HeaderValue::from_static("*"));
        }
        let is_allowed = self
            .settings
            .origins
            .iter()
            .any(|allowed| allowed.as_header() == origin);
        is_allowed.then(|| origin.clone())
    }
}

impl CorsRequest<'_> {
    /// Answers a preflight request from the URL alone: with the methods of `Allow`, or with any method if the URL is
    /// unknown, so that the page sees the 404.
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
            let allowed = self.policy.allowed_headers.clone();
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
            headers.insert(header::ACCESS_CONTROL_MAX_AGE, self.policy.max_age.clone());
        }
        headers.extend(allow.map(|allow| (header::ALLOW, allow)));
        Some(response)
    }

    /// Adds the CORS headers to a response and marks it as depending on the origin for caches. A response with CORS
    /// headers of its own is left alone.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        if headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
            return;
        }
        let settings = &self.policy.settings;
        if !settings.is_for_any() {
            vary_by(headers, &HeaderValue::from_static("origin"));
        }
        let Some(origin) = &self.origin else {
            return;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED_HEADERS),
        );
        if settings.with_credentials {
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
        }
    }
}
