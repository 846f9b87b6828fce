//! Index of an api's resources at its prefix.

mod content;
mod view;

pub(crate) use view::index_view;
