//! Origin of the actions of an api.

/// Origin of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionSource {
    /// A resource or a view of the application.
    Application,
    /// A view of the framework, whose response depends on the caller.
    Framework,
    /// A file of the framework, which is the same for every caller, so that nobody is authenticated for it.
    Asset,
}
