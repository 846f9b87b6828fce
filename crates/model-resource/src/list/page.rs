//! Pagination: by page number, by offset or by cursor (keyset pagination), and the response headers that describe a page.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_store::{KeysetPosition, ListQuery, Seek};

use crate::list::cursor::{Cursor, CursorKey};
use crate::list::page_url::PageUrl;
use crate::pipeline::{Error, Result};
use crate::query::{ListOptions, PAGE, Parameters, invalid_parameter, whole_number};

/// Page size if neither the client nor the resource sets one.
const DEFAULT_SIZE: u64 = 25;
/// Maximum offset that databases accept.
pub(crate) const MAX_OFFSET: u64 = i64::MAX as u64;

const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// Page that a request asks for.
pub(crate) struct Page {
    family: PageStyle,
    /// Maximum rows.
    size: u64,
    /// Whether the size is not the one that the client asked for.
    truncated: bool,
    count: Count,
    url: PageUrl,
    key: CursorKey,
}

/// Pagination style.
enum PageStyle {
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
    /// Takes the parameters of one pagination style. Without any, the resource decides whether there is a page.
    pub(crate) fn take(
        parameters: &mut Parameters,
        options: &ListOptions,
        default_page: DefaultPage,
        list: &ListQuery,
        key: &CursorKey,
        url: PageUrl,
    ) -> Result<Option<Self>> {
        let [page, page_size, limit, offset, cursor] = PAGE.map(|name| parameters.take(name));
        let count = Count::read(parameters.take("count")?.as_deref())?;
        let (page, page_size, limit, offset, cursor) = (page?, page_size?, limit?, offset?, cursor?);
        let families = [
            page.is_some() || page_size.is_some(),
            (limit.is_some() && cursor.is_none()) || offset.is_some(),
            cursor.is_some(),
        ];
        if families.iter().filter(|asked| **asked).count() > 1 {
            let message = "Ask for a page by \"page\" and \"pageSize\", by \"limit\" and \"offset\", or by \"cursor\" and \
                           \"limit\", not by several of these.";
            return Err(Error::bad_parameter(message));
        }
        let is_asked = families.contains(&true);
        let is_whole = options.page_size.is_none() || default_page == DefaultPage::AllRows;
        if !is_asked && is_whole && options.max_rows.is_none() {
            return match count {
                None | Some(Count::None) => Ok(None),
                Some(_) => Err(invalid_parameter(
                    "count",
                    "It needs a page, such as the one of \"limit=25\".",
                )),
            };
        }
        let largest = options.max_page();
        let (name, size) = match page_size {
            Some(size) => ("pageSize", Some(size)),
            None => ("limit", limit),
        };
        let wanted = match size {
            Some(text) => whole_number(name, &text, 1, MAX_OFFSET)?,
            None => options
                .page_size
                .unwrap_or(if is_asked { DEFAULT_SIZE } else { largest }),
        };
        let size = wanted.min(largest);
        let family = if families[0] {
            let text = page.as_deref().unwrap_or("1");
            PageStyle::Numbered(whole_number("page", text, 1, MAX_OFFSET / size)?)
        } else if families[1] {
            let text = offset.as_deref().unwrap_or("0");
            PageStyle::Offset(whole_number("offset", text, 0, MAX_OFFSET)?)
        } else {
            let cursor = cursor.filter(|cursor| !cursor.is_empty());
            let message = "Invalid cursor for this list and sort order; start again with `cursor=`.";
            let read = |cursor: String| {
                let read = key.read(list, &url.path, &cursor);
                read.ok_or_else(|| invalid_parameter("cursor", message))
            };
            PageStyle::Cursor(cursor.map(read).transpose()?)
        };
        let usual_count = match family {
            PageStyle::Numbered(_) => Count::Exact,
            PageStyle::Offset(_) | PageStyle::Cursor(_) => Count::None,
        };
        Ok(Some(Self {
            truncated: !is_asked || wanted > largest,
            size,
            family,
            count: count.unwrap_or(usual_count),
            url,
            key: key.clone(),
        }))
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn count(&self) -> Count {
        self.count
    }

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

    /// Whether the links to other pages need the sort key values of rows.
    pub(crate) fn is_by_cursor(&self) -> bool {
        matches!(self.family, PageStyle::Cursor(_))
    }

    /// Start of the page.
    fn start(&self) -> Seek {
        match &self.family {
            PageStyle::Numbered(number) => Seek::Offset((number - 1).saturating_mul(self.size)),
            PageStyle::Offset(offset) => Seek::Offset(*offset),
            PageStyle::Cursor(None) => Seek::Offset(0),
            PageStyle::Cursor(Some(cursor)) => cursor.start(),
        }
    }

    /// Writes the headers that describe the page: links to its neighbours, the total, and whether it is smaller than
    /// requested.
    pub(crate) fn write_headers(
        &self,
        list: &ListQuery,
        seen: &PageStats,
        status: &mut StatusCode,
        headers: &mut HeaderMap,
    ) {
        if self.truncated && seen.more && *status == StatusCode::OK {
            *status = StatusCode::PARTIAL_CONTENT;
        }
        let links = match &self.family {
            PageStyle::Numbered(number) => self.numbered_links(*number, seen),
            PageStyle::Offset(offset) => self.offset_links(*offset, seen),
            PageStyle::Cursor(cursor) => self.cursor_links(list, cursor.as_ref(), seen),
        };
        let links: Vec<String> = links
            .into_iter()
            .map(|(rel, changes)| format!("<{}>; rel=\"{rel}\"", self.url.with(&changes)))
            .collect();
        if let Ok(value) = HeaderValue::try_from(links.join(", ")) {
            headers.append(header::LINK, value);
        }
        if let Some(total) = seen.total {
            headers.insert(TOTAL_COUNT, total.into());
        }
        let first = match &self.family {
            PageStyle::Numbered(number) => Some((number - 1).saturating_mul(self.size)),
            PageStyle::Offset(offset) => Some(*offset),
            PageStyle::Cursor(None) => Some(0),
            PageStyle::Cursor(Some(_)) => None,
        };
        if let (Some(first), Some(total)) = (first, seen.total) {
            let range = match seen.rows {
                0 => format!("items */{total}"),
                rows => format!("items {first}-{}/{total}", first + rows - 1),
            };
            if let Ok(value) = HeaderValue::try_from(range) {
                headers.insert(header::CONTENT_RANGE, value);
            }
        }
    }

    fn numbered_links(&self, number: u64, seen: &PageStats) -> Links {
        let page = |number: u64| vec![("page", number.to_string()), ("pageSize", self.size.to_string())];
        let mut links = vec![("first", page(1))];
        if number > 1 {
            links.push(("prev", page(number - 1)));
        }
        if seen.more {
            links.push(("next", page(number + 1)));
        }
        if let Some(total) = seen.total {
            links.push(("last", page(total.div_ceil(self.size).max(1))));
        }
        links
    }

    fn offset_links(&self, offset: u64, seen: &PageStats) -> Links {
        let page = |offset: u64| vec![("limit", self.size.to_string()), ("offset", offset.to_string())];
        let mut links = vec![("first", page(0))];
        if offset > 0 {
            links.push(("prev", page(offset.saturating_sub(self.size))));
        }
        if seen.more {
            links.push(("next", page(offset + self.size)));
        }
        if let Some(total) = seen.total {
            let last = total.saturating_sub(1) / self.size * self.size;
            links.push(("last", page(last)));
        }
        links
    }

    fn cursor_links(&self, list: &ListQuery, cursor: Option<&Cursor>, seen: &PageStats) -> Links {
        let page = |cursor: String| vec![("cursor", cursor), ("limit", self.size.to_string())];
        let at = |cursor: &Cursor| page(self.key.write(list, &self.url.path, cursor));
        let mut links = vec![("first", page(String::new()))];
        let before = match cursor {
            None => false,
            Some(Cursor::After(_)) => true,
            Some(Cursor::Before(_) | Cursor::Last) => seen.before,
        };
        if let (true, Some(first)) = (before, &seen.first) {
            links.push(("prev", at(&Cursor::Before(first.clone()))));
        }
        let more = seen.more || matches!(cursor, Some(Cursor::Before(_)));
        if let (true, Some(last)) = (more, &seen.last) {
            links.push(("next", at(&Cursor::After(last.clone()))));
        }
        links.push(("last", at(&Cursor::Last)));
        links
    }
}

/// Links to other pages: the relation, and the parameters that change.
type Links = Vec<(&'static str, Vec<(&'static str, String)>)>;

impl Count {
    fn read(text: Option<&str>) -> Result<Option<Self>> {
        match text {
            None => Ok(None),
            Some("none") => Ok(Some(Self::None)),
            Some("exact") => Ok(Some(Self::Exact)),
            Some("estimated") => Ok(Some(Self::Estimated)),
            Some(_) => Err(invalid_parameter(
                "count",
                "Write \"exact\", \"estimated\" or \"none\".",
            )),
        }
    }
}
