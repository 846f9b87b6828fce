//! Blueprints: a name and a URL prefix shared by several resources and views.

/// URL prefix of several resources and views, whose attributes name it first.
///
/// ```
/// use model_resource::{Api, Blueprint, route};
///
/// const SHOP: Blueprint = Blueprint::new("shop", "/shop");
///
/// #[route(SHOP, "/hours")]
/// async fn hours() -> &'static str {
///     "9 to 5"
/// }
///
/// // `GET /api/shop/hours`
/// let api = Api::new("market").prefix("/api").route(hours);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blueprint {
    pub(crate) name: &'static str,
    pub(crate) url_prefix: &'static str,
    pub(crate) unscoped: &'static [&'static str],
}

impl Blueprint {
    /// Creates a blueprint whose URLs all start with the prefix. Its name identifies it in messages at startup.
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
