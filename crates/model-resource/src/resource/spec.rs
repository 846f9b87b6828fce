//! Declarations of a resource, without its type.

use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_schema::query::{AnyColumns, OrderBy, SortKey};

use crate::handle::Overrides;
#[cfg(feature = "pages")]
use crate::pages::ResourcePage;
use crate::render::Representations;
use crate::resource::definition::{ModelResource, short_name};
use crate::resource::method_decorators::MethodDecorators;
use crate::routing::Operations;

/// Everything that a resource declares. Only [`ResourceSpec::of`] is compiled once per resource.
pub(crate) struct ResourceSpec {
    pub(crate) name: &'static str,
    pub(crate) table: &'static Table,
    /// Operations that are supported automatically.
    pub(crate) automatic: Operations,
    /// Operations that get the automatic loading decorators.
    pub(crate) loaded: Operations,
    /// Operations that a request may apply to many objects.
    pub(crate) bulk: Operations,
    /// Operations that a request may apply to the objects that filters select.
    pub(crate) filtered: Operations,
    /// Maximum objects of a bulk request.
    pub(crate) max_bulk: usize,
    pub(crate) list: ListSpec,
    /// Columns that a patch can increment.
    pub(crate) increments: AnyColumns,
    /// Whether deleted objects can be restored.
    pub(crate) restores: bool,
    /// Whether put creates objects that do not exist.
    pub(crate) put_creates: bool,
    /// Unique columns by which a new object is merged with one that exists.
    pub(crate) merged: AnyColumns,
    /// Whether changes need `If-Match`.
    pub(crate) requires_if_match: bool,
    /// Whether writes need `Idempotency-Key`.
    pub(crate) requires_key: bool,
    /// Whether anyone may write.
    pub(crate) is_public: bool,
    pub(crate) decorators: MethodDecorators,
    /// Custom handlers.
    pub(crate) overrides: Overrides,
    pub(crate) representations: Representations,
    /// Options of its pages.
    #[cfg(feature = "pages")]
    pub(crate) page: ResourcePage,
}

/// List options of a resource.
pub(crate) struct ListSpec {
    pub(crate) search: AnyColumns,
    pub(crate) aggregate: AnyColumns,
    pub(crate) order: Vec<SortKey>,
    pub(crate) page_size: Option<u64>,
    pub(crate) max_rows: Option<u64>,
    pub(crate) query_budget: Option<u64>,
    pub(crate) query_parameters: &'static [&'static str],
}

impl ResourceSpec {
    pub(crate) fn of<R: ModelResource>() -> Self {
        let mut overrides = Overrides::default();
        R::operations(&mut overrides);
        Self {
            name: short_name::<R>(),
            table: R::Model::table(),
            automatic: R::INCLUDE_METHODS.without(R::EXCLUDE_METHODS),
            loaded: R::INCLUDE_DECORATORS.without(R::EXCLUDE_DECORATORS),
            bulk: R::BULK_METHODS,
            filtered: R::FILTER_METHODS,
            max_bulk: R::MAX_BULK,
            list: ListSpec {
                search: R::SEARCH.into_any(),
                aggregate: R::AGGREGATE.into_any(),
                order: R::order().into_iter().map(OrderBy::into_any).collect(),
                page_size: R::PAGE_SIZE,
                max_rows: R::MAX_ROWS,
                query_budget: R::QUERY_BUDGET,
                query_parameters: R::QUERY_PARAMETERS,
            },
            increments: R::INCREMENT.into_any(),
            restores: R::RESTORE,
            put_creates: R::PUT_CREATES,
            merged: R::MERGE_DUPLICATES.into_any(),
            requires_if_match: R::REQUIRE_IF_MATCH,
            requires_key: R::REQUIRE_IDEMPOTENCY_KEY,
            is_public: R::PUBLIC,
            decorators: R::method_decorators(),
            overrides,
            representations: R::representations(),
            #[cfg(feature = "pages")]
            page: R::page().into_page(),
        }
    }
}
