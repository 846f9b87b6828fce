//! Effects of statements, on which retries and savepoints depend.

/// Effect of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    /// Reads only.
    Read,
    /// Reads only, which the server enforces: the text of the statement is handwritten.
    ReadOnly,
    /// Writes. A failing write undoes only itself.
    Write,
}
