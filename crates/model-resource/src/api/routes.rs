//! Routes of one registration: the actions of each of its URLs.

use std::sync::Arc;

use http::Method;

use crate::access::{ActionAccess, is_guarded};
use crate::api::builder::Api;
use crate::api::bulk_urls::bulk_at;
use crate::api::compiled_routes::RegisteredRoutes;
use crate::api::declared::check_declarations;
use crate::api::registered::Registered;
use crate::api::resolved_url::ResolvedUrl;
use crate::api::route_checks::{check_parameters, check_resource_routes};
use crate::bulk::Bulk;
use crate::description::HandlerSchemas;
use crate::pipeline::Chain;
use crate::render::{Negotiation, Representations};
use crate::resource::{ComposeEnv, Registration, ResourceOperations, ResourceSpec, compose, compose_restore};
use crate::routing::{Action, ActionDocs, ActionSource, AxumPath, Operation, Route, Rule, UrlBinding};

impl Api {
    /// Routes of a view.
    pub(super) fn view_routes(
        &self,
        registered: &Registered,
        (chain, schemas): (&Arc<Chain>, Option<&Arc<HandlerSchemas>>),
        own: &[Rule],
    ) -> Result<RegisteredRoutes, Vec<String>> {
        let methods = declared_methods(registered)?.unwrap_or_else(|| vec![Method::GET]);
        let negotiation = Arc::new(self.negotiation(&Representations::none()));
        let mut routes = Vec::new();
        for rule in own {
            let binding = Arc::new(UrlBinding::of_view(rule));
            let action = |method: &Method| {
                let action = Action {
                    source: ActionSource::Application,
                    operation: None,
                    chain: Arc::clone(chain),
                    bulk: None,
                    binding: Arc::clone(&binding),
                    access: self.view_access(method, chain),
                    negotiation: Arc::clone(&negotiation),
                    reads_format: false,
                    list: None,
                    docs: ActionDocs {
                        endpoint: registered.registration.endpoint,
                        resource: "",
                        handler: registered.registration.description,
                    },
                    schemas: schemas.cloned(),
                };
                (method.clone(), Arc::new(action))
            };
            let actions = methods.iter().map(action).collect();
            let route = Route::new(rule.clone(), Arc::clone(&binding), actions, None);
            check_parameters(&route, None).map_err(|mistake| vec![mistake])?;
            routes.push(route);
        }
        Ok(RegisteredRoutes {
            routes,
            unloaded: Vec::new(),
        })
    }

    /// Access rule of a view's method. Views are open unless they have a guard.
    fn view_access(&self, method: &Method, chain: &Chain) -> ActionAccess {
        if is_guarded(&chain.decorators) {
            ActionAccess::Guard
        } else if self.authenticator.is_some() && !method.is_safe() {
            ActionAccess::PublicWrite
        } else {
            ActionAccess::Open
        }
    }

    /// Routes of a resource. Fails with all mistakes of its operations, or else with the first one of its URLs.
    pub(super) fn resource_routes(
        &self,
        registered: &Registered,
        spec: &ResourceSpec,
        own: &[Rule],
        all: &[Vec<Rule>],
    ) -> Result<RegisteredRoutes, Vec<String>> {
        let methods = declared_methods(registered)?;
        let operations = self.compose(spec)?;
        let negotiation = self.negotiation(&spec.representations);
        let routes = self.bound_routes(
            registered,
            own,
            all,
            &ResourceRoutes {
                spec,
                registration: &registered.registration,
                operations: &operations,
                methods: methods.as_deref(),
                list_negotiation: Arc::new(negotiation.for_lists(spec.table)),
                negotiation: Arc::new(negotiation),
            },
        );
        Ok(RegisteredRoutes {
            routes: routes.map_err(|mistake| vec![mistake])?,
            unloaded: operations.unloaded,
        })
    }

    /// Composes the operations of a resource with the serializers, decorators and policy of the api.
    fn compose(&self, spec: &ResourceSpec) -> Result<ResourceOperations, Vec<String>> {
        let serializers = self
            .serializers
            .completed(spec.table)
            .map_err(|mistake| vec![mistake])?;
        let Some(single) = &serializers.single else {
            return Err(vec![format!(
                "no serializer is registered for {}: implement ModelSerializer with #[serializer] and add \
                 `.serializer::<..>()`",
                spec.table.model
            )]);
        };
        let env = ComposeEnv {
            single,
            serializers: &serializers,
            outer: &self.decorators,
            access: self.default_access(spec.table),
            anonymous_throttle: self.anonymous_throttle(),
        };
        let restore = compose_restore(spec, &env).map_err(|mistake| vec![mistake])?;
        let mut operations = compose(spec, &env)?;
        operations.restore = restore;
        Ok(operations)
    }

    /// Binds the URLs of a resource to rows, and its operations to the URLs.
    fn bound_routes(
        &self,
        registered: &Registered,
        own: &[Rule],
        all: &[Vec<Rule>],
        resource: &ResourceRoutes<'_>,
    ) -> Result<Vec<Route>, String> {
        let table = resource.spec.table;
        check_declarations(registered, own)?;
        let declared = self.declared(registered)?;
        let resolve = |rule| ResolvedUrl::of(rule, table, &declared);
        let own: Vec<ResolvedUrl<'_>> = own.iter().map(resolve).collect::<Result<_, _>>()?;
        let candidates = self.urls_of(table, registered, all);
        let accounts = self
            .authenticator
            .as_ref()
            .and_then(|authenticator| authenticator.accounts_any());
        let (mut routes, mut writes_items) = (Vec::new(), false);
        for resolved in &own {
            let bulk = bulk_at(resolved, table, resource.operations.bulk.as_ref(), &own)?;
            writes_items |= bulk.as_ref().is_some_and(|bulk| bulk.item.is_some());
            let binding = Arc::new(resolved.binding(table, &candidates));
            let route = resource.route(resolved.rule, binding, bulk.as_ref());
            check_parameters(&route, accounts)?;
            routes.push(route);
        }
        let restored = own.iter().filter_map(|resolved| {
            let binding = resolved.binding(table, &candidates);
            resource.restore_route(resolved.rule, binding)
        });
        let restored: Vec<Route> = restored.collect::<Result<_, _>>()?;
        if resource.operations.restore.is_some() && restored.is_empty() {
            return Err(
                "RESTORE needs the URL of one object: add one such as \"/planets/<int:id>\"".to_owned(),
            );
        }
        for route in &restored {
            check_parameters(route, accounts)?;
        }
        let bulk = resource.operations.bulk.as_deref();
        check_resource_routes(resource.spec, bulk, resource.methods, writes_items, &routes)?;
        routes.extend(restored);
        Ok(routes)
    }
}

/// Parts of a resource that all its routes share.
struct ResourceRoutes<'a> {
    spec: &'a ResourceSpec,
    registration: &'a Registration,
    operations: &'a ResourceOperations,
    /// Methods that the registration declares.
    methods: Option<&'a [Method]>,
    negotiation: Arc<Negotiation>,
    list_negotiation: Arc<Negotiation>,
}

impl ResourceRoutes<'_> {
    /// Route of one URL.
    fn route(&self, rule: &Rule, binding: Arc<UrlBinding>, bulk: Option<&Arc<Bulk>>) -> Route {
        let declared = match self.methods {
            Some(methods) => methods.to_vec(),
            None => default_methods(&binding, bulk),
        };
        let action = |method: &Method| Some((method.clone(), Arc::new(self.action(method, &binding, bulk)?)));
        let actions = declared.iter().filter_map(action).collect();
        Route::new(rule.clone(), Arc::clone(&binding), actions, Some(declared))
    }

    /// Route that restores the deleted objects of an item URL, if the resource does that.
    fn restore_route(&self, item: &Rule, binding: UrlBinding) -> Option<Result<Route, String>> {
        let composed = self.operations.restore.as_ref()?;
        if !binding.is_item() {
            return None;
        }
        let rule = match Rule::parse(&format!("{}/restore", item.as_str().trim_end_matches('/'))) {
            Ok(rule) => rule,
            Err(mistake) => return Some(Err(mistake)),
        };
        let binding = Arc::new(UrlBinding {
            restores: true,
            path: Arc::new(AxumPath::of(&rule)),
            ..binding
        });
        let action = Action {
            source: ActionSource::Application,
            operation: None,
            chain: Arc::clone(&composed.chain),
            bulk: None,
            binding: Arc::clone(&binding),
            access: composed.access,
            negotiation: Arc::clone(&self.negotiation),
            reads_format: false,
            list: None,
            docs: ActionDocs {
                endpoint: self.registration.endpoint,
                resource: self.registration.description,
                handler: "",
            },
            schemas: None,
        };
        let actions = vec![(Method::POST, Arc::new(action))];
        Some(Ok(Route::new(rule, binding, actions, None)))
    }

    /// Action of a method, if the resource supports its operation.
    fn action(&self, method: &Method, binding: &Arc<UrlBinding>, bulk: Option<&Arc<Bulk>>) -> Option<Action> {
        let of_many = bulk.and_then(|bulk| Some((bulk, bulk.operation(method)?)));
        let operation = match of_many {
            Some((_, operation)) => operation,
            None => Operation::choose(method, binding.is_item())?,
        };
        let composed = self.operations.get(operation)?;
        let is_list = operation == Operation::List;
        let negotiation = if is_list {
            &self.list_negotiation
        } else {
            &self.negotiation
        };
        Some(Action {
            source: ActionSource::Application,
            operation: Some(operation),
            chain: Arc::clone(&composed.chain),
            bulk: of_many.map(|(bulk, _)| Arc::clone(bulk)),
            binding: Arc::clone(binding),
            access: composed.access,
            negotiation: Arc::clone(negotiation),
            reads_format: is_list && !composed.has_own_format,
            list: composed.list.clone(),
            docs: ActionDocs {
                endpoint: self.registration.endpoint,
                resource: self.registration.description,
                handler: self.spec.overrides.description(operation),
            },
            schemas: self.spec.overrides.schemas_of(operation).cloned(),
        })
    }
}

/// Methods of a resource's URL if the registration declares none.
fn default_methods(binding: &UrlBinding, bulk: Option<&Arc<Bulk>>) -> Vec<Method> {
    if binding.is_item() {
        return vec![Method::GET, Method::PUT, Method::PATCH, Method::DELETE];
    }
    let is_of_many = |method: &Method| bulk.is_some_and(|bulk| bulk.operation(method).is_some());
    let of_many = [Method::PUT, Method::PATCH, Method::DELETE];
    let mut methods = vec![Method::GET, Method::POST];
    methods.extend(of_many.into_iter().filter(is_of_many));
    methods
}

/// Methods that a registration declares.
fn declared_methods(registered: &Registered) -> Result<Option<Vec<Method>>, Vec<String>> {
    let parse = |name: &&str| {
        let method = Method::from_bytes(name.as_bytes());
        method.map_err(|_| vec![format!("`{name}` is not an HTTP method")])
    };
    let names = registered.registration.methods;
    names.map(|names| names.iter().map(parse).collect()).transpose()
}
