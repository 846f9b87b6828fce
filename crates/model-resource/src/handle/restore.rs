//! Restoration of a deleted object.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::Value;

use crate::handle::reply::Reply;
use crate::pipeline::{Context, Handler, Result};

/// Handler that restores the deleted object of its URL.
pub(crate) fn restore_handler(table: &'static Table) -> Handler {
    Arc::new(move |cx| Box::pin(restore(table, cx)))
}

/// Restores a row by an update. At this URL only deleted rows exist.
async fn restore(table: &'static Table, mut cx: Context) -> Result<Reply> {
    let copy = move |row: &dyn Row| Record::copy(row, table);
    let mut draft = AnyDraft::of(table, cx.take_object(table, copy).await?);
    if let Some(column) = table.soft_delete {
        draft.set(column, Value::Null);
    }
    cx.reply_updated(draft).await
}
