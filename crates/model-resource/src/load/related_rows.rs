//! Existing rows that the related objects of a body are about.

use model_resource_schema::column::{Column, Table};
use model_resource_schema::message::{Message, code};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::serializer::NestedInput;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, ListQuery};

use crate::pipeline::{Context, Error, Result};

/// Maximum objects of one relation in a body.
pub(super) const MAX_CHILDREN: usize = 1000;

/// Error of a relation with too many objects.
pub(super) fn too_many() -> Message {
    let text = format!("There are more than {MAX_CHILDREN} objects; write them at their own URL.");
    Message::new(code::OBJECT, text)
}

/// Key of a row.
pub(super) fn key_of(table: &'static Table, row: &Record) -> Value {
    row.value(table.primary_key).to_value()
}

/// Value that identifies an object.
pub(super) fn key_value(column: &Column, json: &str) -> Option<Value> {
    let raw = serde_json::from_str(json).ok()?;
    column.load(raw).ok().filter(|key| !key.is_null())
}

/// Reads rows of a relation. Ends the request if there are too many to be written with their parent.
pub(super) async fn read_rows(cx: &Context, input: &NestedInput, rows: AnyQuery) -> Result<Vec<Record>> {
    let max = u64::try_from(MAX_CHILDREN).unwrap_or(u64::MAX).saturating_add(1);
    let list = ListQuery::of(rows).limit(max);
    let rows = cx.store_unchecked().records(&list).await?;
    if rows.len() > MAX_CHILDREN {
        return Err(Error::field(input.name, too_many()));
    }
    Ok(rows)
}
