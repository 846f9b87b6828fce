//! Parts of an api that register several resources and views at once.

use crate::api::builder::Api;

/// Part of an api, such as the account routes of `model-resource-security`: a value that registers several resources and
/// views. Every `fn(Api) -> Api` is one.
///
/// ```
/// use model_resource::{Api, Reply, Result, route};
///
/// #[route("/ping")]
/// async fn ping() -> Result<Reply> {
///     Reply::json(&"pong")
/// }
///
/// fn diagnostics(api: Api) -> Api {
///     api.route(ping)
/// }
///
/// let api = Api::new("api").register(diagnostics);
/// ```
pub trait ApiPart {
    /// Registers everything with the api.
    fn register(self, api: Api) -> Api;
}

impl<F: FnOnce(Api) -> Api> ApiPart for F {
    fn register(self, api: Api) -> Api {
        self(api)
    }
}

impl Api {
    /// Registers everything that a part consists of.
    pub fn register(self, part: impl ApiPart) -> Self {
        part.register(self)
    }

    /// Requires that the api has an authenticator. Without one it is a startup error with this remedy.
    pub fn require_authenticator(mut self, remedy: impl Into<String>) -> Self {
        self.needed_authenticators.push(remedy.into());
        self
    }

    /// Remedies of the parts that need an authenticator, if there is none.
    pub(super) fn missing_authenticator(&self) -> &[String] {
        if self.authenticator.is_some() {
            &[]
        } else {
            &self.needed_authenticators
        }
    }
}
