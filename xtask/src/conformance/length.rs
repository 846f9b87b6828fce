//! Length of a run.

/// Time that the clients with random requests take.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Length {
    /// A minute or two, for every change.
    Short,
    /// Much longer, by `--long`.
    Long,
}
