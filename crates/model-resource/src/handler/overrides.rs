//! The operations that a resource defines itself.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use crate::context::Context;
use crate::decorator::Handler;
use crate::error::Result;
use crate::operation::Operation;
use crate::reply::Reply;

/// Collects the handlers that a resource defines.
#[derive(Default)]
pub struct Overrides(HashMap<Operation, Handler>);

impl Overrides {
    /// Defines an operation.
    pub fn set<F, Fut>(&mut self, operation: Operation, handler: F)
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply>> + Send + 'static,
    {
        self.0
            .insert(operation, Arc::new(move |cx| Box::pin(handler(cx))));
    }

    pub(crate) fn take(&mut self, operation: Operation) -> Option<Handler> {
        self.0.remove(&operation)
    }
}
