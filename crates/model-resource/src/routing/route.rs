//! Compiled route of one URL: the handler of each HTTP method.

use std::sync::Arc;

use http::{HeaderValue, Method, Uri};

use crate::bulk::Bulk;
use crate::pipeline::{Chain, Error, ErrorKind, Result, is_guarded};
use crate::query::read_format;
use crate::render::{Accept, Negotiated, Negotiation};
use crate::resource::Endpoints;
use crate::routing::operation::Operation;
use crate::routing::rule::Rule;
use crate::routing::url_binding::UrlBinding;

/// URL with the resource or view served there.
pub(crate) struct Route {
    pub(crate) rule: Rule,
    pub(crate) binding: Arc<UrlBinding>,
    pub(crate) target: RouteTarget,
    negotiation: Negotiation,
    /// Content negotiation of the list, if there is one.
    list_negotiation: Option<Negotiation>,
    /// Methods that are answered, in the order in which `Allow` lists them.
    methods: Vec<Method>,
    /// Methods that are declared for the URL, supported or not.
    taken: Vec<Method>,
    bulk: Option<Bulk>,
    /// `Allow` header: the methods of all routes at this URL.
    allow: HeaderValue,
    /// Other routes at the same URL, with other methods.
    beside: Vec<Arc<Route>>,
}

/// Resource or view at a URL.
pub(crate) enum RouteTarget {
    Resource(Arc<Endpoints>),
    View(Arc<Chain>),
}

impl Route {
    pub(crate) fn new(
        rule: Rule,
        binding: UrlBinding,
        target: RouteTarget,
        negotiation: Negotiation,
        methods: Option<Vec<Method>>,
        bulk: Option<Bulk>,
    ) -> Self {
        let default: &[Method] = match (&target, binding.is_item()) {
            (RouteTarget::Resource(_), false) => &[Method::GET, Method::POST],
            (RouteTarget::Resource(_), true) => &[Method::GET, Method::PUT, Method::PATCH, Method::DELETE],
            (RouteTarget::View(_), _) => &[Method::GET],
        };
        let mut taken = methods.unwrap_or_else(|| {
            let is_of_many =
                |method: &&Method| bulk.as_ref().is_some_and(|bulk| bulk.operation(method).is_some());
            let others = [Method::PUT, Method::PATCH, Method::DELETE];
            let others = others.iter().filter(is_of_many);
            default.iter().chain(others).cloned().collect()
        });
        let get = taken.iter().position(|method| method == Method::GET);
        if let Some(get) = get.filter(|_| !taken.contains(&Method::HEAD)) {
            taken.insert(get + 1, Method::HEAD);
        }
        let list_of = binding.table.filter(|_| !binding.is_item());
        let mut route = Self {
            rule,
            list_negotiation: list_of.map(|table| negotiation.for_lists(table)),
            binding: Arc::new(binding),
            target,
            negotiation,
            methods: Vec::new(),
            taken,
            bulk,
            allow: HeaderValue::from_static("OPTIONS"),
            beside: Vec::new(),
        };
        route.methods = route
            .taken
            .iter()
            .filter(|method| route.chain(method).is_ok())
            .cloned()
            .collect();
        if !route.methods.contains(&Method::OPTIONS) {
            route.methods.push(Method::OPTIONS);
        }
        route.allow = allow(&route.methods);
        route
    }

    /// Joins several routes of one URL with different methods. Fails with the remedy if two of them answer one method.
    pub(crate) fn join(mut routes: Vec<Route>) -> std::result::Result<Route, String> {
        // The resource comes first, because its messages for unsupported methods are more specific.
        routes.sort_by_key(|route| matches!(route.target, RouteTarget::View(_)));
        let mut all = Vec::new();
        for route in &routes {
            for method in &route.methods {
                match all.contains(method) {
                    true if method != Method::OPTIONS => return Err(both_answer(method, &routes)),
                    true => {}
                    false => all.push(method.clone()),
                }
            }
        }
        all.sort_by_key(|method| method == Method::OPTIONS);
        let allow = allow(&all);
        for route in &mut routes {
            route.allow = allow.clone();
        }
        let mut routes = routes.into_iter();
        let mut first = routes
            .next()
            .expect("callers join the routes of one URL, which has at least one");
        first.beside = routes.map(Arc::new).collect();
        Ok(first)
    }

    /// All routes at this URL.
    pub(crate) fn all(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        std::iter::once(self).chain(&self.beside)
    }

    /// Route at this URL that answers a method; this one, to reject it, if none does.
    pub(crate) fn for_method(self: &Arc<Self>, method: &Method) -> &Arc<Self> {
        if self.beside.is_empty() {
            return self;
        }
        let mut all = self.all();
        all.find(|route| route.methods.contains(method)).unwrap_or(self)
    }

    /// Methods that are answered here.
    pub(crate) fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// `Allow` header of the URL.
    pub(crate) fn allow(&self) -> HeaderValue {
        self.allow.clone()
    }

    /// Operation of a method here; views have none.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        match (self.bulk(method), &self.target) {
            (Some((_, operation)), _) => Some(operation),
            (None, RouteTarget::Resource(_)) => Operation::choose(method, self.binding.is_item()),
            (None, RouteTarget::View(_)) => None,
        }
    }

    /// Bulk operation of a method here, if there is one.
    pub(crate) fn bulk(&self, method: &Method) -> Option<(&Bulk, Operation)> {
        let bulk = self.bulk.as_ref()?;
        Some((bulk, bulk.operation(method)?))
    }

    /// Automatic operations of the resource that are not served, because their loading decorators are disabled.
    pub(crate) fn unloaded_operations(&self) -> Option<&[Operation]> {
        match &self.target {
            RouteTarget::Resource(endpoints) if !endpoints.unloaded.is_empty() => Some(&endpoints.unloaded),
            RouteTarget::Resource(_) | RouteTarget::View(_) => None,
        }
    }

    /// Whether existing objects can be written in bulk here.
    pub(crate) fn writes_many_items(&self) -> bool {
        self.bulk.as_ref().is_some_and(|bulk| bulk.item.is_some())
    }

    /// Whether the method is a write that is open to anyone in an api with an authenticator: because the resource is
    /// `PUBLIC`, or because the view has no guard.
    pub(crate) fn is_public(&self, method: &Method) -> bool {
        match &self.target {
            RouteTarget::Resource(endpoints) => {
                let operation = self.operation(method);
                operation.is_some_and(|operation| endpoints.public.contains(&operation))
            }
            RouteTarget::View(chain) => !method.is_safe() && !is_guarded(&chain.decorators),
        }
    }

    /// Representation of an operation's response. Lists support the `format` parameter, which precedes `Accept`.
    pub(crate) fn representation(
        &self,
        operation: Option<Operation>,
        uri: &Uri,
        accept: &Accept,
    ) -> Result<Negotiated<'_>> {
        let of_list = self.list_negotiation.as_ref();
        let Some(of_list) = of_list.filter(|_| operation == Some(Operation::List)) else {
            return self.negotiation.choose(accept);
        };
        let format = match &self.target {
            RouteTarget::Resource(endpoints) if !endpoints.has_own_format => read_format(uri)?,
            RouteTarget::Resource(_) | RouteTarget::View(_) => None,
        };
        match format {
            Some(format) => of_list.named(&format),
            None => of_list.choose(accept),
        }
    }

    /// Chain of a method, or the error that rejects it.
    pub(crate) fn chain(&self, method: &Method) -> Result<&Arc<Chain>> {
        // HEAD is rejected with the message of GET, so that both have the same length.
        let reported = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        let name = || reported.as_str().to_owned();
        match &self.target {
            RouteTarget::View(chain) if self.taken.contains(method) => Ok(chain),
            RouteTarget::Resource(endpoints) => {
                let operation = self.operation(method).filter(|_| self.taken.contains(method));
                let chain = operation.and_then(|operation| endpoints.get(operation));
                chain.ok_or_else(|| Error::new(self.unsupported(method, name())))
            }
            RouteTarget::View(_) => Err(Error::new(ErrorKind::MethodNotAllowed { method: name() })),
        }
    }

    /// Error of a resource that does not answer a method here.
    fn unsupported(&self, method: &Method, name: String) -> ErrorKind {
        let expected = match self.operation(method) {
            // The method has an operation at the collection URL.
            None if method == Method::POST => Some(Operation::Create),
            operation => operation.filter(|_| self.binding.is_item() || self.taken.contains(method)),
        };
        match expected {
            Some(operation) => ErrorKind::Unimplemented {
                method: name,
                expected: operation.name().to_owned(),
            },
            None => ErrorKind::MethodNotAllowed { method: name },
        }
    }
}

/// The remedy for routes of one URL that answer the same method.
fn both_answer(method: &Method, routes: &[Route]) -> String {
    let answering = routes.iter().filter(|route| route.methods.contains(method));
    let names: Vec<&str> = answering
        .filter_map(|route| route.chain(method).ok())
        .map(|chain| chain.name.as_str())
        .collect();
    format!(
        "`{}` is answered by {} for {method}: give each of them `methods = [..]` of its own, or change one of the URLs",
        routes[0].rule.as_str(),
        names.join(" and by ")
    )
}

fn allow(methods: &[Method]) -> HeaderValue {
    let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
    HeaderValue::from_str(&names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static("OPTIONS"))
}
