//! Automatic `param_converter` of a resource: the last URL parameter identifies an object of its model.

use std::future::ready;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;

use crate::handle::Reply;
use crate::pipeline::{Context, Decorator, LoadedObject, Next, Result};
use crate::routing::{DELETE, GET, Operations};

/// Takes the object's key from the URL. The object is read lazily, when the operation uses it.
pub(crate) struct ObjectLoader {
    pub(crate) table: &'static Table,
}

impl ObjectLoader {
    fn load(&self, cx: &mut Context) -> Result<()> {
        let key = cx.access(self.table).url_key()?;
        cx.loaded_mut().object = Some(LoadedObject::Key(key));
        Ok(())
    }
}

impl Decorator for ObjectLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        match self.load(&mut cx) {
            Ok(()) => next.run(cx),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "param_converter"
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if self.table.id() == table.id() {
            [GET, DELETE].into()
        } else {
            Operations::NONE
        }
    }
}
