//! Response headers that describe a page: links to its neighbours, the total and the range.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_store::ListQuery;

use crate::list::cursor::Cursor;
use crate::list::page::{Page, PageStats, PageStyle};

const TOTAL_COUNT: HeaderName = HeaderName::from_static("x-total-count");

/// Links to other pages: the relation, and the parameters that change.
type Links = Vec<(&'static str, Vec<(&'static str, String)>)>;

impl Page {
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
        let links = match &self.style {
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
        let first = match &self.style {
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
