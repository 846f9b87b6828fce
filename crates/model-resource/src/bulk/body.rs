//! The objects of a request body: an array of JSON, or the lines of NDJSON or CSV.

use model_resource_schema::csv;
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::serializer::CompiledSerializer;
use serde_json::value::RawValue;

use crate::body::{Media, text_in};
use crate::context::Context;
use crate::error::{Error, Result};

/// One of many objects, as it was sent.
pub(super) struct BulkItem {
    /// Where it stands: its index in an array, from 0, or its line in a file, from 1.
    pub(super) position: usize,
    /// The JSON object, or what is wrong with its line.
    pub(super) object: Result<String, Errors>,
}

/// What stands in a body.
pub(super) enum BulkBody {
    /// Many objects.
    Many(Vec<BulkItem>),
    /// Something else, which is JSON as far as its media type says.
    Other(String),
}

/// Reads the first so many objects of a body: what is refused for their number costs no memory for the others.
pub(super) async fn read(cx: &mut Context, plan: &CompiledSerializer, most: usize) -> Result<BulkBody> {
    let (media, text) = text_in(cx, &[Media::Json, Media::Ndjson, Media::Csv]).await?;
    match media {
        Media::Json => array(plan, text, most),
        Media::Ndjson => Ok(BulkBody::Many(lines(&text, most))),
        Media::Csv => table(plan, &text, most).map(BulkBody::Many),
    }
}

fn array(plan: &CompiledSerializer, text: String, most: usize) -> Result<BulkBody> {
    let objects = plan
        .objects(&text, most)
        .map_err(|malformed| Error::malformed(malformed.0))?;
    let Some(objects) = objects else {
        return Ok(BulkBody::Other(text));
    };
    let entry = |(position, object): (usize, &str)| BulkItem {
        position,
        object: Ok(object.to_owned()),
    };
    let entries = objects.into_iter().enumerate().map(entry);
    Ok(BulkBody::Many(entries.collect()))
}

fn lines(text: &str, most: usize) -> Vec<BulkItem> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .take(most)
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

fn table(plan: &CompiledSerializer, text: &str, most: usize) -> Result<Vec<BulkItem>> {
    let mut lines = csv::read(text);
    let Some(names) = lines.next() else {
        return Ok(Vec::new());
    };
    let names = names.map_err(|misquoted| Error::malformed(misquoted.to_string()))?;
    let header = plan.header(&names.cells).map_err(Error::malformed)?;
    lines
        .take(most)
        .map(|line| {
            let line = line.map_err(|misquoted| Error::malformed(misquoted.to_string()))?;
            Ok(BulkItem {
                position: line.number,
                object: header.object(&line.cells),
            })
        })
        .collect()
}
