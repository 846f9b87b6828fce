//! Subscribers of an api, by the tables of their models.

use std::any::Any;
use std::sync::Arc;

use foldhash::HashMap;
use futures_util::future::BoxFuture;
use model_resource_schema::column::{Table, TableId};

use crate::events::change::RowChange;

/// Subscriber that is called when a change is committed.
pub(crate) type AfterChange = Arc<dyn Fn(RowChange) -> BoxFuture<'static, ()> + Send + Sync>;

/// Subscribers of an api.
#[derive(Default)]
pub(crate) struct Subscribers(HashMap<TableId, TableSubscribers>);

/// Subscribers of one model, in the order of registration.
#[derive(Default)]
pub(crate) struct TableSubscribers {
    /// Subscribers inside the transaction of a write: each an `OnChange`, which takes a context. This module is below it.
    pub(super) inside: Vec<Box<dyn Any + Send + Sync>>,
    pub(super) after: Vec<AfterChange>,
}

impl Subscribers {
    /// Adds a subscriber that runs inside the transactions of writes.
    pub(crate) fn add_inside(&mut self, table: &'static Table, subscriber: Box<dyn Any + Send + Sync>) {
        self.0.entry(table.id()).or_default().inside.push(subscriber);
    }

    /// Adds a subscriber that runs when writes are committed.
    pub(crate) fn add_after(&mut self, table: &'static Table, subscriber: AfterChange) {
        self.0.entry(table.id()).or_default().after.push(subscriber);
    }

    /// Subscribers of a table, if it has any.
    pub(crate) fn of(&self, table: &'static Table) -> Option<&TableSubscribers> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&table.id())
    }

    /// Whether the table has subscribers.
    pub(crate) fn watch(&self, table: &'static Table) -> bool {
        self.of(table).is_some()
    }
}
