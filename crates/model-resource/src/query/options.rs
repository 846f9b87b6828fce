//! Pagination and search options of a resource's lists.

use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyColumns, SortKey};
use model_resource_schema::serializer::Projection;

/// Maximum rows per page if the resource sets no limit. A page is held in memory before it is sent.
const DEFAULT_MAX_PAGE: u64 = 1_000;
/// Upper bound of the limits that a resource may set.
const MAX_PAGE: u64 = 10_000;

/// Pagination and search options of a resource's lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListOptions {
    /// Default page size. Without one, a request that asks for no page is answered with all rows.
    pub(crate) page_size: Option<u64>,
    /// Maximum rows per response, and so of a page.
    pub(crate) max_rows: Option<u64>,
    /// Maximum price of a query, instead of the api's.
    pub(crate) query_budget: Option<u64>,
    /// Columns that `q` searches.
    pub(crate) search: AnyColumns,
    /// Columns that may be grouped and aggregated.
    pub(crate) aggregate: AnyColumns,
    /// Order without `sort`.
    pub(crate) order: Vec<SortKey>,
    /// Parameters that are not the list's.
    pub(crate) own_parameters: Vec<&'static str>,
    /// Whether the resource finds its rows itself, so that filters, a sort order or a page would have no effect.
    pub(crate) custom_query: bool,
}

impl ListOptions {
    /// Maximum rows per page.
    pub(crate) fn max_page(&self) -> u64 {
        self.max_rows.unwrap_or(DEFAULT_MAX_PAGE)
    }

    /// Names of the searched fields.
    pub(crate) fn search_names(&self, table: &'static Table) -> Vec<String> {
        let columns = self.search.of_table(table);
        columns.map(|(_, column)| column.wire_name()).collect()
    }

    /// Order without `sort` for a caller who sees these fields. Others are left out, because the order would tell their values.
    pub(crate) fn visible_order(&self, projection: &Projection) -> impl Iterator<Item = &SortKey> {
        let keys = self.order.iter();
        keys.filter(|key| projection.shows(key.path.position()))
    }

    /// Whether the parameters of a query ask for groups instead of rows.
    pub(crate) fn asks_for_groups(&self, parameters: &[(String, String)]) -> bool {
        let is_asked = |(name, value): &(String, String)| match name.as_str() {
            "count" => value.is_empty(),
            "group" => true,
            name => is_function(name) || name.starts_with("having["),
        };
        let is_own = |name: &str| self.own_parameters.contains(&name);
        let mut parameters = parameters.iter();
        !self.aggregate.is_empty() && parameters.any(|pair| is_asked(pair) && !is_own(&pair.0))
    }

    /// Rejects options that contradict each other or exceed the limits.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, rows) in [("PAGE_SIZE", self.page_size), ("MAX_ROWS", self.max_rows)] {
            if rows == Some(0) {
                return Err(format!("{name} must be at least 1"));
            }
        }
        let largest = self.max_page();
        if largest > MAX_PAGE {
            return Err(format!(
                "MAX_ROWS must be at most {MAX_PAGE}, since a page is held as a whole"
            ));
        }
        match self.page_size {
            Some(size) if size > largest => Err(format!(
                "PAGE_SIZE is {size}, and no page has more than {largest} rows: set MAX_ROWS to as many"
            )),
            _ => Ok(()),
        }
    }
}

/// Whether a parameter has the form of a function: `sum(fee)`.
pub(super) fn is_function(name: &str) -> bool {
    name.ends_with(')') && name.contains('(')
}

/// Request extension that marks an export: CSV or NDJSON, a file for other programs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExportRequested;

/// Request extension that asks for the query plan instead of the rows. Only the program itself sets it; no client can.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplainRequested;
