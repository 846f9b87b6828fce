//! Routing: URL patterns, their tree, the rows that URLs are bound to, and the route of each URL.

mod action_docs;
mod action_source;
mod axum_path;
#[cfg(any(feature = "openapi", feature = "pages"))]
mod built_in_url;
mod converter;
mod item_columns;
mod key_column;
mod operation;
mod route;
mod rule;
mod tree;
mod url_binding;
mod urls;

pub use operation::{ALL_METHODS, CREATE, DELETE, GET, HEAD, LIST, Operation, Operations, PATCH, PUT};
pub use rule::Params;

pub(crate) use action_docs::ActionDocs;
pub(crate) use action_source::ActionSource;
pub(crate) use axum_path::AxumPath;
#[cfg(any(feature = "openapi", feature = "pages"))]
pub(crate) use built_in_url::BuiltInUrl;
pub(crate) use converter::Converter;
pub(crate) use item_columns::ItemColumns;
pub(crate) use key_column::{KeyColumn, key_column, key_columns, model_column, not_unique};
pub(crate) use route::{Action, Route};
pub(crate) use rule::Rule;
pub(crate) use tree::UrlTree;
pub(crate) use url_binding::{ItemUrl, KeyParameter, Parent, UrlBinding};
pub(crate) use urls::Urls;
