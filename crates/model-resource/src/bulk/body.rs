//! Bulk bodies: a JSON array, or the lines of NDJSON or CSV.

use http::Method;
#[cfg(feature = "csv")]
use model_resource_schema::csv;
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::serializer::CompiledSerializer;
use serde_json::value::RawValue;

use crate::load::{Media, is_merge_patch, text_in};
use crate::pipeline::{Context, Error, ErrorKind, Result};

/// One item of a bulk body.
pub(super) struct BulkItem {
    /// Position of the item: its index in an array, from 0, or its line in a file, from 1.
    pub(super) position: usize,
    /// JSON object, or the errors of its line.
    pub(super) object: Result<String, Errors>,
}

/// Content of a body.
pub(super) enum BulkBody {
    /// Several objects.
    Many(Vec<BulkItem>),
    /// Any other text, which is JSON according to its media type.
    Other(String),
}

const BULK_MEDIA: &[Media] = &[
    Media::Json,
    Media::Ndjson,
    #[cfg(feature = "csv")]
    Media::Csv,
];

/// Parses at most `max` items of a body, so that a body with too many takes no memory for the rest.
pub(super) async fn read(cx: &mut Context, serializer: &CompiledSerializer, max: usize) -> Result<BulkBody> {
    if *cx.method() == Method::PATCH && is_merge_patch(cx) {
        let message = "A JSON Merge Patch is for the PATCH of one object: send the objects or the new values, with \
                       `Content-Type: application/json`.";
        return Err(Error::new(ErrorKind::UnsupportedMediaType(message.to_owned())));
    }
    let (media, text) = text_in(cx, BULK_MEDIA).await?;
    match media {
        // A JSON Patch is not among the accepted types.
        Media::Json | Media::JsonPatch => array(serializer, text, max),
        Media::Ndjson => Ok(BulkBody::Many(lines(&text, max))),
        #[cfg(feature = "csv")]
        Media::Csv => table(cx.method(), serializer, &text, max).map(BulkBody::Many),
    }
}

fn array(serializer: &CompiledSerializer, text: String, max: usize) -> Result<BulkBody> {
    let objects = serializer
        .objects(&text, max)
        .map_err(|malformed| Error::malformed(malformed.0))?;
    let Some(objects) = objects else {
        return Ok(BulkBody::Other(text));
    };
    let item = |(position, object): (usize, &str)| BulkItem {
        position,
        object: Ok(object.to_owned()),
    };
    let items = objects.into_iter().enumerate().map(item);
    Ok(BulkBody::Many(items.collect()))
}

fn lines(text: &str, max: usize) -> Vec<BulkItem> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .take(max)
        .map(|(index, line)| BulkItem {
            position: index + 1,
            object: json_line(line),
        })
        .collect()
}

fn json_line(line: &str) -> Result<String, Errors> {
    match serde_json::from_str::<&RawValue>(line) {
        Ok(json) => Ok(json.get().to_owned()),
        Err(error) => {
            let text = format!("Malformed JSON at column {}.", error.column());
            Err(Errors::object(Message::new(code::MALFORMED, text)))
        }
    }
}

#[cfg(feature = "csv")]
fn table(method: &Method, serializer: &CompiledSerializer, text: &str, max: usize) -> Result<Vec<BulkItem>> {
    let mut lines = csv::read(text);
    let Some(names) = lines.next() else {
        return Ok(Vec::new());
    };
    let names = names.map_err(|misquoted| Error::malformed(misquoted.to_string()))?;
    let header = if *method == Method::POST {
        serializer.header(&names.cells)
    } else {
        serializer.header_with_versions(&names.cells)
    };
    let header = header.map_err(Error::malformed)?;
    lines
        .take(max)
        .map(|line| {
            let line = line.map_err(|misquoted| Error::malformed(misquoted.to_string()))?;
            Ok(BulkItem {
                position: line.number,
                object: header.object(&line.cells),
            })
        })
        .collect()
}
