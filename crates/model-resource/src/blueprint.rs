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
    pub(crate) unscoped: &'static [&'static str],
}

impl Blueprint {
    /// A blueprint with this name, whose URLs all start with the prefix.
    pub const fn new(name: &'static str, url_prefix: &'static str) -> Self {
        Self {
            name,
            url_prefix,
            unscoped: &[],
        }
    }

    /// Declares parameters of the prefix that limit no rows of the models below it, such as a tenant's name. They reach
    /// handlers and decorators by [`Context::params`](crate::Context::params) and policies by
    /// [`Caller::url_param`](crate::Caller::url_param).
    ///
    /// ```
    /// use model_resource::Blueprint;
    ///
    /// const SHOP: Blueprint = Blueprint::new("shop", "/t/<tenant>").unscoped(&["tenant"]);
    /// ```
    pub const fn unscoped(mut self, parameters: &'static [&'static str]) -> Self {
        self.unscoped = parameters;
        self
    }
}
