//! Line of a route list.

use crate::access::ActionAccess;
use crate::routing::Operation;

/// Line of a route list: URL, method, operation, handler, decorators and access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteInfo {
    /// URL rule.
    pub url: String,
    /// HTTP method.
    pub method: String,
    /// Operation; `None` for a view.
    pub operation: Option<Operation>,
    /// Name of the handler.
    pub handler: String,
    /// Names of the decorators, the outermost first.
    pub decorators: Vec<&'static str>,
    /// Access rule, apart from what the handler decides.
    pub access: ActionAccess,
    /// Whether the method takes many objects at once.
    pub bulk: bool,
    /// Whether the method writes the objects that filters select.
    pub filtered: bool,
}
