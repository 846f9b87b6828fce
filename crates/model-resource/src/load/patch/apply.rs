//! Patches of other formats, as objects with the new values.

use std::sync::Arc;

use http::{HeaderValue, header};
use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Record;
use model_resource_schema::query::AnyColumns;
use model_resource_schema::serializer::{CompiledSerializer, refuse_depth};
use serde_json::{Map, Value};

use crate::load::body_text::{Media, is_media_type, is_merge_patch, text_in};
use crate::load::patch::increment::{INCREMENT, incremented};
use crate::load::patch::json_patch::JsonPatch;
use crate::load::patch::merge_patch::merge;
use crate::pipeline::{Context, Error, PatchedRow, Result, run_cpu_bound};

/// Value of `Accept-Patch`.
pub(crate) const ACCEPT_PATCH: HeaderValue =
    HeaderValue::from_static("application/json, application/merge-patch+json, application/json-patch+json");

/// Maximum values in a patch, and in an object that a patch is applied to: both are kept as trees.
const MAX_VALUES: usize = 100_000;
/// Length of texts from which a patch is applied on the pool for CPU-bound work.
const LONG: usize = 16 * 1024;

/// Patch whose changes depend on the row.
pub(in crate::load) struct RowPatch {
    format: PatchFormat,
    text: Arc<str>,
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
        if is_merge_patch(cx) {
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
        if has_too_many_values(text.as_bytes()) {
            return Err(Error::malformed(format!(
                "A patch has at most {MAX_VALUES} values: send the new ones as application/json."
            )));
        }
        Ok(Some(Self {
            format,
            text: text.into(),
        }))
    }

    /// Mark of the request.
    pub(in crate::load) fn kind(&self) -> PatchedRow {
        match self.format {
            PatchFormat::Merge | PatchFormat::Increments(_) => PatchedRow::Members,
            PatchFormat::Operations => PatchedRow::Operations,
        }
    }

    /// Returns the object with the new values that the patch of a row has. Fails if no client could send it as a body.
    pub(in crate::load) async fn plain_body(
        &self,
        cx: &Context,
        serializer: &Arc<CompiledSerializer>,
        row: &Record,
    ) -> Result<String> {
        let body = match self.format {
            PatchFormat::Merge | PatchFormat::Operations => {
                let before = shown(cx, serializer, row).await?;
                let is_long = before.len().max(self.text.len()) > LONG;
                let apply = self.application(serializer, before);
                if is_long {
                    run_cpu_bound(apply).await??
                } else {
                    apply()?
                }
            }
            PatchFormat::Increments(columns) => {
                let columns = visible(cx, serializer.table(), columns, row);
                match members(&self.text, envelope(serializer))? {
                    Some(members) => {
                        let changes = incremented(serializer.table(), columns, row, members)?;
                        plain(serializer, Some(changes), &self.text)
                    }
                    None => String::from(&*self.text),
                }
            }
        };
        let limit = cx.services().body_limit;
        if body.len() > limit {
            return Err(Error::malformed(format!(
                "The changes of the patch are larger than {limit} bytes: send smaller ones."
            )));
        }
        Ok(body)
    }

    /// Function that applies the patch to the text of an object.
    fn application(
        &self,
        serializer: &Arc<CompiledSerializer>,
        before: Vec<u8>,
    ) -> impl FnOnce() -> Result<String> + Send + use<> {
        let (format, text, serializer) = (self.format, Arc::clone(&self.text), Arc::clone(serializer));
        move || {
            let envelope = envelope(&serializer);
            let before = || {
                if has_too_many_values(&before) {
                    return Err(Error::malformed(format!(
                        "An object with more than {MAX_VALUES} values cannot be patched in this format: send the new values as \
                         application/json."
                    )));
                }
                serde_json::from_slice::<Value>(&before).map_err(Error::internal)
            };
            let changes = match format {
                PatchFormat::Operations => Some(operated(&before()?, &text, envelope)?),
                PatchFormat::Merge | PatchFormat::Increments(_) => match members(&text, envelope)? {
                    Some(members) if has_documents(&serializer, &members) => {
                        Some(merged(&serializer, inner(&before()?, envelope), members))
                    }
                    members => members,
                },
            };
            Ok(plain(&serializer, changes, &text))
        }
    }
}

/// Name of the envelope that objects are in.
fn envelope(serializer: &CompiledSerializer) -> Option<&str> {
    let envelope = serializer.projection().envelope();
    envelope.map(|envelope| envelope.one.as_str())
}

/// The changes as a body. Without them the patch is no object, which the serializer reports.
fn plain(serializer: &CompiledSerializer, changes: Option<Map<String, Value>>, patch: &str) -> String {
    match changes {
        Some(changes) => serializer.alone(&Value::Object(changes).to_string()),
        None => patch.to_owned(),
    }
}

/// Whether a JSON text may have more values than a tree is built for. Counts too many if texts contain separators.
fn has_too_many_values(json: &[u8]) -> bool {
    let is_separator = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    json.len() > MAX_VALUES && json.iter().filter(is_separator).count() > MAX_VALUES
}

/// Members of a patch, if it is an object in its envelope.
fn members(patch: &str, envelope: Option<&str>) -> Result<Option<Map<String, Value>>> {
    let patch: Value =
        serde_json::from_str(patch).map_err(|error| Error::malformed(format!("Malformed JSON: {error}.")))?;
    Ok(inner(&patch, envelope).cloned())
}

/// Columns among these that the caller sees on a row.
fn visible(cx: &Context, table: &'static Table, columns: AnyColumns, row: &Record) -> AnyColumns {
    let access = cx.access(table);
    let columns = columns.without(access.hidden());
    match access.private() {
        Some(private) if !private.are_shown_on(row) => columns.without(private.columns),
        _ => columns,
    }
}

/// Whether a patch merges documents.
fn has_documents(serializer: &CompiledSerializer, changes: &Map<String, Value>) -> bool {
    let mut columns = serializer.table().columns.iter();
    columns.any(|column| {
        column.data_type == DataType::Json
            && matches!(changes.get(&column.wire_name()), Some(Value::Object(_)))
    })
}

/// The object as the caller sees it, in JSON.
async fn shown(cx: &Context, serializer: &CompiledSerializer, row: &Record) -> Result<Vec<u8>> {
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
    Ok(text)
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
