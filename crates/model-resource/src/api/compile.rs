//! Compiles registrations to routes: everything that can be resolved before the first request.

use std::sync::Arc;

use http::{HeaderValue, Method};
use model_resource_schema::column::Table;

use crate::api::builder::{Api, Registered, RegisteredKind};
use crate::api::declared::refuse_idle_declarations;
use crate::api::resolved_url::ResolvedUrl;
use crate::api::route_checks::{
    refuse_bulk_without_items, refuse_idle_methods, refuse_other_accounts, refuse_unknown_parameters,
    refuse_unreachable_operations,
};
use crate::api::route_table::RouteTable;
use crate::bulk::{Bulk, BulkItemUrl};
use crate::http::{ApiService, CorsPolicy, Timeout, UnknownUrls};
use crate::pipeline::{ApiState, Engine};
use crate::render::Representations;
use crate::resource::Endpoints;
use crate::routing::{Operation, Route, RouteTarget, Rule, UrlBinding, UrlTree, Urls};

/// Routes of an api, and the mistakes in them.
pub(super) struct CompiledRoutes {
    pub(super) routes: Vec<Arc<Route>>,
    pub(super) table: UrlTree<Arc<Route>>,
    pub(super) urls: Urls,
    pub(super) mistakes: Vec<String>,
    /// Resources with automatic operations that are not served, because their loading decorators are disabled.
    unloaded: Vec<(&'static str, Vec<Operation>)>,
}

impl Api {
    /// Compiles the service. Fails with all mistakes.
    pub(super) fn mount(mut self) -> Result<ApiService, Vec<String>> {
        let mut built = self.build();
        if self.store.is_none()
            && self
                .registered
                .iter()
                .any(|r| matches!(r.kind, RegisteredKind::Resource { .. }))
        {
            built
                .mistakes
                .push("the api has resources but no store: add `.store(Store::open(..).await?)`".to_owned());
        }
        let scheme = if self.serve_challenge_on_401 {
            "Basic"
        } else {
            "Bearer"
        };
        let realm = self.name.replace(['"', '\\'], "'");
        let challenge = HeaderValue::from_str(&format!("{scheme} realm=\"{realm}\"")).unwrap_or_else(|_| {
            built
                .mistakes
                .push(format!("the api's name {:?} cannot stand in a header", self.name));
            HeaderValue::from_static(scheme)
        });
        if !built.mistakes.is_empty() {
            return Err(built.mistakes);
        }
        built.log_unloaded_operations();
        let below = self.prefixes();
        let unknown = match (self.catch_all_404s, self.join_url("").is_empty()) {
            (true, _) => UnknownUrls::Own,
            (false, true) => UnknownUrls::IfUnanswered,
            (false, false) => UnknownUrls::OfApplication,
        };
        let mount = self.stripped_prefix().to_owned();
        let item_columns = built.item_columns();
        let engine = Engine {
            routes: built.table,
            services: Arc::new(ApiState {
                store: self.store,
                serializers: std::mem::take(&mut self.serializers),
                states: std::mem::take(&mut self.states),
                urls: built.urls,
                item_columns,
                body_limit: self.body_limit,
                cursor_key: self.cursor_key,
                dialect: self.dialect,
                policies: Arc::new(self.policies),
                proxies: self.proxies,
                mount,
                security: self.security.clone().map(|security| security as _),
            }),
            errors: self.errors,
            challenge,
            time_limit: Timeout::new(self.time_limit),
            security: self.security,
        };
        let sharing = self.cors.map(CorsPolicy::new);
        Ok(ApiService::new(engine, below, unknown, self.app, sharing))
    }

    /// Compiles the routes, collecting every mistake.
    pub(super) fn build(&self) -> CompiledRoutes {
        let mut built = CompiledRoutes {
            routes: Vec::new(),
            table: UrlTree::default(),
            urls: Urls::default(),
            mistakes: self.mistakes.clone(),
            unloaded: Vec::new(),
        };
        built.mistakes.extend(self.unregistered_default_mediatype());
        built.mistakes.extend(self.undeclared_computed());
        let mut order: Vec<char> = self.url_part_order.chars().collect();
        order.sort_unstable();
        if order != ['a', 'b', 'e'] {
            built.mistakes.push(format!(
                "url_part_order {:?} must hold each of the letters b, a and e once, such as \"bae\"",
                self.url_part_order
            ));
            return built;
        }
        for prefix in [&self.prefix, &self.mounted_at] {
            if !prefix.is_empty() && !prefix.starts_with('/') {
                built.mistakes.push(format!(
                    "the prefix `{prefix}` must start with `/`: write `/{prefix}`"
                ));
                return built;
            }
        }
        if self.mounted_at.contains(['<', '>']) {
            built.mistakes.push(format!(
                "mounted_at `{}` is what a proxy strips and has no parameters: put them into the `prefix`",
                self.mounted_at
            ));
            return built;
        }
        let mut table = RouteTable::default();
        self.check_unscoped(&mut built.mistakes);
        let rules: Vec<Vec<Rule>> = self
            .registered
            .iter()
            .map(|r| self.rules(r, &mut built.mistakes))
            .collect();
        for (registered, own) in self.registered.iter().zip(&rules) {
            if !built.urls.insert(registered.registration.endpoint, own.clone()) {
                built.mistakes.push(format!(
                    "two registrations have the endpoint name `{}`: give one of them `endpoint = \"..\"`",
                    registered.registration.endpoint
                ));
            }
            if let Some(mistake) = self.missing_state(registered) {
                built.mistakes.push(mistake);
            }
            if self.has_errors(registered) {
                continue;
            }
            match self.routes_of(registered, own, &rules) {
                Ok(routes) => {
                    if let Some(operations) = routes.first().and_then(Route::unloaded_operations) {
                        built.unloaded.push((registered.name, operations.to_vec()));
                    }
                    let refused = routes.into_iter().filter_map(|route| table.add(route).err());
                    built.mistakes.extend(refused);
                }
                Err(mistake) => built.mistakes.push(format!("{}: {mistake}", registered.name)),
            }
        }
        (built.routes, built.table) = table.into_tree(self.stripped_prefix(), &mut built.mistakes);
        built
    }

    /// Mount prefix, if it comes first and so can be stripped by a proxy.
    fn stripped_prefix(&self) -> &str {
        match self.url_part_order.starts_with('b') {
            true => self.mounted_at.trim_end_matches('/'),
            false => "",
        }
    }

    /// The remedy for a state that arguments need and the api does not have.
    fn missing_state(&self, registered: &Registered) -> Option<String> {
        let state = registered.registration.state?;
        (!self.states.has(state.id)).then(|| {
            format!(
                "{}: it takes the state `{}`, which the api does not have: add `.with_state(..)`, or, if it is a part of \
                 another state by `FromRef`, name that one as `state = ..` in the attribute",
                registered.name, state.name
            )
        })
    }

    /// Whether a resource cannot be served because of a mistake that is reported already.
    fn has_errors(&self, registered: &Registered) -> bool {
        self.broken.iter().any(|table| registered.serves(table))
    }

    /// Full URLs of a registration.
    fn rules(&self, registered: &Registered, mistakes: &mut Vec<String>) -> Vec<Rule> {
        let registration = &registered.registration;
        if registration.urls.is_empty() {
            mistakes.push(format!(
                "{}: at least one URL is needed, such as \"/users\"",
                registered.name
            ));
        }
        let mut rules = Vec::new();
        for url in registration.urls {
            if !url.starts_with('/') {
                mistakes.push(format!(
                    "{}: URL `{url}` must start with `/`: write `/{url}`",
                    registered.name
                ));
                continue;
            }
            let prefix = registration
                .blueprint
                .map_or("", |blueprint| blueprint.url_prefix);
            let url = format!("{}{url}", prefix.trim_end_matches('/'));
            let joined = match self.join_url(url.trim_end_matches('/')) {
                root if root.is_empty() => "/".to_owned(),
                joined => joined,
            };
            // Only the registered URL decides whether it is an item or a collection URL, not the parts around it.
            let registered_url = Rule::parse(&url);
            match Rule::parse(&joined) {
                Ok(rule) => rules.push(match registered_url {
                    Ok(part) => rule.with_key_of(&part),
                    Err(_) => rule,
                }),
                Err(mistake) => mistakes.push(format!("{}: {mistake}", registered.name)),
            }
        }
        rules
    }

    /// Paths below the prefix, with and without the part that a proxy may have stripped; empty without a prefix.
    fn prefixes(&self) -> UrlTree<()> {
        let mut below = UrlTree::default();
        let whole = self.join_url("");
        let stripped = &whole[self.stripped_prefix().len()..];
        for prefix in [whole.as_str(), stripped]
            .iter()
            .filter(|prefix| !prefix.is_empty())
        {
            for url in [(*prefix).to_owned(), format!("{prefix}/<path:_below>")] {
                // An invalid prefix is reported with the URLs.
                if let Ok(rule) = Rule::parse(&url) {
                    let _ = below.insert(&rule, ());
                }
            }
        }
        below
    }

    /// Joins a registered URL with the other parts of `url_part_order`.
    pub(super) fn join_url(&self, url: &str) -> String {
        let part = |letter: char| match letter {
            'b' => self.mounted_at.trim_end_matches('/'),
            'a' => self.prefix.trim_end_matches('/'),
            _ => url,
        };
        let joined: String = self.url_part_order.chars().map(part).collect();
        joined
    }

    fn routes_of(
        &self,
        registered: &Registered,
        own: &[Rule],
        all: &[Vec<Rule>],
    ) -> Result<Vec<Route>, String> {
        let methods = registered.registration.methods.map(parse_methods).transpose()?;
        match &registered.kind {
            RegisteredKind::View(chain) => {
                let negotiation = self.negotiation(&Representations::none());
                let route = |rule: &Rule| {
                    let target = RouteTarget::View(Arc::clone(chain));
                    let binding = UrlBinding::of_view(rule);
                    let (rule, negotiation) = (rule.clone(), negotiation.clone());
                    let route = Route::new(rule, binding, target, negotiation, methods.clone(), None);
                    refuse_unknown_parameters(&route)?;
                    Ok(route)
                };
                own.iter().map(route).collect()
            }
            RegisteredKind::Resource {
                table,
                endpoints,
                representations,
            } => {
                let serializers = self.serializers.completed(table)?;
                let endpoints = Arc::new(endpoints(&serializers, &self.decorators, self.access(table))?);
                let negotiation = self.negotiation(&representations());
                refuse_idle_declarations(registered, own)?;
                let declared = self.declared(registered)?;
                let resolve = |rule| ResolvedUrl::of(rule, table, &declared);
                let own: Vec<ResolvedUrl<'_>> = own.iter().map(resolve).collect::<Result<_, _>>()?;
                let candidates = self.urls_of(table, registered, all);
                let accounts = self
                    .security
                    .as_ref()
                    .and_then(|security| security.accounts_any());
                let mut routes = Vec::new();
                for resolved in &own {
                    let binding = resolved.binding(table, &candidates);
                    let bulk = bulk_at(resolved, table, &endpoints, &own)?;
                    let target = RouteTarget::Resource(Arc::clone(&endpoints));
                    let (rule, negotiation) = (resolved.rule.clone(), negotiation.clone());
                    let route = Route::new(rule, binding, target, negotiation, methods.clone(), bulk);
                    refuse_unknown_parameters(&route)?;
                    refuse_other_accounts(&route, accounts)?;
                    routes.push(route);
                }
                refuse_bulk_without_items(&endpoints, &routes)?;
                refuse_idle_methods(&routes, methods.as_deref())?;
                refuse_unreachable_operations(&endpoints, &routes)?;
                Ok(routes)
            }
        }
    }
}

impl CompiledRoutes {
    /// Logs the operations that clients get a 405 for, although the resource does not exclude them.
    fn log_unloaded_operations(&self) {
        for (resource, operations) in &self.unloaded {
            let operations: Vec<&str> = operations.iter().map(|operation| operation.name()).collect();
            let operations = operations.join(", ");
            let message = "automatic operations are not served, because their loading decorators are disabled: define them in \
                           the resource, or list them in EXCLUDE_METHODS";
            tracing::warn!(resource, operations, message);
            // Without a subscriber the warning would be lost.
            if !tracing::dispatcher::has_been_set() {
                eprintln!("{resource} ({operations}): {message}");
            }
        }
    }
}

/// Bulk writes at a collection URL, if the resource has them. Existing objects are written at their item URL below the
/// same parents, by the primary key if there is such a URL. Without an item URL, only new objects are written.
fn bulk_at(
    url: &ResolvedUrl<'_>,
    table: &'static Table,
    endpoints: &Endpoints,
    own: &[ResolvedUrl<'_>],
) -> Result<Option<Bulk>, String> {
    let (Some(options), None) = (&endpoints.bulk, url.key) else {
        return Ok(None);
    };
    let items = own.iter().filter(|other| url.is_collection_of(other));
    let items = items.filter_map(|other| Some((other, other.key?.column)));
    let mut items: Vec<(&ResolvedUrl<'_>, usize)> = items.collect();
    items.sort_by_key(|(_, column)| *column != table.primary_key);
    let usable = items.iter().find(|(_, column)| options.identifies_by(*column));
    if let (None, Some((_, column))) = (usable, items.first()) {
        return Err(format!(
            "BULK_METHODS names an update, and the serializer has no `{}` to tell the objects by",
            table.columns[*column].wire_name()
        ));
    }
    let item = usable.map(|(item, column)| BulkItemUrl {
        rule: item.rule.clone(),
        binding: Arc::new(item.binding(table, &[])),
        column: *column,
    });
    Ok(Some(Bulk {
        options: Arc::clone(options),
        item,
    }))
}

fn parse_methods(names: &[&str]) -> Result<Vec<Method>, String> {
    let parse = |name: &&str| {
        Method::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is not an HTTP method"))
    };
    names.iter().map(parse).collect()
}
