//! What a resource says about its lists.

/// A page is read before it is answered, and no longer than this if the resource does not say how long it may be.
const DEFAULT_MAX_PAGE: u64 = 1_000;
/// No resource can say more.
const MAX_PAGE: u64 = 10_000;

/// What a resource says about its lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct ListOptions {
    /// The size of a page whose size the client does not say; without one, a list that no page is asked of has all rows.
    pub(crate) page_size: Option<u64>,
    /// No answer has more rows, and the largest page has so many.
    pub(crate) max_rows: Option<u64>,
    /// The columns that `q` looks into.
    pub(crate) search: Vec<usize>,
    /// The parameters that are not the list's.
    pub(crate) own_parameters: Vec<&'static str>,
    /// Whether the resource finds its rows itself, so that nothing would come of filters, an order or a page.
    pub(crate) custom_query: bool,
}

impl ListOptions {
    /// No page has more rows.
    pub(super) fn max_page(&self) -> u64 {
        self.max_rows.unwrap_or(DEFAULT_MAX_PAGE)
    }

    /// What is wrong with them, if anything.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, rows) in [("PAGE_SIZE", self.page_size), ("MAX_ROWS", self.max_rows)] {
            if rows == Some(0) {
                return Err(format!("{name} must be at least 1"));
            }
        }
        let largest = self.max_page();
        if largest > MAX_PAGE {
            return Err(format!(
                "MAX_ROWS must be at most {MAX_PAGE}, since a page is held as a whole"
            ));
        }
        match self.page_size {
            Some(size) if size > largest => Err(format!(
                "PAGE_SIZE is {size}, and no page has more than {largest} rows: set MAX_ROWS to as many"
            )),
            _ => Ok(()),
        }
    }
}
