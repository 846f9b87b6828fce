//! A secret that is read once.

use std::sync::{Arc, OnceLock};

/// Secret of a database, once it is known. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct SharedSecret(Arc<OnceLock<String>>);

impl SharedSecret {
    pub(crate) fn get(&self) -> Option<&[u8]> {
        self.0.get().map(String::as_bytes)
    }

    /// Sets the secret. Another task may have done so meanwhile; it is the same.
    pub(crate) fn set(&self, secret: String) {
        self.0.set(secret).ok();
    }
}
