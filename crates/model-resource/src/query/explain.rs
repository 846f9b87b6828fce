//! Marker for requests that ask for the query plan of a list instead of its rows.

/// Request extension that asks for the query plan. Only the program itself sets it; no client can.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplainRequested;
