//! A URL in axum's syntax, for its extractors `Path` and `MatchedPath`.
//!
//! The extensions that they read are private to axum's router. So a router with this single route creates them, from a
//! request with the same parameters.

use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

use axum::body::Body;
use axum::extract::OriginalUri;
use axum::routing::any;
use axum::{Extension, Router};
use http::{Extensions, Request, Uri};
use percent_encoding::utf8_percent_encode;
use tower::ServiceExt;

use crate::routing::rule::{Params, Rule, SEGMENT, UrlSegment};

/// URL in axum's syntax: `/notes/{id}`.
pub(crate) struct AxumPath {
    /// Text of each segment, or the name of its parameter.
    segments: Vec<Result<String, String>>,
    /// Router for each path that the api is nested at.
    routers: Mutex<Vec<(String, Router)>>,
}

/// Extensions that the router has set on a request.
#[derive(Clone)]
struct Captured(Extensions);

impl AxumPath {
    /// Converts a rule. A parameter takes its whole segment.
    pub(crate) fn of(rule: &Rule) -> Self {
        let mut names = rule.names().iter();
        let segment = |segment: &UrlSegment| match segment {
            UrlSegment::Fixed(text) => Ok(utf8_percent_encode(text, SEGMENT).to_string()),
            UrlSegment::Parameter(_) => Err(names.next().cloned().unwrap_or_default()),
        };
        Self {
            segments: rule.segments().iter().map(segment).collect(),
            routers: Mutex::default(),
        }
    }

    /// Returns the extensions that axum's router sets on a request with these parameters, for an api nested at `nested`
    /// and requested below `prefix`.
    pub(crate) async fn extensions(
        &self,
        nested: &str,
        prefix: &str,
        params: &Params,
        original: OriginalUri,
    ) -> Extensions {
        let mut values = params.iter().map(|(_, value)| value);
        let path = self.join(|_| utf8_percent_encode(values.next().unwrap_or_default(), SEGMENT).to_string());
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = Uri::try_from(prefix.to_owned() + &path).unwrap_or_default();
        request.extensions_mut().insert(original);
        let router = self.router(nested);
        let mut response = match router.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let captured = response.extensions_mut().remove::<Captured>();
        captured
            .map(|Captured(extensions)| extensions)
            .unwrap_or_default()
    }

    /// Router of the pattern below a prefix, cached for later requests.
    fn router(&self, nested: &str) -> Router {
        let mut routers = self.routers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, router)) = routers.iter().find(|(known, _)| known == nested) {
            return router.clone();
        }
        let capture =
            |request: Request<Body>| async { Extension(Captured(request.into_parts().0.extensions)) };
        let pattern = nested.to_owned() + &self.join(|name| format!("{{{name}}}"));
        let router = Router::new().without_v07_checks().route(&pattern, any(capture));
        routers.push((nested.to_owned(), router.clone()));
        router
    }

    fn join(&self, mut parameter: impl FnMut(&str) -> String) -> String {
        let mut path = String::new();
        for segment in &self.segments {
            let text = segment.clone().unwrap_or_else(|name| parameter(&name));
            let _ = write!(path, "/{text}");
        }
        if path.is_empty() { "/".to_owned() } else { path }
    }
}
