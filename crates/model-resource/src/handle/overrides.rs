//! Custom operations of a resource.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use crate::description::HandlerSchemas;
use crate::handle::reply::Reply;
use crate::pipeline::{Context, Handler, Result};
use crate::routing::Operation;

/// Collects the custom handlers of a resource.
#[derive(Default)]
pub struct Overrides {
    handlers: HashMap<Operation, Handler>,
    loaded: Vec<Operation>,
    descriptions: HashMap<Operation, &'static str>,
    schemas: HashMap<Operation, Arc<HandlerSchemas>>,
}

impl Overrides {
    /// Defines an operation.
    pub fn set<F, Fut>(&mut self, operation: Operation, handler: F)
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Reply>> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |cx| {
            let context = cx.render_context();
            let handled = handler(cx);
            Box::pin(async move { Ok(handled.await?.in_context(context)) })
        });
        self.handlers.insert(operation, handler);
    }

    /// Sets whether one of an operation's arguments comes from its loaders.
    pub fn takes_loaded(&mut self, operation: Operation, loaded: bool) {
        if loaded {
            self.loaded.push(operation);
        }
    }

    /// Documents an operation for clients, in Markdown.
    pub fn describe(&mut self, operation: Operation, text: &'static str) {
        self.descriptions.insert(operation, text);
    }

    /// Describes the arguments and the reply of an operation.
    pub fn schemas(&mut self, operation: Operation, describe: fn(&mut HandlerSchemas)) {
        let mut schemas = HandlerSchemas::default();
        describe(&mut schemas);
        if !schemas.is_empty() {
            self.schemas.insert(operation, Arc::new(schemas));
        }
    }

    /// Schemas of a custom operation, if there are any.
    pub(crate) fn schemas_of(&self, operation: Operation) -> Option<&Arc<HandlerSchemas>> {
        self.schemas.get(&operation)
    }

    /// Documentation of a custom operation; empty if there is none.
    pub(crate) fn description(&self, operation: Operation) -> &'static str {
        self.descriptions.get(&operation).copied().unwrap_or_default()
    }

    /// Custom handler of an operation, if it is defined.
    pub(crate) fn get(&self, operation: Operation) -> Option<&Handler> {
        self.handlers.get(&operation)
    }

    /// Whether the operation needs its loaders. The default handler always does.
    pub(crate) fn needs_loaded(&self, operation: Operation) -> bool {
        !self.handlers.contains_key(&operation) || self.loaded.contains(&operation)
    }
}
