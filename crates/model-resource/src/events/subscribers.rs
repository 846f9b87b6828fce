//! Subscribers of an api, by the tables of their models.

use std::any::Any;
use std::sync::Arc;

use foldhash::HashMap;
use futures_util::future::BoxFuture;
use model_resource_schema::column::{Table, TableId};

use crate::events::change::RowChange;
use crate::pipeline::ApiHandle;

/// Subscriber that is called when a change is committed.
pub(crate) type AfterChange = Arc<dyn Fn(ApiHandle, RowChange) -> BoxFuture<'static, ()> + Send + Sync>;

/// Subscribers of an api.
#[derive(Default)]
pub(crate) struct Subscribers(HashMap<TableId, TableSubscribers>);

/// Subscribers of one model, in the order of registration.
pub(crate) struct TableSubscribers {
    table: &'static Table,
    /// Subscribers inside the transaction of a write: each an `OnChange`, which takes a context. This module is below it.
    pub(super) inside: Vec<Box<dyn Any + Send + Sync>>,
    pub(super) after: Vec<AfterChange>,
}

impl Subscribers {
    /// Adds a subscriber that runs inside the transactions of writes.
    pub(crate) fn add_inside(&mut self, table: &'static Table, subscriber: Box<dyn Any + Send + Sync>) {
        self.entry(table).inside.push(subscriber);
    }

    /// Adds a subscriber that runs when writes are committed.
    pub(crate) fn add_after(&mut self, table: &'static Table, subscriber: AfterChange) {
        self.entry(table).after.push(subscriber);
    }

    fn entry(&mut self, table: &'static Table) -> &mut TableSubscribers {
        let none = || TableSubscribers {
            table,
            inside: Vec::new(),
            after: Vec::new(),
        };
        self.0.entry(table.id()).or_insert_with(none)
    }

    /// Tables with subscribers, in no order.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'static Table> {
        self.0.values().map(|subscribers| subscribers.table)
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
