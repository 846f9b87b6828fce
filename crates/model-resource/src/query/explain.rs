//! Asking how a list would be read, instead of reading it.

/// On a request that the program itself makes: no client can set it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplainRequested;
