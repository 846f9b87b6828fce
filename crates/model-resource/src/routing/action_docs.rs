//! Documentation of an action, from doc comments.

/// Documentation of an action, from the doc comments of the application; empty texts if there are none.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ActionDocs {
    /// Endpoint of the resource or view.
    pub(crate) endpoint: &'static str,
    /// Documentation of the resource.
    pub(crate) resource: &'static str,
    /// Documentation of the view or the custom operation.
    pub(crate) handler: &'static str,
}
