//! Patches of other formats, as objects with the new values.

use std::sync::Arc;

use http::{HeaderValue, header};
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Record;
use model_resource_schema::query::AnyColumns;
use model_resource_schema::serializer::{CompiledSerializer, refuse_depth};
use serde_json::{Map, Value};

use crate::load::body_text::{Media, is_media_type, text_in};
use crate::load::patch::increment::{INCREMENT, incremented};
use crate::load::patch::json_patch::JsonPatch;
use crate::load::patch::merge_patch::merge;
use crate::pipeline::{Context, Error, PatchedRow, Result};

/// Value of `Accept-Patch`.
pub(crate) const ACCEPT_PATCH: HeaderValue =
    HeaderValue::from_static("application/json, application/merge-patch+json, application/json-patch+json");

/// Patch whose changes depend on the row.
pub(in crate::load) struct RowPatch {
    format: PatchFormat,
    text: String,
}

#[derive(Debug, Clone, Copy)]
enum PatchFormat {
    /// JSON Merge Patch (RFC 7396): as an object with the new values, but JSON documents are merged.
    Merge,
    /// JSON Patch (RFC 6902): a list of operations.
    Operations,
    /// An object with the new values, in which these columns may have increments.
    Increments(AnyColumns),
}

impl PatchFormat {
    /// Format of a request's body, unless it is an object with the new values only.
    fn of(cx: &Context, increments: AnyColumns) -> Option<Self> {
        let content_type = cx.headers().get(header::CONTENT_TYPE);
        let content_type = content_type
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        if is_media_type(content_type, "application/merge-patch+json") {
            Some(Self::Merge)
        } else if is_media_type(content_type, "application/json-patch+json") {
            Some(Self::Operations)
        } else {
            (!increments.is_empty()).then_some(Self::Increments(increments))
        }
    }
}

impl RowPatch {
    /// Whether the body of a request may be such a patch.
    pub(in crate::load) fn may_be(cx: &Context, increments: AnyColumns) -> bool {
        PatchFormat::of(cx, increments).is_some()
    }

    /// Reads the body of a request. `None` if it has new values only; it is then left to the next reader.
    pub(in crate::load) async fn read(cx: &mut Context, increments: AnyColumns) -> Result<Option<Self>> {
        let Some(format) = PatchFormat::of(cx, increments) else {
            return Ok(None);
        };
        let (_, text) = text_in(cx, &[Media::Json, Media::JsonPatch]).await?;
        if matches!(format, PatchFormat::Increments(_)) && !text.contains(INCREMENT) {
            cx.put_body_text(text);
            return Ok(None);
        }
        refuse_depth(&text, CompiledSerializer::MAX_DEPTH)
            .map_err(|malformed| Error::malformed(malformed.0))?;
        Ok(Some(Self { format, text }))
    }

    /// Mark of the request.
    pub(in crate::load) fn kind(&self) -> PatchedRow {
        match self.format {
            PatchFormat::Merge | PatchFormat::Increments(_) => PatchedRow::Members,
            PatchFormat::Operations => PatchedRow::Operations,
        }
    }

    /// Returns the object with the new values that the patch of a row has.
    pub(in crate::load) async fn plain_body(
        &self,
        cx: &Context,
        serializer: &CompiledSerializer,
        row: &Record,
    ) -> Result<String> {
        let envelope = serializer.projection().envelope();
        let envelope = envelope.map(|envelope| envelope.one.as_str());
        let changes = match self.format {
            PatchFormat::Merge => {
                let before = shown(cx, serializer, row).await?;
                let before = inner(&before, envelope);
                self.members(envelope)?
                    .map(|members| merged(serializer, before, members))
            }
            PatchFormat::Operations => {
                let before = shown(cx, serializer, row).await?;
                Some(operated(&before, &self.text, envelope)?)
            }
            PatchFormat::Increments(columns) => match self.members(envelope)? {
                Some(members) => Some(incremented(serializer.table(), columns, row, members)?),
                None => None,
            },
        };
        // What is not an object is reported by the serializer.
        Ok(changes.map_or_else(
            || self.text.clone(),
            |changes| serializer.alone(&Value::Object(changes).to_string()),
        ))
    }

    /// Members of the patch, if it is an object in its envelope.
    fn members(&self, envelope: Option<&str>) -> Result<Option<Map<String, Value>>> {
        let patch: Value = serde_json::from_str(&self.text)
            .map_err(|error| Error::malformed(format!("Malformed JSON: {error}.")))?;
        Ok(inner(&patch, envelope).cloned())
    }
}

/// The object as the caller sees it.
async fn shown(cx: &Context, serializer: &CompiledSerializer, row: &Record) -> Result<Value> {
    let projection = cx.access(serializer.table()).written_projection()?;
    let (rows, related) = cx
        .store_unchecked()
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

/// Merges the documents among the members of a patch.
fn merged(
    serializer: &CompiledSerializer,
    before: Option<&Map<String, Value>>,
    mut changes: Map<String, Value>,
) -> Map<String, Value> {
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
    changes
}

/// Members that the operations of a patch change. A removed one becomes null.
fn operated(before: &Value, patch: &str, envelope: Option<&str>) -> Result<Map<String, Value>> {
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
    Ok(changes)
}
