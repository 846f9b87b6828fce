//! What each operation does when the resource defines nothing of its own.

use std::sync::Arc;

use model_resource_schema::column::Table;

use crate::context::Context;
use crate::decorator::Handler;
use crate::error::{Error, Result};
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
            let record = cx.found().record.take().ok_or_else(not_loaded)?;
            Ok(Reply::data(Data::One(table, Box::new(record))))
        }
        Operation::Delete => {
            let record = cx.found().record.take().ok_or_else(not_loaded)?;
            cx.delete(table, &record).await
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
