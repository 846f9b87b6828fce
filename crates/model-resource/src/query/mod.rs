//! List queries: parses the parameters of a URL into conditions, a sort order, a page and a projection.

mod explain;
mod filter;
mod format;
mod group;
mod keys;
mod options;
mod page;
mod parameters;
mod parse;
mod query_string;
mod selection;
mod simple_rest;
mod sort;
mod syntax;

pub use syntax::QuerySyntax;

pub(crate) use explain::ExplainRequested;
pub(crate) use filter::operators_of;
pub(crate) use format::{ExportRequested, read_format};
pub(crate) use keys::read_keys;
pub(crate) use options::ListOptions;
pub(crate) use parameters::{invalid_parameter, only_value};
pub(crate) use parse::{ListSettings, read_list};
pub(crate) use query_string::QueryString;
pub(crate) use selection::read_selection;
