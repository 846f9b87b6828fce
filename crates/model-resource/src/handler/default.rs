//! What each operation does when the resource defines nothing of its own.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::context::{Context, Object};
use crate::decorator::Handler;
use crate::error::{Error, Result};
use crate::kept::Kept;
use crate::operation::Operation;
use crate::reply::{Data, Reply};

/// The automatic handler of an operation on a table.
pub(crate) fn default_handler(operation: Operation, table: &'static Table) -> Handler {
    Arc::new(move |cx| Box::pin(handle(operation, table, cx)))
}

async fn handle(operation: Operation, table: &'static Table, mut cx: Context) -> Result<Reply> {
    let not_loaded = || {
        Error::internal(format!(
            "the default {operation} of {} ran without its loaders",
            table.model
        ))
    };
    match operation {
        Operation::List => {
            let select = cx.found().rows.take().ok_or_else(not_loaded)?;
            Ok(Reply::data(Data::Rows(select)))
        }
        Operation::Get => {
            let keep = Kept::of(cx.services().serializers.single(table)?);
            let kept = cx.take_object(table, keep).await??;
            Ok(Reply::data(kept.into_data(table)))
        }
        Operation::Delete => {
            let key = match cx.found().object.take().ok_or_else(not_loaded)? {
                Object::Named(key) => key,
                Object::Read(record) => record.values()[table.primary_key].clone(),
            };
            cx.delete(table, key).await
        }
        Operation::Create => {
            let draft = cx.found().draft.take().ok_or_else(not_loaded)?;
            cx.create(draft).await
        }
        Operation::Put | Operation::Patch => {
            let draft = cx.found().draft.take().ok_or_else(not_loaded)?;
            cx.update(draft).await
        }
    }
}
