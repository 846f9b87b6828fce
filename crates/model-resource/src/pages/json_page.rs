//! Page with the JSON of a response.

use minijinja::Value as Html;
use serde::Serialize;

use crate::pages::content::PageContent;
use crate::pages::format::push_json;
use crate::pages::frame::Frame;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::pages::urls::PageQuery;

/// Page with the JSON of a response.
#[derive(Serialize)]
pub(crate) struct JsonPage {
    frame: Frame,
    status: String,
    headers: Vec<(String, String)>,
    json: Html,
    back_url: String,
}

/// Makes the page.
pub(crate) fn json_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    content: &PageContent<'_>,
    title: String,
) -> JsonPage {
    let mut json = String::new();
    push_json(&mut json, &content.json);
    let headers = content.headers.iter().filter(|(name, _)| *name != "set-cookie");
    let headers = headers.map(|(name, value)| {
        let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
        (name.to_string(), value)
    });
    JsonPage {
        status: content.status.to_string(),
        headers: headers.collect(),
        json: Html::from_safe_string(json),
        back_url: PageQuery(site.request.query.clone()).url(&site.request.path),
        frame: Frame::new(pages, site, title),
    }
}
