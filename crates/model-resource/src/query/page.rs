//! Pages: which one is asked for, and what the client is told about it.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_store::{List, Position, Start};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::Result;
use crate::query::cursor::CursorKey;
use crate::query::options::ListOptions;
use crate::query::parameters::{Parameters, not_valid, whole_number};

/// The size of a page whose size neither the client nor the resource says.
const USUAL_SIZE: u64 = 25;
/// The largest page of a resource that sets no other limit.
const LARGEST_SIZE: u64 = 1000;
/// Databases count no further.
pub(super) const FURTHEST: u64 = i64::MAX as u64;

/// The parameters that a page is asked for by.
pub(super) const PARAMETERS: [&str; 5] = ["page", "pageSize", "limit", "offset", "cursor"];

const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");
/// What may stand unescaped in a query's names and values.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The page that a request asks for.
pub(crate) struct Page {
    family: Family,
    /// So many rows at the most.
    size: u64,
    /// Whether the size is another than the client said, or the client said nothing.
    is_cut: bool,
    count: Count,
    url: Url,
    key: CursorKey,
}

/// The URL of the request, which those of other pages are made of.
#[derive(Default)]
pub(super) struct Url {
    pub(super) path: String,
    pub(super) parameters: Vec<(String, String)>,
}

/// The ways to ask for a page.
enum Family {
    /// `page` and `pageSize`.
    Numbered(u64),
    /// `limit` and `offset`.
    Offset(u64),
    /// `cursor` and `limit`.
    Cursor(Start),
}

/// Whether all rows are to be counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    None,
    Exact,
    Estimated,
}

/// What was seen of a page.
#[derive(Default, Debug)]
pub(crate) struct PageSeen {
    pub(crate) rows: u64,
    pub(crate) first: Option<Position>,
    pub(crate) last: Option<Position>,
    /// Whether there are rows after it.
    pub(crate) more: bool,
    /// Whether there are rows before it; known only where that had to be looked up.
    pub(crate) before: bool,
    /// The number of all rows, if it was to be counted.
    pub(crate) total: Option<u64>,
}

impl Page {
    /// Takes the parameters of one family; without any, there is a page only if the resource wants one.
    pub(super) fn take(
        parameters: &mut Parameters,
        options: &ListOptions,
        list: &List,
        key: &CursorKey,
    ) -> Result<Option<Self>> {
        let [page, page_size, limit, offset, cursor] = PARAMETERS.map(|name| parameters.take(name));
        let count = parameters.take("count");
        let (page, page_size, limit, offset, cursor) = (page?, page_size?, limit?, offset?, cursor?);
        let families = [
            page.is_some() || page_size.is_some(),
            (limit.is_some() && cursor.is_none()) || offset.is_some(),
            cursor.is_some(),
        ];
        if families.iter().filter(|asked| **asked).count() > 1 {
            let message = "Ask for a page by \"page\" and \"pageSize\", by \"limit\" and \"offset\", or by \"cursor\" and \
                           \"limit\", not by several of these.";
            return Err(crate::error::Error::bad_parameter(message));
        }
        let count = Count::read(count?.as_deref())?;
        let is_asked = families.contains(&true);
        let largest = options.max_rows.unwrap_or(LARGEST_SIZE);
        let usual = options
            .page_size
            .unwrap_or(if is_asked { USUAL_SIZE } else { largest });
        if !is_asked && options.page_size.is_none() && options.max_rows.is_none() && count.is_none() {
            return Ok(None);
        }
        let size = |name: &str, text: Option<String>| match text {
            Some(text) => whole_number(name, &text, 1, FURTHEST),
            None => Ok(usual),
        };
        let (family, size) = match (families, cursor) {
            ([true, ..], _) => {
                let size = size("pageSize", page_size)?.min(largest);
                let number = match page {
                    Some(text) => whole_number("page", &text, 1, FURTHEST / size)?,
                    None => 1,
                };
                (Family::Numbered(number), size)
            }
            (_, Some(cursor)) => {
                let start = match cursor.as_str() {
                    "" => Start::Skipping(0),
                    cursor => key.read(list, cursor).ok_or_else(|| {
                        not_valid(
                            "cursor",
                            "It is not one of this list in this order; start with an empty one.",
                        )
                    })?,
                };
                (Family::Cursor(start), size("limit", limit)?)
            }
            ([_, true, _], _) => {
                let offset = match offset {
                    Some(text) => whole_number("offset", &text, 0, FURTHEST)?,
                    None => 0,
                };
                (Family::Offset(offset), size("limit", limit)?)
            }
            _ => (Family::Cursor(Start::Skipping(0)), usual),
        };
        let usual_count = match family {
            Family::Numbered(_) => Count::Exact,
            Family::Offset(_) | Family::Cursor(_) => Count::None,
        };
        Ok(Some(Self {
            is_cut: !is_asked || size > largest,
            size: size.min(largest),
            family,
            count: count.unwrap_or(usual_count),
            url: Url::default(),
            key: key.clone(),
        }))
    }

    /// The same, of the list at this URL.
    pub(super) fn at(mut self, url: Url) -> Self {
        self.url = url;
        self
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(super) fn count(&self) -> Count {
        self.count
    }

    /// The page's rows of a list, and the one after them if they are read forwards.
    pub(super) fn list(&self, list: &List) -> List {
        let start = self.start();
        let one_more = u64::from(!matches!(start, Start::Before(_)));
        list.clone().starting(start).at_most(self.size + one_more)
    }

    /// Whether its neighbours are named by the values of rows.
    pub(super) fn is_by_cursor(&self) -> bool {
        matches!(self.family, Family::Cursor(_))
    }

    /// Where the page begins.
    fn start(&self) -> Start {
        match &self.family {
            Family::Numbered(number) => Start::Skipping((number - 1).saturating_mul(self.size)),
            Family::Offset(offset) => Start::Skipping(*offset),
            Family::Cursor(start) => start.clone(),
        }
    }

    /// Tells the client about the page: its neighbours, how many rows there are, and if it is less than was asked for.
    pub(crate) fn tell(
        &self,
        list: &List,
        seen: &PageSeen,
        status: &mut StatusCode,
        headers: &mut HeaderMap,
    ) {
        if self.is_cut && seen.more && *status == StatusCode::OK {
            *status = StatusCode::PARTIAL_CONTENT;
        }
        let links = match &self.family {
            Family::Numbered(number) => self.numbered_links(*number, seen),
            Family::Offset(offset) => self.offset_links(*offset, seen),
            Family::Cursor(start) => self.cursor_links(list, start, seen),
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
            Family::Numbered(number) => Some((number - 1).saturating_mul(self.size)),
            Family::Offset(offset) => Some(*offset),
            Family::Cursor(Start::Skipping(_)) => Some(0),
            Family::Cursor(_) => None,
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

    fn numbered_links(&self, number: u64, seen: &PageSeen) -> Links {
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

    fn offset_links(&self, offset: u64, seen: &PageSeen) -> Links {
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

    fn cursor_links(&self, list: &List, start: &Start, seen: &PageSeen) -> Links {
        let page = |cursor: String| vec![("cursor", cursor), ("limit", self.size.to_string())];
        let at = |start: Start| page(self.key.write(list, &start));
        let mut links = vec![("first", page(String::new()))];
        let before = match start {
            Start::Skipping(_) => false,
            Start::After(_) => true,
            Start::Before(_) => seen.before,
        };
        if let (true, Some(first)) = (before, &seen.first) {
            links.push(("prev", at(Start::Before(Some(first.clone())))));
        }
        let more = seen.more || matches!(start, Start::Before(Some(_)));
        if let (true, Some(last)) = (more, &seen.last) {
            links.push(("next", at(Start::After(last.clone()))));
        }
        links.push(("last", at(Start::Before(None))));
        links
    }
}

impl Url {
    /// The same with other values of some parameters.
    fn with(&self, changes: &[(&str, String)]) -> String {
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
        format!("{}?{}", self.path, pairs.collect::<Vec<_>>().join("&"))
    }
}

/// Pages, each by its relation to this one and the parameters that it has other values of.
type Links = Vec<(&'static str, Vec<(&'static str, String)>)>;

impl Count {
    fn read(text: Option<&str>) -> Result<Option<Self>> {
        match text {
            None => Ok(None),
            Some("none") => Ok(Some(Self::None)),
            Some("exact") => Ok(Some(Self::Exact)),
            Some("estimated") => Ok(Some(Self::Estimated)),
            Some(_) => Err(not_valid("count", "Write \"exact\", \"estimated\" or \"none\".")),
        }
    }
}
