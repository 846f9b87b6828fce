//! Compiles registrations to routes: everything that can be resolved before the first request.

use crate::api::builder::Api;
use crate::api::compiled::CompiledApi;
use crate::api::compiled_routes::CompiledRoutes;
use crate::api::registered::{Registered, RegisteredKind};
use crate::api::route_table::RouteTable;
use crate::api::startup_errors::StartupErrors;
use crate::routing::{Rule, Urls};

impl Api {
    /// Compiles the api: resolves URLs, composes decorators and checks every registration.
    ///
    /// ```
    /// use model_resource::Api;
    ///
    /// let errors = Api::new("library").prefix("api").try_compile().unwrap_err();
    /// assert_eq!(errors.mistakes(), ["the prefix `api` must start with `/`: write `/api`"]);
    /// ```
    ///
    /// # Errors
    /// If something is registered wrongly; the error lists every mistake with its remedy.
    pub fn try_compile(self) -> Result<CompiledApi, StartupErrors> {
        let mut mistakes = self.mistakes.clone();
        mistakes.extend(self.unregistered_default_mediatype());
        mistakes.extend(self.undeclared_computed());
        mistakes.extend(self.invalid_realm());
        mistakes.extend(self.missing_authenticators());
        mistakes.extend(self.denied_creates());
        let compiled = match self.prefix_mistake() {
            Some(mistake) => {
                mistakes.push(mistake);
                return Err(StartupErrors::new(mistakes));
            }
            None => self.compile_routes(&mut mistakes),
        };
        #[cfg(feature = "pages")]
        mistakes.extend(self.page_mistakes(&compiled));
        if mistakes.is_empty() {
            Ok(CompiledApi { api: self, compiled })
        } else {
            Err(StartupErrors::new(mistakes))
        }
    }

    /// Compiles the api like [`Api::try_compile`].
    ///
    /// # Panics
    /// If something is registered wrongly; the message lists every mistake with its remedy.
    #[track_caller]
    pub fn compile(self) -> CompiledApi {
        match self.try_compile() {
            Ok(compiled) => compiled,
            Err(errors) => panic!("{errors}"),
        }
    }

    /// Compiles the routes of all registrations, collecting every mistake.
    fn compile_routes(&self, mistakes: &mut Vec<String>) -> CompiledRoutes {
        self.check_unscoped(mistakes);
        let rules: Vec<Vec<Rule>> = self
            .registered
            .iter()
            .map(|registered| self.rules(registered, mistakes))
            .collect();
        let mut urls = Urls::default();
        let mut table = RouteTable::default();
        let mut unloaded = Vec::new();
        for (registered, own) in self.registered.iter().zip(&rules) {
            if !urls.insert(registered.registration.endpoint, own.clone()) {
                mistakes.push(format!(
                    "two registrations have the endpoint name `{}`: give one of them `endpoint = \"..\"`",
                    registered.registration.endpoint
                ));
            }
            mistakes.extend(self.missing_state(registered));
            if self.has_errors(registered) {
                continue;
            }
            let compiled = match &registered.kind {
                RegisteredKind::View(chain, schemas) => {
                    self.view_routes(registered, (chain, schemas.as_ref()), own)
                }
                RegisteredKind::Resource(spec) => self.resource_routes(registered, spec, own, &rules),
            };
            match compiled {
                Ok(compiled) => {
                    if !compiled.unloaded.is_empty() {
                        unloaded.push((registered.name, compiled.unloaded));
                    }
                    let rejected = compiled
                        .routes
                        .into_iter()
                        .filter_map(|route| table.add(route).err());
                    mistakes.extend(rejected);
                }
                Err(found) => {
                    let found = found.into_iter();
                    mistakes.extend(found.map(|mistake| format!("{}: {mistake}", registered.name)));
                }
            }
        }
        self.add_built_in_routes(&mut table, mistakes);
        let (routes, tree) = table.into_tree(self.stripped_prefix(), mistakes);
        CompiledRoutes {
            routes,
            tree,
            urls,
            unloaded,
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
}
