//! Routes: the action of each HTTP method of a URL, settled at startup.

use std::sync::{Arc, OnceLock};

use http::{HeaderValue, Method};

use crate::access::ActionAccess;
use crate::bulk::Bulk;
use crate::description::HandlerSchemas;
use crate::observe::ObservedRoute;
use crate::pipeline::{Chain, Context, Error, ErrorKind, Result};
use crate::query::{ListOptions, only_value};
use crate::render::{Accept, Negotiated, Negotiation};
use crate::routing::action_docs::ActionDocs;
use crate::routing::action_source::ActionSource;
use crate::routing::operation::Operation;
use crate::routing::rule::Rule;
use crate::routing::url_binding::UrlBinding;

/// Handling of one HTTP method of a URL.
pub(crate) struct Action {
    pub(crate) source: ActionSource,
    /// Operation; `None` for a view.
    pub(crate) operation: Option<Operation>,
    pub(crate) chain: Arc<Chain>,
    /// Present if the method takes many objects at once.
    pub(crate) bulk: Option<Arc<Bulk>>,
    pub(crate) binding: Arc<UrlBinding>,
    pub(crate) access: ActionAccess,
    pub(crate) negotiation: Arc<Negotiation>,
    /// Whether the `format` parameter selects the representation, before `Accept`.
    pub(crate) reads_format: bool,
    /// List options, if the list loader runs.
    pub(crate) list: Option<Arc<ListOptions>>,
    pub(crate) docs: ActionDocs,
    /// Schemas of a view or a custom operation, if there are any.
    pub(crate) schemas: Option<Arc<HandlerSchemas>>,
}

impl Action {
    /// Whether this is a file of the framework, which is the same for every caller.
    pub(crate) fn is_asset(&self) -> bool {
        self.source == ActionSource::Asset
    }

    /// Representation of the response. For lists the `format` parameter precedes `Accept`.
    pub(crate) fn representation(&self, cx: &Context, accept: &Accept) -> Result<Negotiated<'_>> {
        let format = if self.reads_format {
            only_value(cx.query_string(), "format")?
        } else {
            None
        };
        match format {
            Some(format) => self.negotiation.named(format),
            None => self.negotiation.choose(accept),
        }
    }
}

/// URL with the action of each method that is answered there.
pub(crate) struct Route {
    pub(crate) rule: Rule,
    pub(crate) binding: Arc<UrlBinding>,
    /// Actions in the order in which `Allow` lists their methods.
    actions: Vec<(Method, Arc<Action>)>,
    /// Methods that a resource declares here, supported or not; `None` if only views are served.
    declared: Option<Vec<Method>>,
    allow: HeaderValue,
    /// Metrics of each action, and those of all other methods together.
    observed: OnceLock<Box<[Arc<ObservedRoute>]>>,
}

impl Route {
    /// Creates the route of a resource or a view, whose `declared` methods are those of a resource.
    pub(crate) fn new(
        rule: Rule,
        binding: Arc<UrlBinding>,
        actions: Vec<(Method, Arc<Action>)>,
        declared: Option<Vec<Method>>,
    ) -> Self {
        let actions = with_head(actions);
        Self {
            rule,
            binding,
            allow: allow(&actions),
            actions,
            declared,
            observed: OnceLock::new(),
        }
    }

    /// Joins several routes of one URL with different methods. Fails with the remedy if two of them answer one method.
    pub(crate) fn join(mut routes: Vec<Route>) -> Result<Route, String> {
        // The resource comes first, because its messages for unsupported methods are more specific.
        routes.sort_by_key(|route| !route.is_resource());
        let mut routes = routes.into_iter();
        let mut joined = routes
            .next()
            .expect("callers join the routes of one URL, which has at least one");
        for route in routes {
            for (method, action) in route.actions {
                match joined.action(&method) {
                    Some(earlier) => return Err(both_answer(&method, &joined.rule, [earlier, &action])),
                    None => joined.actions.push((method, action)),
                }
            }
        }
        joined.allow = allow(&joined.actions);
        Ok(joined)
    }

    /// Whether a resource is served here.
    pub(crate) fn is_resource(&self) -> bool {
        self.declared.is_some()
    }

    /// Action of a method, if it is answered.
    pub(crate) fn action(&self, method: &Method) -> Option<&Arc<Action>> {
        let (_, action) = self.actions.iter().find(|(known, _)| known == method)?;
        Some(action)
    }

    /// Methods that are answered here, with their actions.
    pub(crate) fn actions(&self) -> impl Iterator<Item = (&Method, &Arc<Action>)> {
        self.actions.iter().map(|(method, action)| (method, action))
    }

    /// Metrics of a method, created for all of them at the first request.
    pub(crate) fn observed(&self, method: &Method) -> &Arc<ObservedRoute> {
        let observed = self.observed.get_or_init(|| {
            let url = self.rule.as_str();
            let actions = self.actions.iter().map(|(method, action)| {
                let operation = action.operation.map_or("view", Operation::name);
                ObservedRoute::new(url, method_name(method), operation)
            });
            let others = ObservedRoute::new(url, "other", "other");
            actions.chain([others]).map(Arc::new).collect()
        });
        let position = self.actions.iter().position(|(known, _)| known == method);
        &observed[position.unwrap_or(self.actions.len())]
    }

    /// Whether one object can be patched here.
    pub(crate) fn takes_patches(&self) -> bool {
        let patch = self.action(&Method::PATCH);
        patch.is_some_and(|action| action.operation == Some(Operation::Patch) && action.bulk.is_none())
    }

    /// `Allow` header of the URL.
    pub(crate) fn allow(&self) -> HeaderValue {
        self.allow.clone()
    }

    /// Error for a method that is not answered here.
    pub(crate) fn unsupported(&self, method: &Method) -> Error {
        // HEAD is rejected with the message of GET, so that both have the same length.
        let reported = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let name = reported.as_str().to_owned();
        Error::new(match self.expected_operation(method) {
            Some(operation) => ErrorKind::Unimplemented {
                method: name,
                expected: operation.name().to_owned(),
            },
            None => ErrorKind::MethodNotAllowed { method: name },
        })
    }

    /// Operation that a resource would need to answer this method.
    fn expected_operation(&self, method: &Method) -> Option<Operation> {
        let declared = self.declared.as_ref()?;
        let is_item = self.binding.is_item();
        match Operation::choose(method, is_item) {
            // The method has an operation at the collection URL.
            None if method == Method::POST => Some(Operation::Create),
            operation if is_item || declared.contains(method) => operation,
            _ => None,
        }
    }
}

/// Name of a standard method.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Answers HEAD like GET, unless it has an action of its own.
fn with_head(mut actions: Vec<(Method, Arc<Action>)>) -> Vec<(Method, Arc<Action>)> {
    let get = actions.iter().position(|(method, _)| method == Method::GET);
    let has_head = actions.iter().any(|(method, _)| method == Method::HEAD);
    if let (Some(get), false) = (get, has_head) {
        let action = Arc::clone(&actions[get].1);
        actions.insert(get + 1, (Method::HEAD, action));
    }
    actions
}

/// Builds the remedy for two actions of one method.
fn both_answer(method: &Method, rule: &Rule, actions: [&Arc<Action>; 2]) -> String {
    let [one, other] = actions.map(|action| action.chain.name.as_str());
    format!(
        "`{}` is answered by {one} and by {other} for {method}: give each of them `methods = [..]` of its own, or change one \
         of the URLs",
        rule.as_str(),
    )
}

fn allow(actions: &[(Method, Arc<Action>)]) -> HeaderValue {
    let mut names: Vec<&str> = actions.iter().map(|(method, _)| method.as_str()).collect();
    if !names.contains(&"OPTIONS") {
        names.push("OPTIONS");
    }
    HeaderValue::from_str(&names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static("OPTIONS"))
}
