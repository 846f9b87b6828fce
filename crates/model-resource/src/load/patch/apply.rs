//! Patches of other formats, as objects with the new values.

use std::sync::Arc;

use http::{HeaderValue, header};
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Record;
use model_resource_schema::serializer::CompiledSerializer;
use serde_json::{Map, Value};

use crate::load::body_text::is_media_type;
use crate::load::patch::json_patch::JsonPatch;
use crate::load::patch::merge_patch::merge;
use crate::pipeline::{Context, Error, Result};

/// Value of `Accept-Patch`.
pub(crate) const ACCEPT_PATCH: HeaderValue =
    HeaderValue::from_static("application/json, application/merge-patch+json, application/json-patch+json");

/// Format of a patch that depends on the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::load) enum PatchFormat {
    /// JSON Merge Patch (RFC 7396): as an object with the new values, but JSON documents are merged.
    Merge,
    /// JSON Patch (RFC 6902): a list of operations.
    Operations,
}

impl PatchFormat {
    /// Format that a request declares. `None` for an object with the new values.
    pub(in crate::load) fn of(cx: &Context) -> Option<Self> {
        let content_type = cx.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
        if is_media_type(content_type, "application/merge-patch+json") {
            Some(Self::Merge)
        } else if is_media_type(content_type, "application/json-patch+json") {
            Some(Self::Operations)
        } else {
            None
        }
    }
}

/// Returns the object with the new values that a patch of this row has.
pub(in crate::load) async fn plain_body(
    cx: &Context,
    serializer: &CompiledSerializer,
    format: PatchFormat,
    patch: &str,
    row: &Record,
) -> Result<String> {
    let envelope = serializer
        .projection()
        .envelope()
        .map(|envelope| envelope.one.as_str());
    let before = shown(cx, serializer, row).await?;
    let changes = match format {
        PatchFormat::Merge => merged(serializer, inner(&before, envelope), patch, envelope)?,
        PatchFormat::Operations => operated(&before, patch, envelope)?,
    };
    let Some(changes) = changes else {
        // Not an object; the serializer reports it.
        return Ok(patch.to_owned());
    };
    Ok(serializer.alone(&Value::Object(changes).to_string()))
}

/// The object as the caller sees it.
async fn shown(cx: &Context, serializer: &CompiledSerializer, row: &Record) -> Result<Value> {
    let projection = cx.access(serializer.table()).written_projection()?;
    let (rows, related) = cx
        .store()
        .related(Arc::clone(projection.relations()), vec![row.clone()])
        .await?;
    let mut text = Vec::new();
    if let Some(row) = rows.first() {
        projection
            .dump(&mut text, row, &related)
            .map_err(Error::internal)?;
    }
    serde_json::from_slice(&text).map_err(Error::internal)
}

/// The object inside its envelope.
fn inner<'v>(value: &'v Value, envelope: Option<&str>) -> Option<&'v Map<String, Value>> {
    match envelope {
        Some(name) => value.get(name)?.as_object(),
        None => value.as_object(),
    }
}

/// Members of a merge patch, with merged documents.
fn merged(
    serializer: &CompiledSerializer,
    before: Option<&Map<String, Value>>,
    patch: &str,
    envelope: Option<&str>,
) -> Result<Option<Map<String, Value>>> {
    let patch: Value =
        serde_json::from_str(patch).map_err(|error| Error::malformed(format!("Malformed JSON: {error}.")))?;
    let Some(mut changes) = inner(&patch, envelope).cloned() else {
        return Ok(None);
    };
    let columns = serializer.table().columns.iter();
    for column in columns.filter(|column| column.data_type == DataType::Json) {
        let name = column.wire_name();
        if let Some(change @ Value::Object(_)) = changes.get_mut(&name) {
            let mut document = before
                .and_then(|before| before.get(&name))
                .cloned()
                .unwrap_or_default();
            merge(&mut document, change.take());
            *change = document;
        }
    }
    Ok(Some(changes))
}

/// Members that the operations of a patch change. A removed one becomes null.
fn operated(before: &Value, patch: &str, envelope: Option<&str>) -> Result<Option<Map<String, Value>>> {
    let patch = JsonPatch::parse(patch).map_err(Error::malformed)?;
    let mut after = before.clone();
    patch.apply(&mut after).map_err(|failure| {
        Error::conflict(format!(
            "Operation {} of the JSON Patch cannot be applied: {}.",
            failure.position, failure.reason
        ))
    })?;
    let (Some(before), Some(after)) = (inner(before, envelope), inner(&after, envelope)) else {
        return Err(Error::conflict(
            "The JSON Patch does not leave an object of the same form.",
        ));
    };
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let mut changes: Map<String, Value> = removed.map(|name| (name.clone(), Value::Null)).collect();
    let changed = after
        .iter()
        .filter(|(name, value)| before.get(*name) != Some(value));
    changes.extend(changed.map(|(name, value)| (name.clone(), value.clone())));
    Ok(Some(changes))
}
