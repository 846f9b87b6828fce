//! Pagination: by page number, by offset or by cursor (keyset pagination), and the response headers that describe a page.

use model_resource_store::{KeysetPosition, ListQuery, Seek};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::list::cursor::{Cursor, CursorKey};

/// Maximum offset that databases accept.
pub(crate) const MAX_OFFSET: u64 = i64::MAX as u64;

/// Page that a request asks for.
pub(crate) struct Page {
    pub(crate) style: PageStyle,
    /// Maximum rows.
    pub(crate) size: u64,
    /// Whether the size is not the one that the client asked for.
    pub(crate) truncated: bool,
    pub(crate) count: Count,
    pub(crate) url: PageUrl,
    pub(crate) key: CursorKey,
}

/// Pagination style.
pub(crate) enum PageStyle {
    /// `page` and `pageSize`.
    Numbered(u64),
    /// `limit` and `offset`.
    Offset(u64),
    /// `cursor` and `limit`; the first page has no cursor.
    Cursor(Option<Cursor>),
}

/// Response to a request that asks for no page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultPage {
    /// A page, if the resource has a page size.
    Page,
    /// All rows, unless the resource limits their number.
    AllRows,
}

/// How the total number of rows is determined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    None,
    Exact,
    Estimated,
}

/// Outcome of reading a page.
#[derive(Default, Debug)]
pub(crate) struct PageStats {
    pub(crate) rows: u64,
    pub(crate) first: Option<KeysetPosition>,
    pub(crate) last: Option<KeysetPosition>,
    /// Whether rows follow the page.
    pub(crate) more: bool,
    /// Whether rows precede the page; determined only where a query was needed for it.
    pub(crate) before: bool,
    /// Total number of rows, if it was requested.
    pub(crate) total: Option<u64>,
}

impl Page {
    /// Replaces an estimated count by an exact one.
    pub(crate) fn without_estimate(mut self) -> Self {
        if self.count == Count::Estimated {
            self.count = Count::Exact;
        }
        self
    }

    /// Restricts a list to the page's rows; reading forwards, to one row more, which shows whether another page
    /// follows.
    pub(crate) fn list(&self, list: &ListQuery) -> ListQuery {
        let start = self.start();
        let one_more = u64::from(!matches!(start, Seek::Before(_)));
        list.clone().seek(start).limit(self.size + one_more)
    }

    /// Number of rows before the page that are read and skipped.
    pub(crate) fn skipped(&self) -> u64 {
        match &self.style {
            PageStyle::Numbered(number) => (number - 1).saturating_mul(self.size),
            PageStyle::Offset(offset) => *offset,
            PageStyle::Cursor(_) => 0,
        }
    }

    /// Whether the links to other pages need the sort key values of rows.
    pub(crate) fn is_by_cursor(&self) -> bool {
        matches!(self.style, PageStyle::Cursor(_))
    }

    /// Start of the page.
    fn start(&self) -> Seek {
        match &self.style {
            PageStyle::Numbered(_) | PageStyle::Offset(_) | PageStyle::Cursor(None) => {
                Seek::Offset(self.skipped())
            }
            PageStyle::Cursor(Some(cursor)) => cursor.start(),
        }
    }
}

/// Characters that are escaped in the names and values of a query.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// URL of the request, from which the URLs of other pages are built.
pub(crate) struct PageUrl {
    pub(crate) path: String,
    /// Path as clients see it, for links.
    pub(crate) external_path: String,
    pub(crate) parameters: Vec<(String, String)>,
}

impl PageUrl {
    /// Builds the URL with changed values of some parameters.
    pub(crate) fn with(&self, changes: &[(&str, String)]) -> String {
        let is_changed = |name: &str| changes.iter().any(|(changed, _)| *changed == name);
        let kept = self.parameters.iter().filter(|(name, _)| !is_changed(name));
        let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
        let changed = changes.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = kept.chain(changed).map(|(name, value)| {
            let (name, value) = (
                utf8_percent_encode(name, PLAIN),
                utf8_percent_encode(value, PLAIN),
            );
            format!("{name}={value}")
        });
        format!("{}?{}", self.external_path, pairs.collect::<Vec<_>>().join("&"))
    }
}
