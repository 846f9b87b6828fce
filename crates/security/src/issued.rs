//! What sessions and tokens have in common: issued to an account, known by a hash, worth something until they end.

use model_resource::schema::calendar::now;
use model_resource::schema::model::Field;
use model_resource::schema::query::Comparison;
use model_resource::schema::value::Value;
use model_resource::store::{List, Select};
use model_resource::{Caller, Draft, Model, Query, Result, Store, Timestamp, Where};

use crate::account::{self, Account};
use crate::secret::{self, Secret};

/// So many that have ended are deleted whenever one is issued: more than are made, so that they run out.
const SWEPT: u64 = 20;

/// A model of what is issued.
pub(crate) trait Issued: Model {
    const USER_KEY: Field<Self, String>;
    const TOKEN_HASH: Field<Self, Vec<u8>>;
    const STAMP: Field<Self, Vec<u8>>;
    const EXPIRES_AT: Field<Self, Timestamp>;

    fn id(&self) -> i64;
    fn claim(&self) -> Claim<'_>;
}

/// What must hold of one to be worth something.
pub(crate) struct Claim<'a> {
    pub(crate) user_key: &'a str,
    pub(crate) token_hash: &'a [u8],
    pub(crate) stamp: &'a [u8],
    pub(crate) expires_at: Timestamp,
}

/// Those of the caller.
pub(crate) fn own<I: Issued>(caller: &Caller) -> Where<I> {
    match caller.key_text() {
        Some(key) => Where::is(I::USER_KEY, key),
        None => Where::none(),
    }
}

/// Issues one to an account; gives its secret and what is kept of it.
pub(crate) async fn issue<I: Issued, A: Account>(
    store: &Store,
    account: &A,
    mut draft: Draft<I>,
) -> Result<(Secret, I)> {
    sweep::<I>(store).await?;
    let secret = Secret::random();
    draft.set(I::USER_KEY, account::key_text(account));
    draft.set(I::TOKEN_HASH, secret.hash());
    draft.set(I::STAMP, account::stamp(account));
    let issued = store.create(draft).await?;
    Ok((secret, issued))
}

/// Whom a client may speak for by showing this, unless it has ended, the account is disabled or its password is another.
pub(crate) async fn find<I: Issued, A: Account>(
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
pub(crate) async fn end<I: Issued, A: Account>(store: &Store, account: &A, id: i64) -> Result<bool> {
    let own = Query::<I>::new().filter(I::USER_KEY, account::key_text(account));
    Ok(store.delete(own.select(), Value::Int(id)).await?)
}

/// Ends all of an account but one.
pub(crate) async fn end_others<I: Issued, A: Account>(
    store: &Store,
    account: &A,
    kept: Option<i64>,
) -> Result<()> {
    let own = Query::<I>::new().filter(I::USER_KEY, account::key_text(account));
    for issued in store.all(&own).await? {
        if Some(issued.id()) != kept {
            store.remove(&issued).await?;
        }
    }
    Ok(())
}

/// Lets one go on after its account's password has become another.
pub(crate) async fn keep<I: Issued, A: Account>(store: &Store, account: &A, id: i64) -> Result<()> {
    if let Some(issued) = store.get::<I>(id).await? {
        let mut draft = Draft::of(&issued);
        draft.set(I::STAMP, account::stamp(account));
        store.save(draft).await?;
    }
    Ok(())
}

/// Deletes some that have ended, of whomever.
async fn sweep<I: Issued>(store: &Store) -> Result<()> {
    let ended = Where::compares(I::EXPIRES_AT, Comparison::Lte, now());
    let ended = List::of(Select::from(I::table()).holding(ended.into_condition())).at_most(SWEPT);
    for issued in store.all_of::<I>(&ended).await? {
        store.remove(&issued).await?;
    }
    Ok(())
}
