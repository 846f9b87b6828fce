//! URLs with parameters: how they are written, matched and built.

mod axum_path;
mod converter;
mod rule;
mod tree;
mod urls;

pub use rule::Params;

pub(crate) use axum_path::AxumPath;
pub(crate) use converter::Converter;
pub(crate) use rule::{Rule, Segment};
pub(crate) use tree::UrlTree;
pub(crate) use urls::Urls;
