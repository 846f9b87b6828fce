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
        }
    }

    /// Serves the view without authentication: it is the same for every caller.
    pub(crate) fn as_asset(mut self) -> Self {
        self.source = ActionSource::Asset;
        self
    }

    /// Lets a view of the application replace this one.
    #[expect(dead_code, reason = "the index of resources will be the first")]
    pub(crate) fn replaceable(mut self) -> Self {
        self.is_replaceable = true;
        self
    }
}
