//! Names and limits of query parameters, for documents that describe them.

use crate::list::MAX_OFFSET;
use crate::query::aggregate::MAX_GROUP_VALUES;
use crate::query::filter::{MAX_PATTERN, MAX_VALUES, PARAMETERS};
use crate::query::page::DEFAULT_SIZE;
use crate::query::selection::{MAX_FIELDS, MAX_RELATIONS};
use crate::query::sort::MAX_KEYS;

/// Limits of the query parameters of lists.
#[cfg_attr(
    not(feature = "openapi"),
    expect(dead_code, reason = "pages need the number of sort keys alone")
)]
pub(crate) struct QueryLimits {
    /// Sort keys.
    pub(crate) sort_keys: usize,
    /// Names in `fields`.
    pub(crate) fields: usize,
    /// Keys of groups.
    pub(crate) group_values: usize,
    /// Relations in `expand`.
    pub(crate) relations: usize,
    /// Values in the list of one filter.
    pub(crate) values: usize,
    /// Characters of a search text.
    pub(crate) search_text: usize,
    /// Page size if neither the client nor the resource sets one.
    pub(crate) default_page: u64,
    /// Largest number in `limit`, `offset` and `pageSize`.
    pub(crate) max_number: u64,
}

/// Limits of the query parameters of lists.
pub(crate) const QUERY_LIMITS: QueryLimits = QueryLimits {
    sort_keys: MAX_KEYS,
    fields: MAX_FIELDS,
    group_values: MAX_GROUP_VALUES,
    relations: MAX_RELATIONS,
    values: MAX_VALUES,
    search_text: MAX_PATTERN,
    default_page: DEFAULT_SIZE,
    max_number: MAX_OFFSET,
};

/// Parameters that select a page of a list, by its number, its offset or a cursor.
#[cfg(feature = "pages")]
pub(crate) const PAGINATION_PARAMETERS: [&str; 5] = ["page", "pageSize", "limit", "offset", "cursor"];

/// Whether a name is a parameter of every list, so that a field of this name is filtered with an explicit operator.
pub(crate) fn is_list_parameter(name: &str) -> bool {
    PARAMETERS.contains(&name)
}
