//! Pagination of a list: page numbers with a total, or the links of the response.

use http::{HeaderMap, header};
use serde::Serialize;

use crate::pages::naming;
use crate::pages::urls::PageQuery;

/// Page sizes to choose from.
const SIZES: [u64; 4] = [25, 50, 100, 250];

/// Pagination of a list.
#[derive(Debug, Serialize, Default)]
pub(crate) struct Pager {
    /// Range and total in words: "51–100 of 319".
    pub(crate) summary: String,
    /// Links to pages; one without a URL is the current page or a gap.
    pub(crate) pages: Vec<PagerLink>,
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// Link to the last page, if the number of pages is known.
    pub(crate) last_url: Option<String>,
    /// Page sizes.
    pub(crate) sizes: Vec<PagerLink>,
    /// Total number of rows, if it is known.
    pub(crate) total: Option<u64>,
    /// The total in words: "60 results"; empty if it is unknown.
    pub(crate) found: String,
}

/// Link of a pager.
#[derive(Debug, Serialize, PartialEq)]
pub(crate) struct PagerLink {
    pub(crate) label: String,
    pub(crate) url: Option<String>,
    pub(crate) is_current: bool,
}

/// Position of a page in its list.
pub(crate) struct PagePosition<'a> {
    pub(crate) query: &'a PageQuery,
    pub(crate) path: &'a str,
    pub(crate) default_size: u64,
    pub(crate) max_size: u64,
    pub(crate) rows: u64,
}

impl Pager {
    pub(crate) fn new(position: &PagePosition<'_>, headers: &HeaderMap) -> Self {
        let query = position.query;
        let total = headers.get("x-total-count").and_then(|total| total.to_str().ok());
        let total: Option<u64> = total.and_then(|total| total.parse().ok());
        let links = headers.get_all(header::LINK).iter();
        let links: Vec<&str> = links.filter_map(|link| link.to_str().ok()).collect();
        let link = &links.join(", ");
        let is_numbered = ["limit", "offset", "cursor"]
            .iter()
            .all(|name| query.get(name).is_none());
        let mut pager = match total {
            Some(total) if is_numbered => numbered(position, link, total),
            _ => linked(position, link, total),
        };
        pager.total = total;
        let found = total.map(|total| naming::counted(total, "result", "results"));
        pager.found = found.unwrap_or_default();
        pager
    }
}

fn numbered(position: &PagePosition<'_>, link: &str, total: u64) -> Pager {
    let (query, path) = (position.query, position.path);
    let number = |name: &str| query.get(name).and_then(|text| text.parse::<u64>().ok());
    let size = size_of(link).unwrap_or(position.default_size).max(1);
    let page = number("page").unwrap_or(1).max(1);
    let last = total.div_ceil(size).max(1);
    // The size is in the links, so that JSON has the same rows at the same URL.
    let url = |page: u64| match page {
        1 => query.without(&["page"]).url(path),
        page => {
            let sized = query.with("pageSize", size.to_string());
            sized.with("page", page.to_string()).url(path)
        }
    };
    // An estimated total may be too small.
    let has_next = page < last || link_query(link, "next").is_some();
    let first_row = (page - 1).saturating_mul(size) + 1;
    let summary = if position.rows == 0 {
        naming::counted(total, "row", "rows")
    } else {
        let last_row = first_row + position.rows - 1;
        format!(
            "{}\u{2013}{} of {}",
            naming::grouped(first_row),
            naming::grouped(last_row),
            naming::grouped(total)
        )
    };
    let sizes = SIZES.iter().filter(|size| **size <= position.max_size);
    Pager {
        summary,
        pages: if last > 1 {
            windows(page, last, url)
        } else {
            Vec::new()
        },
        previous: (page > 1).then(|| url((page - 1).min(last))),
        next: has_next.then(|| url(page + 1)),
        last_url: Some(url(last)),
        sizes: sizes
            .map(|choice| PagerLink {
                label: choice.to_string(),
                url: Some(
                    query
                        .without(&["page"])
                        .with("pageSize", choice.to_string())
                        .url(path),
                ),
                is_current: *choice == size,
            })
            .collect(),
        ..Pager::default()
    }
}

/// Links to the first and last page and those around the current one.
fn windows(page: u64, last: u64, url: impl Fn(u64) -> String) -> Vec<PagerLink> {
    let mut links = Vec::new();
    let mut before = 0;
    for number in [1, page.saturating_sub(1), page, page + 1, last] {
        if number <= before || number > last {
            continue;
        }
        if number > before + 1 {
            links.push(PagerLink {
                label: "\u{2026}".to_owned(),
                url: None,
                is_current: false,
            });
        }
        links.push(PagerLink {
            label: naming::grouped(number),
            url: Some(url(number)),
            is_current: number == page,
        });
        before = number;
    }
    links
}

/// Rows per page of a response, from its link to the first page.
fn size_of(link: &str) -> Option<u64> {
    let first = link_query(link, "first")?;
    let mut pairs = first.trim_start_matches('?').split('&');
    let size = pairs.find_map(|pair| pair.strip_prefix("pageSize="))?;
    size.parse().ok()
}

fn linked(position: &PagePosition<'_>, link: &str, total: Option<u64>) -> Pager {
    let rows = naming::counted(position.rows, "row", "rows");
    Pager {
        summary: match total {
            Some(total) => format!("{rows} of {}", naming::grouped(total)),
            None => rows,
        },
        previous: link_query(link, "prev").map(|query| format!("{}{query}", position.path)),
        next: link_query(link, "next").map(|query| format!("{}{query}", position.path)),
        ..Pager::default()
    }
}

/// Query of the target with this relation in a `Link` header.
fn link_query(header: &str, relation: &str) -> Option<String> {
    let mut links = header.split(", <");
    let link = links.find(|link| link.contains(&format!("rel=\"{relation}\"")))?;
    let target = link.trim_start_matches('<').split('>').next()?;
    let query = target.split_once('?').map_or("", |(_, query)| query);
    Some(format!("?{query}"))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn position(query: &PageQuery, rows: u64) -> PagePosition<'_> {
        PagePosition {
            query,
            path: "/a",
            default_size: 50,
            max_size: 1000,
            rows,
        }
    }

    #[test]
    fn pages_are_numbered_if_the_total_is_known() {
        let mut headers = HeaderMap::new();
        headers.insert("x-total-count", HeaderValue::from_static("1319"));
        let query = PageQuery(vec![("page".to_owned(), "5".to_owned())]);
        let pager = Pager::new(&position(&query, 50), &headers);
        assert_eq!(pager.summary, "201\u{2013}250 of 1\u{202f}319");
        let labels: Vec<&str> = pager.pages.iter().map(|page| page.label.as_str()).collect();
        assert_eq!(labels, ["1", "\u{2026}", "4", "5", "6", "\u{2026}", "27"]);
        assert_eq!(pager.next.as_deref(), Some("/a?pageSize=50&page=6"));
        assert_eq!(pager.pages[0].url.as_deref(), Some("/a"));
    }

    #[test]
    fn the_size_is_that_of_the_response() {
        let mut headers = HeaderMap::new();
        headers.insert("x-total-count", HeaderValue::from_static("70"));
        let link =
            "<http://h/a?page=1&pageSize=30>; rel=\"first\", <http://h/a?page=4&pageSize=30>; rel=\"next\"";
        headers.insert(header::LINK, HeaderValue::from_static(link));
        let query = PageQuery(vec![
            ("page".to_owned(), "3".to_owned()),
            ("pageSize".to_owned(), "40".to_owned()),
        ]);
        let pager = Pager::new(&position(&query, 30), &headers);
        assert_eq!(pager.summary, "61\u{2013}90 of 70");
        assert_eq!(pager.next.as_deref(), Some("/a?pageSize=30&page=4"));
    }

    #[test]
    fn other_pages_follow_the_links_of_the_response() {
        let mut headers = HeaderMap::new();
        let link = "<http://h/a?cursor=b>; rel=\"prev\", <http://h/a?cursor=c>; rel=\"next\"";
        headers.insert(header::LINK, HeaderValue::from_static(link));
        let query = PageQuery(vec![("cursor".to_owned(), String::new())]);
        let pager = Pager::new(&position(&query, 2), &headers);
        assert_eq!(pager.previous.as_deref(), Some("/a?cursor=b"));
        assert_eq!(pager.next.as_deref(), Some("/a?cursor=c"));
        assert_eq!(pager.summary, "2 rows");
    }
}
