//! Reads of credentials with their accounts and roles: of one request, or of several by the same statements.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;

use model_resource::schema::value::{Key, Value};
use model_resource::store::StoreResult;
use model_resource::{Model, Store};

use crate::account::{self, Account};
use crate::credential_store::StoredCredential;
use crate::read_batches::{BatchedRead, ReadBatches};
use crate::secret::{self, Secret};

/// Queue of the requests that read credentials of one kind.
pub(crate) type CredentialReads<I, A> = ReadBatches<CredentialRead<I, A>, Option<FoundCredential<I, A>>>;

/// Read of a credential and its account, if the secret is that of the credential.
pub(crate) struct CredentialRead<I, A> {
    store: Store,
    id: i64,
    secret: Secret,
    found: PhantomData<fn() -> (I, A)>,
}

/// A valid credential and its account.
pub(crate) struct FoundCredential<I, A> {
    pub(crate) credential: I,
    pub(crate) account: A,
    /// Names of the roles in tables.
    pub(crate) roles: Vec<String>,
}

impl<I: StoredCredential, A: Account> CredentialRead<I, A> {
    pub(crate) fn new(store: &Store, id: i64, secret: &Secret) -> Self {
        Self {
            store: store.clone(),
            id,
            secret: secret.clone(),
            found: PhantomData,
        }
    }

    fn key(&self) -> Key {
        Key(Value::Int(self.id))
    }

    /// Whether the secret is that of the credential, which has not expired.
    fn admits(&self, credential: &I) -> bool {
        let claim = credential.claim();
        self.secret.has_hash(claim.token_hash) && claim.expires_at > self.store.now()
    }
}

impl<I: StoredCredential, A: Account> BatchedRead for CredentialRead<I, A> {
    type Found = Option<FoundCredential<I, A>>;

    fn fits(&self, first: &Self) -> bool {
        self.store.is_clone_of(&first.store)
    }

    /// Finds none that has expired, whose account is disabled, or whose account has another password than when it was
    /// issued. The account is not read if the secret is wrong.
    async fn run_all(batch: Vec<Self>) -> StoreResult<Vec<Self::Found>> {
        let Some(first) = batch.first() else {
            return Ok(Vec::new());
        };
        let store = &first.store;
        let credentials: HashMap<Key, I> = by_key(store, distinct(batch.iter().map(Self::key))).await?;
        let admitted: Vec<Option<(&I, Key)>> = batch
            .iter()
            .map(|read| {
                let credential = credentials.get(&read.key())?;
                let key = account_key::<A>(credential)?;
                read.admits(credential).then_some((credential, key))
            })
            .collect();
        let keys = distinct(admitted.iter().flatten().map(|(_, key)| key.clone()));
        let accounts: HashMap<Key, A> = by_key(store, keys).await?;
        let valid: Vec<Option<(&I, Key, &A)>> = admitted
            .into_iter()
            .map(|admitted| {
                let (credential, key) = admitted?;
                let account = accounts.get(&key)?;
                is_valid(credential, account).then_some((credential, key, account))
            })
            .collect();
        let keys = distinct(valid.iter().flatten().map(|(_, key, _)| key.clone()));
        let roles = roles::<A>(store, keys).await?;
        let found = valid.into_iter().map(|valid| {
            let (credential, key, account) = valid?;
            Some(FoundCredential {
                credential: credential.clone(),
                account: account.clone(),
                roles: roles.get(&key).cloned().unwrap_or_default(),
            })
        });
        Ok(found.collect())
    }
}

/// Key of the account of a credential.
fn account_key<A: Account>(credential: &impl StoredCredential) -> Option<Key> {
    let key = A::table().key().data_type.parse(credential.claim().user_key);
    key.ok().map(Key)
}

/// Whether a credential is still one of its account.
fn is_valid<A: Account>(credential: &impl StoredCredential, account: &A) -> bool {
    let is_current = || secret::same(credential.claim().stamp, account::stamp(account));
    account::exists(account) && account.is_active() && is_current()
}

/// Reads the rows with these keys.
async fn by_key<M: Model>(store: &Store, keys: Vec<Value>) -> StoreResult<HashMap<Key, M>> {
    let found: Vec<M> = store.get_many(keys).await?;
    let key = |row: &M| Key(row.value(M::table().primary_key).to_value());
    Ok(found.into_iter().map(|row| (key(&row), row)).collect())
}

/// Reads the roles in tables of the accounts with these keys.
async fn roles<A: Account>(store: &Store, keys: Vec<Value>) -> StoreResult<HashMap<Key, Vec<String>>> {
    let mut roles: HashMap<Key, Vec<String>> = HashMap::new();
    if let Some(tables) = A::ROLES.tables() {
        for (key, role) in tables.load(store, keys).await? {
            roles.entry(key).or_default().push(role);
        }
    }
    Ok(roles)
}

/// Keys, each once.
fn distinct(keys: impl Iterator<Item = Key>) -> Vec<Value> {
    let keys: HashSet<Key> = keys.collect();
    keys.into_iter().map(|Key(value)| value).collect()
}
