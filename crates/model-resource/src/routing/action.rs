//! Actions: what a URL does for one HTTP method, settled at startup.

use std::sync::Arc;

use crate::access::ActionAccess;
use crate::bulk::Bulk;
use crate::pipeline::{Chain, Result};
use crate::query::{ListOptions, QueryString, read_format};
use crate::render::{Accept, Negotiated, Negotiation};
use crate::routing::operation::Operation;
use crate::routing::url_binding::UrlBinding;

/// Handling of one HTTP method of a URL.
pub(crate) struct Action {
    /// Operation; `None` for a view.
    pub(crate) operation: Option<Operation>,
    pub(crate) chain: Arc<Chain>,
    /// Present if the method takes many objects at once.
    pub(crate) bulk: Option<Arc<Bulk>>,
    pub(crate) binding: Arc<UrlBinding>,
    pub(crate) access: ActionAccess,
    pub(crate) negotiation: Arc<Negotiation>,
    /// Whether the `format` parameter selects the representation, before `Accept`.
    pub(crate) reads_format: bool,
    /// List options, if the list loader runs.
    pub(crate) list: Option<Arc<ListOptions>>,
}

impl Action {
    /// Representation of the response.
    pub(crate) fn representation(&self, query: &QueryString, accept: &Accept) -> Result<Negotiated<'_>> {
        let format = if self.reads_format {
            read_format(query)?
        } else {
            None
        };
        match format {
            Some(format) => self.negotiation.named(format),
            None => self.negotiation.choose(accept),
        }
    }
}
