//! Authorization in a request's context: the caller, and the restrictions of decorators.

use std::any::Any;
use std::sync::Arc;

use model_resource_schema::model::Model;
use model_resource_schema::query::Where;
use model_resource_schema::serializer::Visibility;

use crate::access::caller::Caller;
use crate::access::caller_policies::CallerPolicies;
use crate::pipeline::{Context, Error};

impl Context {
    /// Authenticator of the api, for handlers that use more of it than the caller. `None` unless it is an `S`.
    pub fn authenticator<S: Any>(&self) -> Option<&S> {
        self.services().security.as_ref()?.downcast_ref()
    }

    /// Returns the error for a caller who may not do this: 401 if they are anonymous, 403 otherwise.
    pub fn denied(&self) -> Error {
        if self.caller().is_authenticated() {
            Error::forbidden("You may not do this.")
        } else {
            Error::unauthorized()
        }
    }

    /// Restricts the rows of a model that the request can see. The other rows do not exist for it: in lists, their
    /// counts and pages, and by their keys. Decorators call it before the loaders run.
    ///
    /// ```
    /// use model_resource::{Context, Model, Next, Reply, Result, Where};
    ///
    /// #[derive(Model)]
    /// struct Track {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     seconds: i32,
    /// }
    ///
    /// /// `GET /tracks?minMinutes=6`, with `minMinutes` among the resource's `QUERY_PARAMETERS`.
    /// async fn long_enough(mut cx: Context, next: Next) -> Result<Reply> {
    ///     if let Some(minutes) = cx.query("minMinutes").and_then(|text| text.parse::<i32>().ok()) {
    ///         cx.restrict(Track::SECONDS.gte(minutes.saturating_mul(60)));
    ///     }
    ///     next.run(cx).await
    /// }
    /// # fn check(_: impl model_resource::Decorator) {}
    /// # check(long_enough);
    /// ```
    pub fn restrict<M: Model>(&mut self, rows: Where<M>) {
        self.add_restriction(M::table(), rows.into_any());
    }

    /// Visibility of rows and columns for the caller; none without policies.
    pub(crate) fn visibility(&self) -> Option<Arc<dyn Visibility>> {
        let policies = self.caller_policies()?;
        Some(Arc::clone(policies) as Arc<dyn Visibility>)
    }

    /// Visibility of rows and columns for another caller; none without policies.
    pub(crate) fn visibility_of(&self, caller: &Caller) -> Option<Arc<dyn Visibility>> {
        let policies = CallerPolicies::new(&self.services().policies, caller, None)?;
        Some(policies as Arc<dyn Visibility>)
    }
}
