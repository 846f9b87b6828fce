//! List queries: parses the parameters of a URL into conditions, a sort order, a page and a projection.

mod aggregate;
mod budget;
mod filter;
mod group;
mod group_names;
mod keys;
#[cfg(any(feature = "openapi", feature = "pages"))]
mod limits;
mod options;
mod page;
mod parameters;
mod parse;
mod price;
mod selection;
mod settings;
mod simple_rest;
mod sort;
mod syntax;

pub use syntax::QuerySyntax;

pub(crate) use aggregate::read_aggregate;
pub(crate) use budget::QueryBudget;
pub(crate) use filter::{group_operators_of, operators_of};
pub(crate) use group_names::{group_name, group_parameter, group_type, values_of};
pub(crate) use keys::read_keys;
#[cfg(feature = "pages")]
pub(crate) use limits::PAGINATION_PARAMETERS;
#[cfg(any(feature = "openapi", feature = "pages"))]
pub(crate) use limits::{QUERY_LIMITS, is_list_parameter};
pub(crate) use options::{ExplainRequested, ExportRequested, ListOptions};
pub(crate) use parameters::{
    DELETED, QueryString, invalid_parameter, is_about_groups, is_about_page, only_value,
};
pub(crate) use parse::read_list;
pub(crate) use price::PriceLimit;
pub(crate) use selection::read_selection;
pub(crate) use settings::ListSettings;
#[cfg(feature = "openapi")]
pub(crate) use sort::COUNT_SUFFIX;
