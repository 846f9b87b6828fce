//! HTML pages: a list, an object or an error as a page for people, made from the JSON response of the same URL.

mod assets;
mod caller_fetch;
mod content;
mod default_query;
mod error_page;
mod escape;
mod form;
mod format;
mod frame;
mod json_page;
mod labels;
mod list;
mod naming;
mod object;
mod options;
mod overview;
mod page_json;
mod parameters;
mod reference;
mod render;
mod required_headers;
mod row_permission;
mod serve;
mod settings;
mod site;
mod snippets;
mod templates;
mod urls;
mod view;

pub use options::{PageOptions, RowAction};
pub use settings::Pages;

pub(crate) use assets::asset_view;
pub(crate) use options::ResourcePage;
pub(crate) use serve::{PageServer, prefers_page};
pub(crate) use settings::CompiledPages;
pub(crate) use urls::same_shape;
