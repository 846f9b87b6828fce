//! Lists: pagination by page, offset or keyset (cursors), and reading the rows that a request asks for.

mod aggregate;
mod caller_searches;
mod cursor;
mod page;
mod page_headers;
mod read;

pub(crate) use aggregate::AggregateRequest;
pub(crate) use caller_searches::{CallerSearches, SearchLimiter};
pub(crate) use cursor::CursorKey;
pub(crate) use page::{Count, DefaultPage, MAX_OFFSET, Page, PageStats, PageStyle, PageUrl};
pub(crate) use read::{ListRequest, scan};
