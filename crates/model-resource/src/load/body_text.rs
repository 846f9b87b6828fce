//! Request bodies: media type and text.

use http::header;

use crate::pipeline::{Context, Error, ErrorKind, Result, content_coding};

/// Subtype of JSON Patch (RFC 6902).
const JSON_PATCH: &str = "json-patch+json";

/// Supported media types of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Ndjson,
    #[cfg(feature = "csv")]
    Csv,
    /// A list of changes (RFC 6902).
    JsonPatch,
}

/// Body as text, if it is declared as JSON.
pub(crate) async fn json_text(cx: &Context) -> Result<String> {
    let (_, text) = text_in(cx, &[Media::Json]).await?;
    Ok(text)
}

/// Body as text, if it is declared as one of these media types.
pub(crate) async fn text_in(cx: &Context, known: &[Media]) -> Result<(Media, String)> {
    let media = media_of(cx, known)?;
    if let Some(text) = cx.take_body_text() {
        return Ok((media, text));
    }
    let body = cx.body().await?;
    let text = String::from_utf8(body.into()).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = valid.len()
            - valid
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |at| at + 1)
            + 1;
        Error::malformed(format!(
            "Malformed {}: invalid UTF-8 at line {line} column {column}.",
            media.name()
        ))
    })?;
    Ok((media, text))
}

/// Media type of the body. A request without a body needs none.
fn media_of(cx: &Context, known: &[Media]) -> Result<Media> {
    if !cx.has_body() {
        return Ok(Media::Json);
    }
    let unsupported = |message: String| Err(Error::new(ErrorKind::UnsupportedMediaType(message)));
    let header = |name| {
        cx.headers()
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    let content_type = header(header::CONTENT_TYPE);
    if content_type.is_some_and(|content_type| !is_utf8(content_type)) {
        return unsupported("The request body must be UTF-8: send it without another charset.".to_owned());
    }
    if content_type.is_some_and(is_json_patch) && !known.contains(&Media::JsonPatch) {
        let message = "A JSON Patch is for the PATCH of one object: send the objects or the new values, with \
                       `Content-Type: application/json`.";
        return unsupported(message.to_owned());
    }
    let declared = content_type.and_then(Media::of);
    let Some(media) = declared.filter(|media| known.contains(media)) else {
        let others = known.iter().filter(|media| **media != Media::Json);
        let others: String = others.map(|media| format!(", or as {}", media.name())).collect();
        return unsupported(format!(
            "The request body must be JSON: send it with `Content-Type: application/json`{others}."
        ));
    };
    content_coding(cx.headers())?;
    Ok(media)
}

impl Media {
    fn name(self) -> &'static str {
        match self {
            Media::Json => "JSON",
            Media::Ndjson => "NDJSON",
            #[cfg(feature = "csv")]
            Media::Csv => "CSV",
            Media::JsonPatch => "JSON Patch",
        }
    }

    /// `application/json` and `application/*+json`, `application/x-ndjson` and `text/csv`.
    fn of(media_type: &str) -> Option<Self> {
        match essence(media_type).to_ascii_lowercase().as_str() {
            #[cfg(feature = "csv")]
            "text/csv" => Some(Media::Csv),
            "application/x-ndjson" | "application/ndjson" => Some(Media::Ndjson),
            other => {
                let subtype = other.strip_prefix("application/")?;
                match subtype {
                    JSON_PATCH => Some(Media::JsonPatch),
                    "json" => Some(Media::Json),
                    other => other.ends_with("+json").then_some(Media::Json),
                }
            }
        }
    }
}

/// Whether the body of a request is a JSON Merge Patch.
pub(crate) fn is_merge_patch(cx: &Context) -> bool {
    let media_type = cx.headers().get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| is_media_type(media_type, "application/merge-patch+json"))
}

/// Whether a media type is this one, with any parameters.
pub(crate) fn is_media_type(media_type: &str, expected: &str) -> bool {
    essence(media_type).eq_ignore_ascii_case(expected)
}

/// Media type without its parameters.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or(media_type).trim()
}

/// Whether a body is a JSON Patch, a list of changes that would be misread as new values.
fn is_json_patch(media_type: &str) -> bool {
    is_media_type(media_type, "application/json-patch+json")
}

/// Whether a media type names no charset other than UTF-8.
fn is_utf8(media_type: &str) -> bool {
    let parameters = media_type
        .split(';')
        .skip(1)
        .filter_map(|parameter| parameter.split_once('='));
    let mut charsets = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"));
    charsets.all(|(_, charset)| charset.trim().trim_matches('"').eq_ignore_ascii_case("utf-8"))
}
