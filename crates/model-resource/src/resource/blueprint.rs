//! Blueprints: a name and a URL prefix shared by several resources and views.

/// Part of an application whose URLs share a prefix.
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
    /// Creates a blueprint with this name, whose URLs all start with the prefix.
    pub const fn new(name: &'static str, url_prefix: &'static str) -> Self {
        Self {
            name,
            url_prefix,
            unscoped: &[],
        }
    }

    /// Prefix of the URLs.
    pub const fn url_prefix(&self) -> &'static str {
        self.url_prefix
    }

    /// Declares parameters of the prefix that limit no rows of the models below it, such as the name of a tenant.
    /// Handlers and decorators read them with [`Context::params`](crate::Context::params), and policies with
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
