//! Storage shared by sessions and tokens: issued to an account, stored as a hash, valid until they expire.

use model_resource::{Caller, Draft, Error, Field, Model, OrderBy, Query, Result, Store, Timestamp, Where};

use crate::account::{self, Account};
use crate::scope::TransactionScope;
use crate::secret::Secret;

/// Maximum expired credentials deleted whenever one is issued. More are deleted than issued, so that they run out.
const SWEEP_LIMIT: u64 = 20;

/// Model of a stored credential.
pub(crate) trait StoredCredential: Model + Clone {
    const ID: Field<Self, i64>;
    const USER_KEY: Field<Self, String>;
    const TOKEN_HASH: Field<Self, Vec<u8>>;
    const STAMP: Field<Self, Vec<u8>>;
    const EXPIRES_AT: Field<Self, Timestamp>;

    /// Order in which old credentials are replaced by new ones.
    fn oldest_first() -> OrderBy<Self>;
    /// This credential and all that precede it in that order.
    fn up_to_this(&self) -> Where<Self>;
    fn claim(&self) -> CredentialRow<'_>;
}

/// Data that decides whether a credential is valid.
pub(crate) struct CredentialRow<'a> {
    pub(crate) user_key: &'a str,
    pub(crate) token_hash: &'a [u8],
    pub(crate) stamp: &'a [u8],
    pub(crate) expires_at: Timestamp,
}

/// Credentials of the caller.
pub(crate) fn own<I: StoredCredential>(caller: &Caller) -> Where<I> {
    match caller.key_text() {
        Some(key) => I::USER_KEY.eq(key),
        None => Where::none(),
    }
}

/// Credentials of an account.
pub(crate) fn all_of<I: StoredCredential, A: Account>(account: &A) -> Query<I> {
    Query::new().filter(I::USER_KEY.eq(account::key_text(account)))
}

/// Opens a transaction that excludes other transactions issuing or revoking credentials of the account, so that they
/// can be counted.
///
/// PostgreSQL locks the account's row; SQLite runs one write transaction at a time.
pub(crate) async fn lock<'a, A: Account>(store: &'a Store, account: &A) -> Result<TransactionScope<'a>> {
    let scope = TransactionScope::begin(store).await?;
    match account::find::<A>(&scope, &account::key_text(account)).await? {
        Some(_) => Ok(scope),
        None => Err(Error::unauthorized()),
    }
}

/// Issues a credential to an account. Returns its secret and the stored row.
pub(crate) async fn issue<I: StoredCredential, A: Account>(
    store: &Store,
    account: &A,
    mut draft: Draft<I>,
) -> Result<(Secret, I)> {
    let secret = Secret::random();
    draft.set(I::USER_KEY, account::key_text(account));
    draft.set(I::TOKEN_HASH, secret.hash());
    draft.set(I::STAMP, account::stamp(account));
    let issued = store.create(draft).await?;
    Ok((secret, issued))
}

/// Revokes the oldest `count` of these with one statement. Revokes none and returns false if there are fewer.
pub(crate) async fn end_oldest<I: StoredCredential>(
    store: &Store,
    these: &Query<I>,
    count: u64,
) -> Result<bool> {
    let Some(skipped) = count.checked_sub(1) else {
        return Ok(true);
    };
    let last = these.clone().order_by(I::oldest_first()).offset(skipped);
    let Some(last) = store.first(&last).await? else {
        return Ok(false);
    };
    store.delete_all(&these.clone().filter(last.up_to_this())).await?;
    Ok(true)
}

/// Revokes a credential if it belongs to the account. Returns whether it did.
pub(crate) async fn end<I: StoredCredential, A: Account>(
    store: &Store,
    account: &A,
    id: i64,
) -> Result<bool> {
    let this = all_of::<I, A>(account).filter(I::ID.eq(id));
    Ok(store.delete_all(&this).await? > 0)
}

/// Revokes all credentials of an account except one, with one statement.
pub(crate) async fn end_others<I: StoredCredential, A: Account>(
    store: &Store,
    account: &A,
    kept: Option<i64>,
) -> Result<()> {
    let others = kept.map_or(Where::all(), |kept| I::ID.ne(kept));
    store.delete_all(&all_of::<I, A>(account).filter(others)).await?;
    Ok(())
}

/// Keeps a credential valid after its account's password has changed.
pub(crate) async fn keep<I: StoredCredential, A: Account>(store: &Store, account: &A, id: i64) -> Result<()> {
    if let Some(issued) = store.get::<I>(id).await? {
        let mut draft = Draft::of(&issued);
        draft.set(I::STAMP, account::stamp(account));
        store.save(draft).await?;
    }
    Ok(())
}

/// Credentials that have expired.
pub(crate) fn ended<I: StoredCredential>(now: Timestamp) -> Where<I> {
    I::EXPIRES_AT.lte(now)
}

/// Deletes some expired credentials of any account. It runs outside of transactions, to avoid deadlocks between them.
/// The login does not wait for it: the deletion searches the table, and searches may wait for others.
pub(crate) fn sweep<I: StoredCredential>(store: &Store) {
    if store.is_dry_run() {
        return;
    }
    let store = store.clone();
    tokio::spawn(async move {
        if let Err(error) = delete_expired::<I>(&store).await {
            tracing::warn!(%error, "cannot delete expired credentials");
        }
    });
}

async fn delete_expired<I: StoredCredential>(store: &Store) -> Result<()> {
    for issued in store
        .all(&Query::new().filter(ended::<I>(store.now())).limit(SWEEP_LIMIT))
        .await?
    {
        store.remove(&issued).await?;
    }
    Ok(())
}
