//! Caller and URL of a request, as the authorization reads them.

use std::sync::{Arc, OnceLock};

use model_resource_schema::column::Table;
use model_resource_schema::query::AnyWhere;
use model_resource_schema::value::Value;

use crate::access::{Caller, CallerPolicies};
use crate::pipeline::context::request::Context;
use crate::routing::UrlBinding;

impl Context {
    /// Caller of the request.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    pub(crate) fn set_caller(&mut self, caller: Caller) {
        self.0.caller = caller.at_url(&self.0.params, &self.0.binding.unscoped);
        self.0.policies = OnceLock::new();
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
