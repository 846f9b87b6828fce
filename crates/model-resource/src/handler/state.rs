//! The application's state in operations and views.

/// The state type of a resource or view, which the extractors among its arguments are given.
///
/// The attributes implement it: it is the type that `state = ..` names, or else the `T` of an argument `State<T>`, or else
/// `()`.
pub trait WithState {
    /// The state, which [`Api::with_state`](crate::Api::with_state) must have been given.
    type State: Clone + Send + Sync + 'static;
}
