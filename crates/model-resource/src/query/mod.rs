//! List queries: parses the parameters of a URL into conditions, a sort order, a page and a projection.

mod explain;
mod filter;
mod format;
mod group;
mod keys;
mod options;
mod parameters;
mod parse;
mod selection;
mod simple_rest;
mod sort;
mod syntax;

pub use syntax::QuerySyntax;

pub(crate) use explain::ExplainRequested;
pub(crate) use format::{ExportRequested, read_format};
pub(crate) use keys::read_keys;
pub(crate) use options::ListOptions;
pub(crate) use parameters::{PAGE, Parameters, invalid_parameter, only_value, pairs_of, whole_number};
pub(crate) use parse::{ListSettings, read_list};
pub(crate) use selection::read_selection;
