//! What sessions and tokens have in common: issued to an account, known by a hash, worth something until they end.

use model_resource::schema::calendar::now;
use model_resource::schema::model::Field;
use model_resource::schema::query::{Comparison, SortKey};
use model_resource::schema::value::Value;
use model_resource::store::{AnyQuery, ListQuery, Seek};
use model_resource::{Caller, Draft, Error, Model, Result, Store, Timestamp, Where};

use crate::account::{self, Account};
use crate::scope::TransactionScope;
use crate::secret::{self, Secret};

/// So many that have ended are deleted whenever one is issued: more than are made, so that they run out.
const SWEEP_LIMIT: u64 = 20;

/// A model of what is issued.
pub(crate) trait StoredCredential: Model {
    const USER_KEY: Field<Self, String>;
    const TOKEN_HASH: Field<Self, Vec<u8>>;
    const STAMP: Field<Self, Vec<u8>>;
    const EXPIRES_AT: Field<Self, Timestamp>;

    /// The order in which they make room for new ones.
    fn oldest_first() -> Vec<SortKey>;
    /// This one and all that come before it in that order.
    fn up_to_this(&self) -> Where<Self>;
    /// All but the one with this key.
    fn all_but(id: i64) -> Where<Self>;
    fn claim(&self) -> CredentialRow<'_>;
}

/// What must hold of one to be worth something.
pub(crate) struct CredentialRow<'a> {
    pub(crate) user_key: &'a str,
    pub(crate) token_hash: &'a [u8],
    pub(crate) stamp: &'a [u8],
    pub(crate) expires_at: Timestamp,
}

/// Those of the caller.
pub(crate) fn own<I: StoredCredential>(caller: &Caller) -> Where<I> {
    match caller.key_text() {
        Some(key) => Where::is(I::USER_KEY, key),
        None => Where::none(),
    }
}

/// All of an account.
pub(crate) fn all_of<I: StoredCredential, A: Account>(account: &A) -> AnyQuery {
    let key = Value::Text(account::key_text(account));
    AnyQuery::from(I::table()).filter(I::USER_KEY.position(), key)
}

/// Opens a transaction in which nobody else issues or ends credentials of the account, so that they can be counted.
///
/// On PostgreSQL it locks the account's row; on SQLite there is one transaction at a time.
pub(crate) async fn lock<'a, A: Account>(store: &'a Store, account: &A) -> Result<TransactionScope<'a>> {
    let scope = TransactionScope::begin(store).await?;
    match account::find::<A>(&scope, &account::key_text(account)).await? {
        Some(_) => Ok(scope),
        None => Err(Error::unauthorized()),
    }
}

/// Issues one to an account; gives its secret and what is kept of it.
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

/// Ends the oldest `count` of these by one statement; ends none and returns false if there are fewer.
pub(crate) async fn end_oldest<I: StoredCredential>(
    store: &Store,
    these: &AnyQuery,
    count: u64,
) -> Result<bool> {
    let Some(skipped) = count.checked_sub(1) else {
        return Ok(true);
    };
    let last = ListQuery::sorted(these.clone(), I::oldest_first())
        .seek(Seek::Offset(skipped))
        .limit(1);
    let Some(last) = store.all_of::<I>(&last).await?.pop() else {
        return Ok(false);
    };
    let ended = these.clone().restrict(last.up_to_this().into_any());
    store.delete_where(&ended).await?;
    Ok(true)
}

/// Whom a client may speak for by showing this, unless it has ended, the account is disabled or its password is another.
pub(crate) async fn find<I: StoredCredential, A: Account>(
    store: &Store,
    shown: &str,
) -> Result<Option<(I, Secret, A)>> {
    let Some((id, secret)) = Secret::read(shown) else {
        return Ok(None);
    };
    let Some(issued) = store.get::<I>(id).await? else {
        return Ok(None);
    };
    let claim = issued.claim();
    if !secret::same(claim.token_hash, secret.hash()) || claim.expires_at <= now() {
        return Ok(None);
    }
    let account = account::find::<A>(store, claim.user_key).await?;
    let is_good = |account: &A| account.is_active() && secret::same(claim.stamp, account::stamp(account));
    Ok(account.filter(is_good).map(|account| (issued, secret, account)))
}

/// Ends one, if it is the account's; tells whether it was.
pub(crate) async fn end<I: StoredCredential, A: Account>(
    store: &Store,
    account: &A,
    id: i64,
) -> Result<bool> {
    Ok(store.delete(&all_of::<I, A>(account), Value::Int(id)).await?)
}

/// Ends all of an account but one, by one statement.
pub(crate) async fn end_others<I: StoredCredential, A: Account>(
    store: &Store,
    account: &A,
    kept: Option<i64>,
) -> Result<()> {
    let others = kept.map_or(Where::all(), I::all_but);
    let others = all_of::<I, A>(account).restrict(others.into_any());
    store.delete_where(&others).await?;
    Ok(())
}

/// Lets one go on after its account's password has become another.
pub(crate) async fn keep<I: StoredCredential, A: Account>(store: &Store, account: &A, id: i64) -> Result<()> {
    if let Some(issued) = store.get::<I>(id).await? {
        let mut draft = Draft::of(&issued);
        draft.set(I::STAMP, account::stamp(account));
        store.save(draft).await?;
    }
    Ok(())
}

/// Credentials that have expired.
pub(crate) fn ended<I: StoredCredential>() -> Where<I> {
    Where::compares(I::EXPIRES_AT, Comparison::Lte, now())
}

/// Deletes some that have ended, of whomever. Outside of transactions, which could otherwise wait for each other in a circle.
pub(crate) async fn sweep<I: StoredCredential>(store: &Store) -> Result<()> {
    let ended = AnyQuery::from(I::table()).restrict(ended::<I>().into_any());
    let ended = ListQuery::of(ended).limit(SWEEP_LIMIT);
    for issued in store.all_of::<I>(&ended).await? {
        store.remove(&issued).await?;
    }
    Ok(())
}
