//! Callers that were authenticated a short time ago.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foldhash::HashMap;
use model_resource::store::StoreIdentity;
use model_resource::{Caller, Store};

use crate::account::Account;
use crate::credential_store::StoredCredential;
use crate::secret::Secret;

/// Maximum number of entries of a shard; beyond it all are removed.
const MAX_ENTRIES: usize = 1_000;
/// Number of shards.
const SHARDS: usize = 8;

thread_local! {
    /// Shard that this thread uses.
    static SHARD: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Recent credentials of one kind with their callers, by the keys of the credentials.
///
/// An entry is used for a limited time, and only while no credential and no account is changed or deleted. The time limits
/// how long changes by other processes go unnoticed, if the store does not notice them. It is used only with its own store:
/// several apis may share a cache, and another database has other credentials with the same keys.
///
/// Each thread has a shard of its own, as long as there are enough. Threads that serve requests with the same credential
/// would otherwise exchange the cache lines of the lock and of the reference counts at each request.
pub(crate) struct CredentialCache<I>([Shard<I>; SHARDS]);

/// Entries of one thread.
#[repr(align(128))]
struct Shard<I>(Mutex<HashMap<i64, Entry<I>>>);

struct Entry<I> {
    store: StoreIdentity,
    /// State before the credential and its account were read.
    revision: Revision,
    found: Arc<Authenticated<I>>,
}

/// A valid credential and its caller.
pub(crate) struct Authenticated<I> {
    pub(crate) credential: I,
    /// Secret that was found to be the credential's. Comparing it is faster than hashing the one of a request.
    pub(crate) secret: Secret,
    pub(crate) caller: Caller,
}

/// State of the tables of credentials, accounts and roles at a time.
#[derive(Clone, Copy)]
pub(crate) struct Revision {
    /// Commits by other processes, if the store notices them.
    foreign_commits: Option<u64>,
    credentials: u64,
    accounts: u64,
    /// State of the tables of roles, if the roles are in tables.
    roles: u64,
    at: Instant,
    /// Time for which the state holds, if nothing changes.
    max_age: Duration,
}

impl Revision {
    pub(crate) fn current<I: StoredCredential, A: Account>(
        store: &Store,
        foreign_commits: Option<u64>,
        max_age: Duration,
    ) -> Self {
        Self {
            foreign_commits,
            credentials: store.change_count(I::table()),
            accounts: store.change_count(A::table()),
            roles: A::ROLES.change_count(store),
            at: Instant::now(),
            max_age,
        }
    }

    /// Whether what was read at this state still holds at a later one.
    fn holds_at(self, later: Self) -> bool {
        self.foreign_commits == later.foreign_commits
            && self.credentials == later.credentials
            && self.accounts == later.accounts
            && self.roles == later.roles
            && later.at.saturating_duration_since(self.at) < self.max_age
    }
}

impl<I: StoredCredential> CredentialCache<I> {
    /// Returns the entry of a credential if the secret is right and nothing has changed.
    pub(crate) fn get(
        &self,
        store: &Store,
        (id, secret): (i64, &Secret),
        revision: Revision,
    ) -> Option<Arc<Authenticated<I>>> {
        let found = {
            let mut entries = self.entries();
            let entry = entries.get(&id)?;
            if !entry.store.is_of(store) || !entry.revision.holds_at(revision) {
                entries.remove(&id);
                return None;
            }
            Arc::clone(&entry.found)
        };
        let is_valid = found.credential.claim().expires_at > store.now() && secret.is(&found.secret);
        is_valid.then_some(found)
    }

    /// Adds what was read from the store after this state.
    pub(crate) fn insert(&self, store: &Store, id: i64, revision: Revision, found: Arc<Authenticated<I>>) {
        let mut entries = self.entries();
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        let store = store.identity();
        entries.insert(
            id,
            Entry {
                store,
                revision,
                found,
            },
        );
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<i64, Entry<I>>> {
        let Shard(entries) = &self.0[shard_of_thread()];
        entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shard of this thread. Threads get them in turn.
fn shard_of_thread() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    SHARD.with(|shard| {
        shard.get().unwrap_or_else(|| {
            let next = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
            shard.set(Some(next));
            next
        })
    })
}

impl<I> Default for CredentialCache<I> {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Shard(Mutex::default())))
    }
}
