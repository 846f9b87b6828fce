//! A resource: a model at some URLs, with what is said of its operations and the decorators around them.

use std::any::{TypeId, type_name};

use model_resource_schema::model::Model;
use model_resource_schema::serializer::Fields;

use crate::blueprint::Blueprint;
use crate::decorator::MethodDecorators;
use crate::handler::{ModelOf, Overrides, WithState};
use crate::operation::{Operation, Operations};
use crate::representation::Representations;

/// A resource bound to one model. The attribute `#[model_resource]` implements it; every item below can be overridden
/// in the attributed block, next to operations written as `async fn create(..)`, `list`, `get`, `put`, `patch`, `delete`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "this type has no #[model_resource] attribute",
    note = "put #[model_resource(Model, \"/url\", \"/url/<int:id>\")] on the struct, or on `impl ModelResource for {Self}`"
)]
pub trait ModelResource: Sized + Send + Sync + 'static {
    /// The model; set by the attribute.
    type Model: Model;
    /// The operations supported automatically.
    const INCLUDE_METHODS: Operations = Operations::ALL;
    /// The operations removed from the supported ones.
    const EXCLUDE_METHODS: Operations = Operations::NONE;
    /// The operations that get the automatic loading decorators. One that does not, that the resource does not define
    /// itself and that no loader in `method_decorators` loads for, is not served: 405, and the log names it at start.
    const INCLUDE_DECORATORS: Operations = Operations::ALL;
    /// The operations that do not get the automatic loading decorators.
    const EXCLUDE_DECORATORS: Operations = Operations::NONE;

    /// The fields that `?q=` looks into; they must be among those that the list shows.
    const SEARCH: Fields = Fields::NONE;
    /// The size of a page whose size the client does not say, at most `MAX_ROWS`. With it, a list that no page is asked of is
    /// a page too.
    const PAGE_SIZE: Option<u64> = None;
    /// No list has more rows than this at once; what is left out can be had by the `Link` to the next page. At most 10,000:
    /// a page is held as a whole. Without it, lists that no page is asked of have all rows, and pages at most 1000.
    const MAX_ROWS: Option<u64> = None;
    /// The operations that a request may ask for many objects at once, all of them or none: an array of objects for
    /// `POST`, `PUT` and `PATCH` at the collection's URL, and `DELETE ..?id=1&id=2` there.
    const BULK_METHODS: Operations = Operations::NONE;
    /// A request about more objects than this is refused.
    const MAX_BULK: usize = 1_000;
    /// Parameters of the URL's query that the resource's own `list` reads, and that are no filters.
    const QUERY_PARAMETERS: &'static [&'static str] = &[];

    /// Whether anyone may write, although the api has a security and no policy or decorator says who; limits and loaders do not.
    const PUBLIC: bool = false;

    /// Extra decorators, outside the automatic ones.
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
    }

    /// Representations of this resource. They come before the api's, so that `Accept: */*`, or none, gets the first of them.
    fn representations() -> Representations {
        Representations::none()
    }

    /// Where the resource is served; set by the attribute.
    #[doc(hidden)]
    fn registration() -> Registration;

    /// The operations defined in the attributed block; set by the attribute.
    #[doc(hidden)]
    fn operations(operations: &mut Overrides) {
        let _ = operations;
    }
}

impl<R: ModelResource> ModelOf<R> for R::Model {}

/// Whether the automatic loading decorators of an operation are on.
pub const fn loads<R: ModelResource>(operation: Operation) -> bool {
    R::INCLUDE_DECORATORS.contains(operation) && !R::EXCLUDE_DECORATORS.contains(operation)
}

/// Where a resource or a view is served.
#[derive(Debug, Clone)]
pub struct Registration {
    pub(crate) endpoint: &'static str,
    pub(crate) urls: &'static [&'static str],
    pub(crate) blueprint: Option<Blueprint>,
    pub(crate) methods: Option<&'static [&'static str]>,
    /// The state that its arguments need.
    pub(crate) state: Option<NeededState>,
    /// The chains of foreign keys that are declared for URL parameters.
    pub(crate) scope: &'static [(&'static str, &'static str)],
    /// The URL parameters that are declared to limit no rows.
    pub(crate) unscoped: &'static [&'static str],
}

/// A type of state that an api must have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeededState {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
}

impl Registration {
    /// An endpoint's name and its URLs.
    pub const fn new(endpoint: &'static str, urls: &'static [&'static str]) -> Self {
        Self {
            endpoint,
            urls,
            blueprint: None,
            methods: None,
            state: None,
            scope: &[],
            unscoped: &[],
        }
    }

    /// Puts a blueprint's prefix before the URLs.
    pub const fn blueprint(mut self, blueprint: Blueprint) -> Self {
        self.blueprint = Some(blueprint);
        self
    }

    /// Declares the chains of foreign keys by which URL parameters limit the rows: `("user_id", "article_id.author_id")`.
    pub const fn scope(mut self, scope: &'static [(&'static str, &'static str)]) -> Self {
        self.scope = scope;
        self
    }

    /// Declares URL parameters that limit no rows.
    pub const fn unscoped(mut self, parameters: &'static [&'static str]) -> Self {
        self.unscoped = parameters;
        self
    }

    /// Sets the HTTP methods that the URLs take.
    pub const fn methods(mut self, methods: &'static [&'static str]) -> Self {
        self.methods = Some(methods);
        self
    }

    /// Demands the state of a resource or view from the api.
    pub fn state_of<R: WithState>(mut self) -> Self {
        self.state = Some(NeededState {
            id: TypeId::of::<R::State>(),
            name: type_name::<R::State>(),
        });
        self
    }
}

/// A type's name without its path.
pub(crate) fn short_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
