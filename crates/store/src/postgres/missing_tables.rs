//! Tables that statements have not found, so that each is logged once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_postgres::error::DbError;

/// Maximum number of missing tables that are remembered and logged.
const MAX_TABLES: usize = 256;

/// Missing tables, by the server's messages.
#[derive(Default)]
pub(super) struct MissingTables {
    messages: Mutex<BTreeSet<String>>,
    /// Whether there are any, readable without the lock.
    is_used: AtomicBool,
}

impl MissingTables {
    /// Notes the error of a statement that has not found a table. Logs it unless the table is known to be missing.
    pub(super) fn add(&self, error: &DbError) {
        let mut messages = self.messages();
        if messages.len() < MAX_TABLES && messages.insert(error.message().to_owned()) {
            self.is_used.store(true, Ordering::Relaxed);
            let (reason, sqlstate) = (error.message(), error.code().code());
            tracing::error!(reason, sqlstate, "a table of the database is missing");
        }
    }

    /// Notes that a statement has found its table, and logs that if it was missing.
    pub(super) fn found(&self, table: Option<&str>) {
        let Some(table) = table.filter(|_| self.is_used.load(Ordering::Relaxed)) else {
            return;
        };
        let mut messages = self.messages();
        let before = messages.len();
        messages.retain(|message| !names(message, table));
        if messages.len() < before {
            self.is_used.store(!messages.is_empty(), Ordering::Relaxed);
            tracing::info!(table, "the table is available again");
        }
    }

    fn messages(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a message names a table. The server may translate the words and the quotes around the name.
fn names(message: &str, table: &str) -> bool {
    let is_outside = |c: char| !c.is_alphanumeric() && !"_.$".contains(c);
    message.split(is_outside).any(|word| word == table)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_message_names_a_table_in_every_language() {
        assert!(names("relation \"tags\" does not exist", "tags"));
        assert!(names("Relation »crm.tags« existiert nicht", "crm.tags"));
        assert!(!names("relation \"article_tags\" does not exist", "tags"));
        assert!(!names("relation \"crm.tags\" does not exist", "tags"));
    }
}
