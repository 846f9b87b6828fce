//! URLs of the views of the framework itself.

use crate::routing::rule::Rule;

/// URL of a view of the framework itself.
#[derive(Debug, Clone)]
pub(crate) struct BuiltInUrl {
    /// URL below the prefix, as the view declares it.
    #[cfg_attr(
        not(feature = "docs"),
        expect(dead_code, reason = "the docs page alone finds its files by it")
    )]
    pub(crate) path: String,
    pub(crate) rule: Rule,
    /// Name and link relation (RFC 8631) of a document that describes the api.
    pub(crate) document: Option<(&'static str, &'static str)>,
}
