//! Views of the framework itself, such as the OpenAPI document.

use std::future::Future;
use std::sync::Arc;

use crate::handle::Reply;
use crate::pipeline::{Context, Handler, Result};
use crate::routing::ActionSource;

/// View of the framework at a URL below the prefix of the api. It answers GET and HEAD, has no decorators, and is not
/// among the routes of the application.
pub(crate) struct BuiltInView {
    /// Name in messages, such as `Api::openapi()`.
    pub(crate) name: &'static str,
    /// URL below the prefix; empty for the prefix itself.
    pub(crate) url: String,
    pub(crate) source: ActionSource,
    pub(crate) handler: Handler,
    /// Whether the application's own GET at this URL replaces the view. Otherwise it is a mistake at startup.
    pub(crate) is_replaceable: bool,
    /// Name and link relation of a document that describes the api.
    pub(crate) document: Option<(&'static str, &'static str)>,
}

#[cfg_attr(
    not(any(feature = "openapi", feature = "pages")),
    expect(dead_code, reason = "no feature has such a view")
)]
impl BuiltInView {
    /// Creates a view that runs after the authenticator, as the caller.
    pub(crate) fn new<F, Fut>(name: &'static str, url: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply>> + Send + 'static,
    {
        Self {
            name,
            url: url.into(),
            source: ActionSource::Framework,
            handler: Arc::new(move |cx| Box::pin(handler(cx))),
            is_replaceable: false,
            document: None,
        }
    }

    /// Serves the view without authentication: it is the same for every caller.
    #[cfg(any(feature = "docs", feature = "pages"))]
    pub(crate) fn into_asset(mut self) -> Self {
        self.source = ActionSource::Asset;
        self
    }

    /// Links to the view as a document that describes the api, by this name and relation (RFC 8631).
    #[cfg_attr(
        not(feature = "openapi"),
        expect(dead_code, reason = "no feature has such a document")
    )]
    pub(crate) fn into_document(mut self, name: &'static str, relation: &'static str) -> Self {
        self.document = Some((name, relation));
        self
    }

    /// Lets a view of the application replace this one.
    pub(crate) fn replaceable(mut self) -> Self {
        self.is_replaceable = true;
        self
    }
}
