//! Caller of a request, the policies that apply to them, and the URL's binding.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_schema::query::{AnyWhere, Where};
use model_resource_schema::serializer::Visibility;
use model_resource_schema::value::Value;

use crate::access::{Caller, CallerPolicies};
use crate::observe::CallerSlot;
use crate::pipeline::context::request::Context;
use crate::pipeline::error::Error;
use crate::routing::UrlBinding;

impl Context {
    /// Caller of the request.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Whether the authenticator has determined the caller.
    pub(crate) fn is_authenticated(&self) -> bool {
        self.0.is_authenticated
    }

    /// Sets the caller that the authenticator has determined.
    pub(crate) fn set_caller(&mut self, caller: Caller) {
        self.0.caller = caller.at_url(&self.0.params, &self.0.binding.unscoped);
        self.0.is_authenticated = true;
        if let Some(slot) = &self.0.caller_slot
            && let Some(key) = self.0.caller.key_text()
        {
            let _ = slot.set(key);
        }
        self.0.policies = OnceLock::new();
    }

    /// Sets the slot that gets the key of the caller.
    pub(crate) fn set_caller_slot(&mut self, slot: Option<CallerSlot>) {
        self.0.caller_slot = slot;
    }

    /// Policies as they apply to the caller; none if the api has no policy.
    pub(crate) fn caller_policies(&self) -> Option<&Arc<CallerPolicies>> {
        let inner = &self.0;
        let ask = || CallerPolicies::new(&inner.services.policies, &inner.caller, inner.binding.table);
        inner.policies.get_or_init(ask).as_ref()
    }

    pub(crate) fn binding(&self) -> &UrlBinding {
        &self.0.binding
    }

    /// URL binding, shared with the items of a bulk request.
    pub(crate) fn shared_binding(&self) -> Arc<UrlBinding> {
        Arc::clone(&self.0.binding)
    }

    /// Conditions that decorators have put on the rows of tables.
    pub(crate) fn restrictions(&self) -> &[(&'static Table, AnyWhere)] {
        &self.0.restrictions
    }

    pub(crate) fn add_restriction(&mut self, table: &'static Table, condition: AnyWhere) {
        self.0.restrictions.push((table, condition));
    }

    /// Stored value of the unique column by which the URL identified the loaded row.
    pub(crate) fn loaded_url_value(&self) -> Option<&Value> {
        self.0.loaded.url_value.as_ref()
    }
}

impl Context {
    /// Authenticator of the api, for handlers that use more of it than the caller. `None` unless it is an `S`.
    pub fn authenticator<S: Any>(&self) -> Option<&S> {
        self.services().authenticator.as_ref()?.downcast_ref()
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
    /// counts and pages, and by their keys. Decorators call it before the loaders run. Relations of other objects
    /// (`expand`, nested serializers, filters through them) are limited by policies only.
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
