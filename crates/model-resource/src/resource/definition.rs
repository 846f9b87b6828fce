//! Resources: a model at some URLs, with options of its operations and their decorators.

use std::any::{TypeId, type_name};
use std::borrow::Cow;

use model_resource_schema::model::Model;
use model_resource_schema::query::{Columns, OrderBy};

use crate::handle::{ModelOf, Overrides, WithState};
#[cfg(feature = "pages")]
use crate::pages::PageOptions;
use crate::render::Representations;
use crate::resource::blueprint::Blueprint;
use crate::resource::components::Components;
use crate::resource::method_decorators::MethodDecorators;
use crate::routing::{Operation, Operations};

/// REST resource of one model (a view set in other frameworks). The attribute `#[model_resource]` implements it. Every
/// item below can be overridden in the attributed block, next to operations written as `async fn create(..)`, `list`,
/// `get`, `put`, `patch`, `delete`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "this type has no #[model_resource] attribute",
    note = "put #[model_resource(Model, \"/url\", \"/url/<int:id>\")] on the struct, or on `impl ModelResource for {Self}`"
)]
#[doc(alias = "view set")]
#[doc(alias = "ViewSet")]
pub trait ModelResource: Sized + Send + Sync + 'static {
    /// Model of the resource; set by the attribute.
    type Model: Model;
    /// Operations that are supported automatically. To leave out a few, [`EXCLUDE_METHODS`](Self::EXCLUDE_METHODS) is
    /// shorter.
    ///
    /// ```
    /// use model_resource::{CREATE, DELETE, LIST, Operations};
    ///
    /// const INCLUDE_METHODS: Operations = Operations::of([CREATE, LIST]);
    /// const EXCLUDE_METHODS: Operations = Operations::of([DELETE]);
    /// # assert!(INCLUDE_METHODS.contains(LIST) && !EXCLUDE_METHODS.contains(LIST));
    /// ```
    const INCLUDE_METHODS: Operations = Operations::ALL;
    /// Operations that are removed from the supported ones.
    const EXCLUDE_METHODS: Operations = Operations::NONE;
    /// Operations that get the automatic loading decorators. An operation without them is served only if the resource
    /// defines it or a loader in `method_decorators` loads for it. Otherwise it is answered with 405, and logged at
    /// startup.
    const INCLUDE_DECORATORS: Operations = Operations::ALL;
    /// Operations that do not get the automatic loading decorators.
    const EXCLUDE_DECORATORS: Operations = Operations::NONE;

    /// Columns that `?q=` searches: texts that the list shows.
    const SEARCH: Columns<Self::Model> = Columns::none();
    /// Columns that clients may group by and aggregate, by `?group=branchId&count&sum(fee)`: columns that the list shows. A
    /// resource with a custom `list` cannot declare it.
    const AGGREGATE: Columns<Self::Model> = Columns::none();
    /// Default page size, at most `MAX_ROWS`. With it, a request that asks for no page is answered with a page too.
    #[doc(alias = "pagination")]
    const PAGE_SIZE: Option<u64> = None;
    /// Maximum rows per response, at most 10,000, because a page is held in memory. The `Link` to the next page leads
    /// to the rest. Without it, a request that asks for no page is answered with all rows, and pages have at most 1000.
    const MAX_ROWS: Option<u64> = None;
    /// Maximum price of a list query, instead of that of [`Api::query_budget`](crate::Api::query_budget); 0 for any price.
    const QUERY_BUDGET: Option<u64> = None;
    /// Operations that a request may apply to many objects at once, all of them or none: an array of objects for
    /// `POST`, `PUT` and `PATCH` at the collection's URL, and `DELETE ..?id=1&id=2` there.
    const BULK_METHODS: Operations = Operations::NONE;
    /// Operations that a request may apply to the objects that filters select, as those of a list: `PATCH
    /// ..?published=false` with one object as its body, and `DELETE ..?published=false`. A request must have the
    /// preference `max-affected`; if the filters select more objects, nothing is written.
    const FILTER_METHODS: Operations = Operations::NONE;
    /// Maximum objects of a bulk request.
    const MAX_BULK: usize = 1_000;
    /// Query parameters that a custom `list` reads, and that are not filters.
    const QUERY_PARAMETERS: &'static [&'static str] = &[];

    /// Columns of numbers that a patch can increment: `{"views": {"$increment": 1}}`. Concurrent increments all count.
    const INCREMENT: Columns<Self::Model> = Columns::none();

    /// Whether soft-deleted objects can be restored, by `POST` to their URL with `/restore` at its end. Needs a model with
    /// `#[column(soft_delete)]` and a policy: callers who see the deleted object
    /// ([`ModelPolicy::shows_deleted`](crate::ModelPolicy::shows_deleted)) and may update it can restore it. The decorators
    /// of `patch` apply.
    const RESTORE: bool = false;

    /// Whether put creates an object that does not exist (201), with the key in its URL. The key must be one that clients
    /// assign. Runs the automatic create, with its decorators and policies.
    #[doc(alias = "upsert")]
    const PUT_CREATES: bool = false;

    /// Columns of a unique constraint by which a create finds an existing object to change instead (200), if the client
    /// sends `Prefer: resolution=merge-duplicates`. Runs the automatic patch, with its decorators and policies.
    #[doc(alias = "upsert")]
    const MERGE_DUPLICATES: Columns<Self::Model> = Columns::none();

    /// Whether put, patch and delete need the version of the object in `If-Match`: without it they are answered with 428,
    /// so that no client overwrites changes that it has not seen.
    const REQUIRE_IF_MATCH: bool = false;

    /// Whether writes need a key in the header `Idempotency-Key`, by which a repeated request is recognized: without it
    /// they are answered with 400, so that no client writes twice when it repeats a request.
    const REQUIRE_IDEMPOTENCY_KEY: bool = false;

    /// Whether anyone may write, although the api has an authenticator and no policy or guard allows it. Loaders and
    /// limits still apply.
    const PUBLIC: bool = false;

    /// Order of the list if the request has no `sort`, by columns that the list shows; that of the primary key by default. The
    /// primary key decides between equals. A column that is hidden from the caller is left out.
    ///
    /// ```
    /// use model_resource::{Model, ModelResource, OrderBy, Timestamp, model_resource};
    ///
    /// #[derive(Model)]
    /// struct Article {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     #[column(created)]
    ///     created_at: Timestamp,
    /// }
    ///
    /// struct ArticleResource;
    ///
    /// #[model_resource(Article, "/articles")]
    /// impl ModelResource for ArticleResource {
    ///     fn order() -> Vec<OrderBy<Article>> {
    ///         vec![Article::CREATED_AT.desc()]
    ///     }
    /// }
    /// ```
    #[doc(alias = "ordering")]
    fn order() -> Vec<OrderBy<Self::Model>> {
        Vec::new()
    }

    /// Additional decorators, outside the automatic ones.
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none()
    }

    /// Representations of this resource. They precede the api's, so that `Accept: */*`, or none, gets the first of
    /// them. To keep JSON as the default, add a representation by [`Api::representation`](crate::Api::representation).
    fn representations() -> Representations {
        Representations::none()
    }

    /// Options of the resource's HTML pages.
    #[cfg(feature = "pages")]
    fn page() -> PageOptions<Self::Model> {
        PageOptions::new()
    }

    /// URLs of the resource; set by the attribute.
    #[doc(hidden)]
    fn registration() -> Registration;

    /// Adds the serializers and the policy that the attribute names; set by the attribute.
    #[doc(hidden)]
    fn components(components: &mut Components<Self::Model>) {
        let _ = components;
    }

    /// Operations defined in the attributed block; set by the attribute.
    #[doc(hidden)]
    fn operations(operations: &mut Overrides) {
        let _ = operations;
    }
}

impl<R: ModelResource> ModelOf<R> for R::Model {}

/// Whether the automatic loading decorators of an operation are enabled.
pub const fn loads<R: ModelResource>(operation: Operation) -> bool {
    R::INCLUDE_DECORATORS.contains(operation) && !R::EXCLUDE_DECORATORS.contains(operation)
}

/// Name and URLs of a resource or a view.
#[derive(Debug, Clone)]
pub struct Registration {
    pub(crate) endpoint: &'static str,
    pub(crate) urls: Vec<Cow<'static, str>>,
    pub(crate) blueprint: Option<Blueprint>,
    pub(crate) methods: Option<&'static [&'static str]>,
    /// State that its arguments need.
    pub(crate) state: Option<NeededState>,
    /// Chains of foreign keys that are declared for URL parameters.
    pub(crate) scope: &'static [(&'static str, &'static str)],
    /// URL parameters that are declared to limit no rows.
    pub(crate) unscoped: &'static [&'static str],
    /// Documentation for clients, in Markdown; empty if there is none.
    pub(crate) description: &'static str,
}

/// State type that an api must have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NeededState {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
}

impl Registration {
    /// Creates a registration with an endpoint's name and its URLs.
    pub fn new(endpoint: &'static str, urls: &'static [&'static str]) -> Self {
        Self::at(endpoint, urls.iter().copied().map(Cow::Borrowed).collect())
    }

    pub(crate) fn at(endpoint: &'static str, urls: Vec<Cow<'static, str>>) -> Self {
        Self {
            endpoint,
            urls,
            blueprint: None,
            methods: None,
            state: None,
            scope: &[],
            unscoped: &[],
            description: "",
        }
    }

    /// Puts a blueprint's prefix before the URLs.
    pub fn blueprint(mut self, blueprint: Blueprint) -> Self {
        self.blueprint = Some(blueprint);
        self
    }

    /// Declares the chains of foreign keys by which URL parameters limit the rows: `("user_id",
    /// "article_id.author_id")`.
    pub fn scope(mut self, scope: &'static [(&'static str, &'static str)]) -> Self {
        self.scope = scope;
        self
    }

    /// Declares URL parameters that limit no rows.
    pub fn unscoped(mut self, parameters: &'static [&'static str]) -> Self {
        self.unscoped = parameters;
        self
    }

    /// Sets the documentation for clients, in Markdown.
    pub fn description(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Sets the HTTP methods that the URLs accept.
    pub fn methods(mut self, methods: &'static [&'static str]) -> Self {
        self.methods = Some(methods);
        self
    }

    /// Requires the state of a resource or view from the api.
    pub fn state_of<R: WithState>(mut self) -> Self {
        self.state = Some(NeededState {
            id: TypeId::of::<R::State>(),
            name: type_name::<R::State>(),
        });
        self
    }
}

/// Name of a type without its path and its type parameters.
pub(crate) fn short_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}
