//! Documents that describe an api.

use crate::routing::rule::Rule;

/// Document that describes an api, at a URL of its own.
#[derive(Debug, Clone)]
pub(crate) struct ServiceDocument {
    /// Name in the index of resources.
    pub(crate) name: &'static str,
    /// Relation of the link to it (RFC 8631).
    pub(crate) relation: &'static str,
    pub(crate) rule: Rule,
}
