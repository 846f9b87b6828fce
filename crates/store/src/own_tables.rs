//! Knowledge about the tables of the framework itself.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// Contents of the framework's tables, as far as they are known. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct OwnTables(Arc<Known>);

#[derive(Default)]
struct Known {
    secret: OnceLock<String>,
    has_responses: AtomicBool,
}

impl OwnTables {
    /// Secret of the database.
    pub(crate) fn secret(&self) -> Option<&[u8]> {
        self.0.secret.get().map(String::as_bytes)
    }

    /// Sets the secret. Another task may have done so meanwhile; it is the same.
    pub(crate) fn set_secret(&self, secret: String) {
        self.0.secret.set(secret).ok();
    }

    /// Whether the database is known to have the table of responses.
    pub(crate) fn has_responses(&self) -> bool {
        self.0.has_responses.load(Ordering::Relaxed)
    }

    pub(crate) fn set_responses(&self) {
        self.0.has_responses.store(true, Ordering::Relaxed);
    }
}
