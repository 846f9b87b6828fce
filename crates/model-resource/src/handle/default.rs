//! Default handlers of the operations.

use std::future::ready;
use std::sync::Arc;

use http::header;
use model_resource_schema::column::Table;
use model_resource_schema::model::Row;
use model_resource_store::RowKey;

use crate::conditional::{Preconditions, changed_at, last_modified, shown_change};
use crate::handle::payload::Data;
use crate::handle::payload::{ReplyObject, Wants};
use crate::handle::reply::Reply;
use crate::pipeline::{Context, Error, Handler, LoadedObject, Result};
use crate::routing::Operation;

/// Returns the default handler of an operation on a table. Separate functions, so that each future is only as large as
/// it needs to be.
pub(crate) fn default_handler(operation: Operation, table: &'static Table) -> Handler {
    match operation {
        Operation::List => Arc::new(|cx| Box::pin(ready(list(cx)))),
        Operation::Get => Arc::new(move |cx| Box::pin(get(table, cx))),
        Operation::Delete => Arc::new(move |cx| Box::pin(delete(table, cx))),
        Operation::Create => Arc::new(|cx| Box::pin(create(cx))),
        Operation::Put | Operation::Patch => Arc::new(|cx| Box::pin(update(cx))),
    }
}

fn list(mut cx: Context) -> Result<Reply> {
    let rows = cx.loaded_mut().rows.take().ok_or_else(not_loaded)?;
    Ok(Reply::data(Data::Rows(rows)).in_context(cx.into_render_context()))
}

async fn get(table: &'static Table, mut cx: Context) -> Result<Reply> {
    let projection = cx.access(table).object_projection()?;
    let (keep, services) = (
        ReplyObject::of(&projection, Wants::Text),
        Arc::clone(cx.services()),
    );
    let column = shown_change(&cx, table)?;
    let keep = move |row: &dyn Row| {
        let changed = column.and_then(|column| changed_at(row, column));
        (keep(row), services.row_tags.tag(table, row), changed)
    };
    let (kept, tag, changed) = cx.take_object(table, keep).await?;
    let preconditions = Preconditions::of_read(cx.headers())?;
    preconditions.check_change(&tag, changed)?;
    preconditions.check_tag(&tag)?;
    let now = cx.now();
    let reply = cx.reply(kept?.into_data(projection));
    let reply = reply.with_header(header::ETAG, tag.header());
    Ok(match changed.and_then(|changed| last_modified(changed, now)) {
        Some(date) => reply.with_header(header::LAST_MODIFIED, date),
        None => reply,
    })
}

async fn delete(table: &'static Table, mut cx: Context) -> Result<Reply> {
    match cx.loaded_mut().object.take().ok_or_else(not_loaded)? {
        LoadedObject::Key(key) => cx.reply_deleted(table, key, None).await,
        LoadedObject::Row(record) => {
            let key = record.values()[table.primary_key].clone();
            cx.reply_deleted(table, RowKey::Primary(key), Some(&record)).await
        }
    }
}

async fn create(mut cx: Context) -> Result<Reply> {
    let draft = cx.loaded_mut().draft.take().ok_or_else(not_loaded)?;
    cx.reply_created(draft).await
}

async fn update(mut cx: Context) -> Result<Reply> {
    let draft = cx.loaded_mut().draft.take().ok_or_else(not_loaded)?;
    cx.reply_updated(draft).await
}

fn not_loaded() -> Error {
    Error::internal("an automatic operation ran without its loaders")
}
