//! Request bodies that are JSON: their media type and their text.

use http::header;

use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};

/// The body as text, if it is declared as JSON.
pub(crate) async fn json_text(cx: &mut Context) -> Result<String> {
    refuse_other_media(cx)?;
    let body = cx.body().await?;
    String::from_utf8(body.into()).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = valid.len()
            - valid
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1)
            + 1;
        Error::malformed(format!(
            "Malformed JSON: invalid UTF-8 at line {line} column {column}."
        ))
    })
}

/// A request without a body is not asked what it is.
fn refuse_other_media(cx: &mut Context) -> Result<()> {
    if !cx.has_body() {
        return Ok(());
    }
    let refuse = |message: &str| Err(Error::new(ErrorKind::UnsupportedMediaType(message.to_owned())));
    let header = |name| {
        cx.headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    if !header(header::CONTENT_TYPE).is_some_and(is_json) {
        return refuse("The request body must be JSON: send it with `Content-Type: application/json`.");
    }
    match header(header::CONTENT_ENCODING) {
        None | Some("identity") => Ok(()),
        Some(_) => refuse("The request body must not be compressed."),
    }
}

/// `application/json` and `application/*+json`, with UTF-8 as the only charset.
fn is_json(media_type: &str) -> bool {
    let (essence, parameters) = media_type.split_once(';').unwrap_or((media_type, ""));
    let essence = essence.trim().to_ascii_lowercase();
    let subtype = essence.strip_prefix("application/");
    let charset = parameters
        .split(';')
        .filter_map(|p| p.trim().split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    let is_utf8 =
        charset.is_none_or(|(_, value)| value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8"));
    is_utf8 && subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}
