//! List queries: parses the parameters of a URL into conditions, a sort order, a page and a projection.

mod cursor;
mod explain;
mod filter;
mod format;
mod group;
mod keys;
mod list_request;
mod options;
mod page;
mod parameters;
mod parse;
mod selection;
mod simple_rest;
mod sort;
mod syntax;
mod url;

pub(crate) use cursor::CursorKey;
pub(crate) use explain::ExplainRequested;
pub(crate) use format::{ExportRequested, read_format};
pub(crate) use keys::read_keys;
pub(crate) use list_request::ListRequest;
pub(crate) use options::ListOptions;
pub(crate) use page::{DefaultPage, Page, PageStats};
pub(crate) use parameters::{only_value, pairs_of};
pub(crate) use parse::{ListSettings, read_list};
pub(crate) use selection::read_selection;
pub use syntax::QuerySyntax;
