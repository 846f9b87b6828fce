//! Where credentials of one kind are looked up: among the recent ones, then in the store.

use model_resource::{Result, Store};

use crate::account::Account;
use crate::credential_batch::{CredentialRead, CredentialReads, FoundCredential};
use crate::credential_cache::CredentialCache;
use crate::credential_store::StoredCredential;
use crate::read_batches;
use crate::secret::Secret;

/// Recent credentials of one kind, and the queue of the requests that read others.
pub(crate) struct CredentialLookup<I, A> {
    pub(crate) recent: CredentialCache<I>,
    reads: CredentialReads<I, A>,
}

impl<I: StoredCredential, A: Account> CredentialLookup<I, A> {
    /// Reads a credential with its account. Several requests share the statements, unless the store notices all
    /// changes, so that credentials are cached, or may read in a transaction.
    pub(crate) async fn read(
        &self,
        store: &Store,
        id: i64,
        secret: &Secret,
    ) -> Result<Option<FoundCredential<I, A>>> {
        let read = || CredentialRead::new(store, id, secret);
        if store.foreign_commit_count().is_some() || store.is_in_transaction() || store.is_deferred() {
            return Ok(read_batches::run_alone(read()).await?);
        }
        Ok(self.reads.run(read).await?)
    }
}

impl<I, A> Default for CredentialLookup<I, A> {
    fn default() -> Self {
        Self {
            recent: CredentialCache::default(),
            reads: CredentialReads::default(),
        }
    }
}
