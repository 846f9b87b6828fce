//! Application state in operations and views.

/// State type of a resource or view, for the extractors among its arguments.
///
/// The attributes implement it: it is the type that `state = ..` names, or else the `T` of an argument `State<T>`, or
/// else `()`.
pub trait WithState {
    /// State type, which [`Api::with_state`](crate::Api::with_state) must have been given.
    type State: Clone + Send + Sync + 'static;
}
