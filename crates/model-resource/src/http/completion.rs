//! Headers and coding that every response of an api gets.

use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};

#[cfg(feature = "compression")]
use crate::http::compression::{Coding, compress};
use crate::http::cors::{CorsPolicy, CorsRequest};

/// Settings of all responses of an api.
pub(crate) struct ResponseSettings {
    /// CORS settings, if there are any.
    pub(crate) cors: Option<CorsPolicy>,
    /// Whether responses are compressed.
    #[cfg(feature = "compression")]
    pub(crate) compression: bool,
}

impl ResponseSettings {
    /// Creates the settings of an api that nothing is said about.
    pub(crate) fn new() -> Self {
        Self {
            cors: None,
            #[cfg(feature = "compression")]
            compression: true,
        }
    }

    /// Reads the headers that the completion of a response depends on.
    pub(super) fn of(&self, method: &Method, headers: &HeaderMap) -> Completion<'_> {
        Completion {
            cors: self.cors.as_ref().map(|cors| cors.request(method, headers)),
            #[cfg(feature = "compression")]
            coding: self.compression.then(|| {
                let coding = Coding::preferred(headers);
                coding.filter(|_| !is_of_other_origin(headers))
            }),
        }
    }
}

/// Completion of the response to one request.
pub(super) struct Completion<'s> {
    cors: Option<CorsRequest<'s>>,
    /// Coding that the client prefers, unless responses are not compressed.
    #[cfg(feature = "compression")]
    coding: Option<Option<Coding>>,
}

/// Whether a page of another origin caused the request: it could choose a part of the response, and compare sizes.
#[cfg(feature = "compression")]
fn is_of_other_origin(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_some_and(|site| site != "same-origin" && site != "none")
}

impl Completion<'_> {
    /// Answers a preflight request.
    pub(super) fn preflight(&self, allow: impl FnOnce() -> Option<HeaderValue>) -> Option<Response> {
        self.cors.as_ref().and_then(|cors| cors.preflight(allow))
    }

    /// Completes a response. Browsers must not guess another media type.
    pub(super) fn complete(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        let sniffing = headers.entry(header::X_CONTENT_TYPE_OPTIONS);
        sniffing.or_insert(HeaderValue::from_static("nosniff"));
        if let Some(cors) = &self.cors {
            cors.apply(headers);
        }
        #[cfg(feature = "compression")]
        if let Some(coding) = self.coding {
            response = compress(response, coding);
        }
        response
    }
}
