//! URLs with parameters: parsing, matching and building.

mod axum_path;
mod converter;
mod item_columns;
mod key_column;
mod rule;
mod tree;
mod urls;

pub use rule::Params;

pub(crate) use axum_path::AxumPath;
pub(crate) use converter::Converter;
pub(crate) use item_columns::ItemColumns;
pub(crate) use key_column::{KeyColumn, key_column, key_columns, model_column, not_unique};
pub(crate) use rule::Rule;
pub(crate) use tree::UrlTree;
pub(crate) use urls::Urls;
