//! What is known of a URL before a request comes to it.

use model_resource_schema::column::Table;

use crate::url::{AxumPath, Rule};

/// The URL that a request matched, and what is known of it beforehand.
pub(crate) struct Place {
    /// The model that is served there; none for a view.
    pub(crate) table: Option<&'static Table>,
    /// The URL parameters that fix a column, and that column: `/sections/<int:section_id>/..`.
    pub(crate) scope: Vec<(usize, usize)>,
    /// The URL parameter that names the object, if one does.
    pub(crate) key: Option<usize>,
    /// The URL of one object of the same model.
    pub(crate) item: Option<Rule>,
    /// The URL itself, for extractors of axum.
    pub(crate) path: AxumPath,
}
