//! View that sends the index.

use serde_json::json;

use crate::access::CsrfToken;
use crate::handle::Reply;
use crate::pipeline::{Context, Result};
use crate::resource::BuiltInView;
use crate::resource_index::content::{Links, index};

/// Index of the resources, unless a view of the application answers at the prefix.
pub(crate) fn index_view() -> BuiltInView {
    BuiltInView::new("the index of resources", "", respond).replaceable()
}

async fn respond(cx: Context) -> Result<Reply> {
    let description = cx.services().description_for(cx.caller());
    let mut content = index(&description, &Links::of(&cx));
    // A page of the same origin sends the token with its writes.
    if let Some(CsrfToken { header, token }) = cx.extension() {
        content["csrf"] = json!({"header": header.as_str(), "token": token});
    }
    Reply::json(&content)
}
