//! Parts of an api that register several resources and views at once.

use std::any::{Any, TypeId};

use model_resource_schema::model::Model;

use crate::access::{Authenticate, Caller};
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

    /// Requires that the authenticator of the api is of this type, so that
    /// [`Context::authenticator`](crate::Context::authenticator) finds it. Without one it is a startup error with this
    /// remedy.
    pub fn require_authenticator<S: Authenticate>(mut self, remedy: impl Into<String>) -> Self {
        self.needed_authenticators
            .push((TypeId::of::<S>(), remedy.into()));
        self
    }

    /// Requires that anonymous callers may create rows of this model, if it has a policy; otherwise it is a startup error
    /// with this remedy. Below a prefix with parameters, which a policy may read, nothing is required.
    #[doc(hidden)]
    pub fn require_anonymous_create<M: Model>(mut self, remedy: impl Into<String>) -> Self {
        self.needed_creates.push((M::table(), remedy.into()));
        self
    }

    /// Remedies of the parts whose models have a policy that keeps anonymous callers from creating rows.
    pub(super) fn denied_creates(&self) -> impl Iterator<Item = String> {
        let may_create = |table| {
            let policy = self.policies.of(table);
            policy.is_none_or(|policy| policy.may_create(&Caller::anonymous(), table))
        };
        let is_plain = !self.prefix.contains('<');
        let needed = self.needed_creates.iter().filter(move |_| is_plain);
        let denied = needed.filter(move |(table, _)| !may_create(table));
        denied.map(|(_, remedy)| remedy.clone())
    }

    /// Remedies of the parts that need another authenticator than that of the api.
    pub(super) fn missing_authenticators(&self) -> impl Iterator<Item = String> {
        let authenticator: Option<&dyn Any> = self.authenticator.as_deref().map(|present| present as _);
        let present = authenticator.map(Any::type_id);
        let missing = self.needed_authenticators.iter();
        let missing = missing.filter(move |(needed, _)| Some(*needed) != present);
        missing.map(|(_, remedy)| remedy.clone())
    }
}
