//! Parses the parameters of a page, in one of the three pagination styles.

use std::borrow::Cow;

use model_resource_store::ListQuery;

use crate::list::{Count, CursorKey, DefaultPage, MAX_OFFSET, Page, PageStyle, PageUrl};
use crate::pipeline::{Error, Result};
use crate::query::options::ListOptions;
use crate::query::parameters::{Parameters, invalid_parameter, whole_number};
use crate::query::settings::ListSettings;

/// Page size if neither the client nor the resource sets one.
pub(super) const DEFAULT_SIZE: u64 = 25;

/// Settings of a list that its pages depend on.
pub(super) struct PageSettings<'a> {
    pub(super) options: &'a ListOptions,
    pub(super) default_page: DefaultPage,
    pub(super) cursor_key: &'a CursorKey,
    /// The list without a page, to which a cursor must belong.
    pub(super) list: &'a ListQuery,
}

/// Parameters of all pagination styles.
struct PageParameters<'q> {
    page: Option<Cow<'q, str>>,
    page_size: Option<Cow<'q, str>>,
    limit: Option<Cow<'q, str>>,
    offset: Option<Cow<'q, str>>,
    cursor: Option<Cow<'q, str>>,
    count: Option<Count>,
}

/// Pagination style that the parameters ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AskedStyle {
    Numbered,
    Offset,
    Cursor,
}

/// Takes the parameters of one pagination style. Without any, the resource decides whether there is a page.
pub(super) fn take_page(
    parameters: &mut Parameters<'_>,
    settings: &PageSettings<'_>,
    url: PageUrl,
) -> Result<Option<Page>> {
    let parameters = PageParameters::take(parameters)?;
    let asked = parameters.style()?;
    let options = settings.options;
    let is_whole = options.page_size.is_none() || settings.default_page == DefaultPage::AllRows;
    if asked.is_none() && is_whole && options.max_rows.is_none() {
        return match parameters.count {
            None | Some(Count::None) => Ok(None),
            Some(_) => Err(invalid_parameter(
                "count",
                "It needs a page, such as the one of \"limit=25\".",
            )),
        };
    }
    let largest = options.max_page();
    let wanted = parameters.size(options, asked)?;
    let size = wanted.min(largest);
    let style = parameters.start(asked.unwrap_or(AskedStyle::Cursor), size, settings, &url)?;
    let usual_count = match style {
        PageStyle::Numbered(_) => Count::Exact,
        PageStyle::Offset(_) | PageStyle::Cursor(_) => Count::None,
    };
    Ok(Some(Page {
        truncated: asked.is_none() || wanted > largest,
        size,
        style,
        count: parameters.count.unwrap_or(usual_count),
        url,
        key: settings.cursor_key.clone(),
    }))
}

/// Takes the parameters of a page of groups, by number or by offset. Without any, the page is the first one.
pub(super) fn take_group_page(
    parameters: &mut Parameters<'_>,
    settings: &ListSettings<'_>,
    url: PageUrl,
) -> Result<Page> {
    let parameters = PageParameters::take(parameters)?;
    let asked = parameters.style()?;
    let largest = settings.options.max_page();
    let wanted = parameters.size(settings.options, asked)?;
    let size = wanted.min(largest);
    let style = match asked {
        Some(AskedStyle::Numbered) => PageStyle::Numbered(parameters.number(size)?),
        Some(AskedStyle::Offset | AskedStyle::Cursor) | None => PageStyle::Offset(parameters.skipped()?),
    };
    Ok(Page {
        truncated: asked.is_none() || wanted > largest,
        size,
        style,
        count: Count::None,
        url,
        key: settings.cursor_key.clone(),
    })
}

impl<'q> PageParameters<'q> {
    fn take(parameters: &mut Parameters<'q>) -> Result<Self> {
        Ok(Self {
            page: parameters.take("page")?,
            page_size: parameters.take("pageSize")?,
            limit: parameters.take("limit")?,
            offset: parameters.take("offset")?,
            cursor: parameters.take("cursor")?,
            count: read_count(parameters.take("count")?.as_deref())?,
        })
    }

    /// Style of the parameters, and an error if they belong to several.
    fn style(&self) -> Result<Option<AskedStyle>> {
        let is_numbered = self.page.is_some() || self.page_size.is_some();
        let is_offset = (self.limit.is_some() && self.cursor.is_none()) || self.offset.is_some();
        match (is_numbered, is_offset, self.cursor.is_some()) {
            (false, false, false) => Ok(None),
            (true, false, false) => Ok(Some(AskedStyle::Numbered)),
            (false, true, false) => Ok(Some(AskedStyle::Offset)),
            (false, false, true) => Ok(Some(AskedStyle::Cursor)),
            _ => Err(Error::bad_parameter(
                "Ask for a page by \"page\" and \"pageSize\", by \"limit\" and \"offset\", or by \"cursor\" and \"limit\", \
                 not by several of these.",
            )),
        }
    }

    /// Number of rows that the client wants, or else the default.
    fn size(&self, options: &ListOptions, asked: Option<AskedStyle>) -> Result<u64> {
        let (name, size) = match &self.page_size {
            Some(size) => ("pageSize", Some(size)),
            None => ("limit", self.limit.as_ref()),
        };
        let usual = match asked {
            Some(_) => DEFAULT_SIZE,
            None => options.max_page(),
        };
        match size {
            Some(text) => whole_number(name, text, 1, MAX_OFFSET),
            None => Ok(options.page_size.unwrap_or(usual)),
        }
    }

    /// Number of the page.
    fn number(&self, size: u64) -> Result<u64> {
        let text = self.page.as_deref().unwrap_or("1");
        whole_number("page", text, 1, MAX_OFFSET / size)
    }

    /// Number of rows before the page.
    fn skipped(&self) -> Result<u64> {
        let text = self.offset.as_deref().unwrap_or("0");
        whole_number("offset", text, 0, MAX_OFFSET)
    }

    /// Style with the start of the page.
    fn start(
        &self,
        style: AskedStyle,
        size: u64,
        settings: &PageSettings<'_>,
        url: &PageUrl,
    ) -> Result<PageStyle> {
        match style {
            AskedStyle::Numbered => self.number(size).map(PageStyle::Numbered),
            AskedStyle::Offset => self.skipped().map(PageStyle::Offset),
            AskedStyle::Cursor => {
                let cursor = self.cursor.as_deref().filter(|cursor| !cursor.is_empty());
                let message = "Invalid cursor for this list and sort order; start again with `cursor=`.";
                let read = |cursor: &str| {
                    let read = settings.cursor_key.read(settings.list, &url.path, cursor);
                    read.ok_or_else(|| invalid_parameter("cursor", message))
                };
                Ok(PageStyle::Cursor(cursor.map(read).transpose()?))
            }
        }
    }
}

fn read_count(text: Option<&str>) -> Result<Option<Count>> {
    match text {
        None => Ok(None),
        Some("none") => Ok(Some(Count::None)),
        Some("exact") => Ok(Some(Count::Exact)),
        Some("estimated") => Ok(Some(Count::Estimated)),
        Some(_) => Err(invalid_parameter(
            "count",
            "Write \"exact\", \"estimated\" or \"none\".",
        )),
    }
}
