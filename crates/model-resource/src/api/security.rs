//! Who may do what at an api.

use std::fmt::Display;
use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::model::Model;

use crate::api::builder::Api;
use crate::api::route_info::RouteInfo;
use crate::authenticate::Authenticate;
use crate::caller::Caller;
use crate::client_address::{ForwardedHeader, IpNetwork};
use crate::cors::Cors;
use crate::endpoints::DefaultAccess;
use crate::policy::{ModelPolicy, Policy};

impl Api {
    /// Lets the api know who sends a request. From then on writes of resources that nothing says anything about are
    /// refused: those without a policy, a guard or `PUBLIC`. Views are open unless they have a guard.
    pub fn authenticator(mut self, security: impl Authenticate) -> Self {
        if self.security.replace(Arc::new(security)).is_some() {
            let told = "the api has two securities: call `.authenticator(..)` once";
            self.mistakes.push(told.to_owned());
        }
        self
    }

    /// Names the proxies that are believed when they say whom they speak for, by addresses and networks; see
    /// [`Context::client_address`](crate::Context::client_address). Whoever can connect from one of them can say anything.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let api = Api::new("api").trusted_proxies(["10.0.0.0/8", "fd00::7"]);
    /// ```
    pub fn trusted_proxies(
        mut self,
        proxies: impl IntoIterator<Item: TryInto<IpNetwork, Error: Display>>,
    ) -> Self {
        for proxy in proxies {
            match proxy.try_into() {
                Ok(network) => self.proxies.trusted.push(network),
                Err(mistake) => self.mistakes.push(format!("trusted_proxies: {mistake}")),
            }
        }
        self
    }

    /// Sets the header that the trusted proxies write; `X-Forwarded-For` unless set.
    pub fn forwarded_header(mut self, header: ForwardedHeader) -> Self {
        self.proxies.header = header;
        self
    }

    /// Lets pages of other origins use the api; without it browsers keep them from reading its answers.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.mistakes.extend(cors.mistakes().map(str::to_owned));
        self.cors = Some(cors);
        self
    }

    /// Sets the rules of a model, wherever its rows are met. Those for rows are asked once, for anybody, so that one that
    /// cannot be is found now and not by a request.
    ///
    /// # Panics
    /// When a rule does, such as by a `Where::references` of what is no foreign key.
    pub fn policy<P: ModelPolicy>(mut self) -> Self {
        let table = P::Model::table();
        let policy = Policy::of::<P>();
        policy.smoke_test(&Caller::anonymous());
        self.mistakes.extend(policy.private_mistake(table));
        if !self.policies.add(table, policy) {
            self.mistakes.push(format!(
                "{} has two policies: put their rules into one",
                table.model
            ));
        }
        self
    }

    /// Computed fields of models with private columns that do not say what they are made from, each with the remedy.
    pub(super) fn undeclared_computed(&self) -> Vec<String> {
        let has_private = |table| self.policies.of(table).is_some_and(Policy::has_private);
        let undeclared = self.serializers.registered();
        let undeclared = undeclared.filter_map(|plan| plan.projection().undeclared_computed(&has_private));
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

    /// What guards the writes of a model's resources, beside their own decorators.
    pub(super) fn access(&self, table: &'static Table) -> DefaultAccess {
        match (&self.security, self.policies.of(table)) {
            (None, _) => DefaultAccess::Open,
            (Some(_), Some(policy)) => DefaultAccess::ByPolicy {
                anyone_creates: policy.may_create(&Caller::anonymous()),
            },
            (Some(_), None) => DefaultAccess::Denied,
        }
    }

    /// The writes that anyone may ask for, for an application that has a security to tell of when it starts: those of resources
    /// that say `PUBLIC`, rows that a policy lets anyone make, and views without a guard. Whom a guard lets pass, such as
    /// strangers who register, only the guard knows.
    ///
    /// # Panics
    /// When something is registered wrongly, as [`Api::init_app`] does.
    #[track_caller]
    pub fn public_writes(&self) -> Vec<RouteInfo> {
        let lines = self.routes().into_iter();
        lines.filter(|line| line.unguarded_write).collect()
    }
}
