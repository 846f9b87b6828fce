//! `list_loader`: the rows that a collection URL names.

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_store::Select;

use crate::context::Context;
use crate::decorator::{Decorator, Next};
use crate::error::{Error, Result};
use crate::operation::{LIST, Operations};
use crate::reply::Reply;

/// Loads all instances of `M`, within the parent that a nested URL names. The rows are read only when they are used.
pub fn list_loader<M: Model>() -> impl Decorator {
    ListLoader { table: M::table() }
}

pub(crate) struct ListLoader {
    pub(crate) table: &'static Table,
}

impl Decorator for ListLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let table = self.table;
        Box::pin(async move {
            let select = cx.select(table)?;
            require_parents(&cx, &select).await?;
            cx.found().rows = Some(select);
            next.run(cx).await
        })
    }

    fn name(&self) -> &'static str {
        "list_loader"
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if std::ptr::eq(self.table, table) {
            LIST.into()
        } else {
            Operations::NONE
        }
    }
}

/// A nested URL whose parent does not exist is itself not there.
pub(crate) async fn require_parents(cx: &Context, select: &Select) -> Result<()> {
    for (column, key) in select.conditions() {
        let references = select.table().columns[*column].references;
        let parent = references.map(|references| (references.table)());
        if let Some(parent) = parent.filter(|_| !key.is_null())
            && !cx.store().exists(parent, key.clone()).await?
        {
            return Err(Error::not_found());
        }
    }
    Ok(())
}
