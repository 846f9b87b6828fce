//! Route list of an api.

use http::Method;

use crate::access::ActionAccess;
use crate::routing::{Action, Operation, Rule};

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
}

impl RouteInfo {
    pub(super) fn of(rule: &Rule, method: &Method, action: &Action) -> Self {
        let decorators = action.chain.decorators.iter();
        Self {
            url: rule.as_str().to_owned(),
            method: method.as_str().to_owned(),
            operation: action.operation,
            handler: action.chain.name.clone(),
            decorators: decorators.map(|decorator| decorator.name()).collect(),
            access: action.access,
            bulk: action.bulk.is_some(),
        }
    }
}
