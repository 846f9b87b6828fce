//! Blueprints: a name and a URL prefix that several resources and views share.

/// A part of an application whose URLs share a prefix.
///
/// ```
/// use model_resource::Blueprint;
///
/// const SECURITY: Blueprint = Blueprint::new("security", "/auth");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blueprint {
    pub(crate) name: &'static str,
    pub(crate) url_prefix: &'static str,
}

impl Blueprint {
    /// A blueprint with this name, whose URLs all start with the prefix.
    pub const fn new(name: &'static str, url_prefix: &'static str) -> Self {
        Self { name, url_prefix }
    }
}
