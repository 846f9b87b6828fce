//! What a resource says about its lists.

/// What a resource says about its lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListOptions {
    /// The size of a page whose size the client does not say; without one, a list that no page is asked of has all rows.
    pub(crate) page_size: Option<u64>,
    /// No answer has more rows.
    pub(crate) max_rows: Option<u64>,
    /// The columns that `q` looks into.
    pub(crate) search: Vec<usize>,
    /// The parameters that are not the list's.
    pub(crate) foreign: Vec<&'static str>,
    /// Whether the resource finds its rows itself, so that nothing would come of filters, an order or a page.
    pub(crate) finds_own_rows: bool,
}
