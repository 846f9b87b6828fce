//! Authenticator and policies of an api.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::access::{Authenticate, Caller, DefaultAccess, ModelPolicy, Policy};
use crate::api::builder::Api;
use crate::resource::PolicyEntry;

impl Api {
    /// Sets the authenticator. From then on writes are denied unless a policy, a guard or `PUBLIC` allows them. Views
    /// are open unless they have a guard.
    pub fn authenticator(mut self, authenticator: impl Authenticate) -> Self {
        if self.authenticator.replace(Arc::new(authenticator)).is_some() {
            let mistake = "the api has two authenticators: call `.authenticator(..)` once";
            self.mistakes.push(mistake.to_owned());
        }
        self
    }

    /// Sets the policy of a model, enforced wherever its rows are used. The row conditions are evaluated once for an
    /// anonymous caller, so that an invalid one fails now and not in a request.
    ///
    /// # Panics
    /// If a method of the policy panics, for example because `Where::references` gets a column that is not a foreign
    /// key.
    pub fn policy<P: ModelPolicy>(mut self) -> Self {
        self.add_policy(PolicyEntry::of::<P>());
        self
    }

    pub(super) fn add_policy(&mut self, entry: PolicyEntry) {
        let PolicyEntry { id, table, policy } = entry;
        policy.smoke_test(&Caller::anonymous());
        self.mistakes.extend(policy.private_mistake(table));
        if !self.policies.add(table, id, policy) {
            self.mistakes.push(format!(
                "{} has two policies: put their rules into one",
                table.model
            ));
        }
    }

    /// Mistakes of computed fields that do not declare their columns although their model has private columns, each
    /// with the remedy.
    pub(super) fn undeclared_computed(&self) -> Vec<String> {
        let has_private = |table| self.policies.of(table).is_some_and(Policy::has_private);
        let undeclared = self.serializers.registered();
        let undeclared =
            undeclared.filter_map(|serializer| serializer.projection().undeclared_computed(&has_private));
        let mistake = |(model, field): (&str, String)| {
            format!(
                "the computed field `{field}` of {model} may show private columns to everybody: say what it is made from by \
                 `.computed_from(\"{field}\", Columns::of({model}::..), ..)`"
            )
        };
        let mut mistakes: Vec<String> = undeclared.map(mistake).collect();
        mistakes.sort_unstable();
        mistakes.dedup();
        mistakes
    }

    /// Default access to the writes of a model's resources, apart from their own decorators.
    pub(super) fn default_access(&self, table: &'static Table) -> DefaultAccess {
        let has_authenticator = self.authenticator.is_some();
        match self.policies.of(table) {
            Some(policy) => DefaultAccess::ByPolicy {
                anyone_creates: has_authenticator && policy.may_create(&Caller::anonymous()),
            },
            None if has_authenticator => DefaultAccess::Denied,
            None => DefaultAccess::Open,
        }
    }
}
