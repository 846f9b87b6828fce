//! Authenticator and policies of an api.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::access::{Authenticate, Caller, DefaultAccess, KnownCallers, ModelPolicy, Policy};
use crate::api::builder::Api;
use crate::list::SearchLimiter;
use crate::resource::PolicyEntry;
use crate::throttle::{AnonymousThrottle, Rate};

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

    /// Whether the api has an authenticator.
    #[doc(hidden)]
    pub fn has_authenticator(&self) -> bool {
        self.authenticator.is_some()
    }

    /// Sets a function that is asked for the caller of a request before the authenticator, if the api has one. For the
    /// test kit, which sends requests as any caller.
    #[doc(hidden)]
    pub fn known_callers(mut self, known: impl KnownCallers) -> Self {
        self.known_callers = Some(Arc::new(known));
        self
    }

    /// Sets how often one client address may write as an anonymous caller, over all resources; 60 times a minute by
    /// default. `None` removes the limit. Requests beyond it are answered with 429 and `Retry-After`.
    ///
    /// It applies to the operations that anonymous callers can reach, such as those of a resource with `PUBLIC`. An
    /// operation with a [`throttle`](crate::throttle) has that limit instead, and one with
    /// [`unthrottled`](crate::unthrottled) has none. Each object of a bulk request counts. In an api without an
    /// authenticator every caller is anonymous, and nothing is limited. Views have only their own decorators.
    ///
    /// ```
    /// use model_resource::{Api, Rate};
    ///
    /// let api = Api::new("api").anonymous_write_rate(Rate::per_minute(10));
    /// let imports = Api::new("imports").anonymous_write_rate(None);
    /// ```
    pub fn anonymous_write_rate(mut self, rate: impl Into<Option<Rate>>) -> Self {
        self.anonymous_rate = rate.into();
        self
    }

    /// Sets how many searches one caller may run at the same time; 4 by default. `None` removes the limit.
    ///
    /// A search is a list with a filter or another order than that of the keys, with a count or with lists of related
    /// rows. Anonymous callers are distinguished by their client addresses. Further searches wait up to two seconds in
    /// order, and are then answered with 429 and `Retry-After`. In an api without an authenticator nothing is limited.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").searches_per_caller(8);
    /// ```
    pub fn searches_per_caller(mut self, max: impl Into<Option<usize>>) -> Self {
        self.searches_per_caller = max.into();
        if self.searches_per_caller == Some(0) {
            let mistake = "searches_per_caller(0) would reject every search: write at least 1, or `None` for any number";
            self.mistakes.push(mistake.to_owned());
        }
        self
    }

    /// Limiter of searches, if the api has one.
    pub(super) fn search_limiter(&self) -> Option<Arc<SearchLimiter>> {
        self.authenticator.as_ref()?;
        Some(Arc::new(SearchLimiter::new(self.searches_per_caller?)))
    }

    /// Limiter of anonymous writes, if the api has one.
    pub(super) fn anonymous_throttle(&self) -> Option<&AnonymousThrottle> {
        self.authenticator.as_ref()?;
        let rate = self.anonymous_rate?;
        Some(
            self.anonymous_throttle
                .get_or_init(|| AnonymousThrottle::new(rate)),
        )
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
        self.mistakes.extend(policy.frozen_mistake(table));
        self.mistakes.extend(policy.deleted_mistake(table));
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
                anyone_creates: has_authenticator && policy.may_create(&Caller::anonymous(), table),
            },
            None if has_authenticator => DefaultAccess::Denied,
            None => DefaultAccess::Open,
        }
    }
}
