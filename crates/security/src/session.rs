//! Sessions of browsers, identified by a cookie.

use std::time::Duration;

use model_resource::{
    Caller, Columns, Draft, Field, Model, ModelPolicy, ModelSerializer, OrderBy, Result, Store, Timestamp,
    Where, serializer,
};

use crate::account::Account;
use crate::credential_store::{self, CredentialRow, StoredCredential};
use crate::secret::Secret;

/// Minimum interval between two extensions of a session, because a write per request would cost more than the request.
const EXTEND_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum sessions per account. A login beyond them ends the least recently used one.
pub const MAX_SESSIONS: u64 = 100;
/// Maximum characters stored of a browser's user agent.
const MAX_AGENT_LENGTH: usize = 200;

/// Session, stored with the hash of its cookie.
#[derive(Debug, Clone, Model)]
#[model(table = "auth_sessions", index(user_key), index(expires_at))]
pub struct AuthSession {
    /// Primary key.
    #[column(primary_key)]
    pub id: i64,
    /// Key of the account as text, for any type of key.
    #[column(hidden)]
    pub user_key: String,
    /// SHA-256 of the secret in the cookie.
    #[column(hidden)]
    pub token_hash: Vec<u8>,
    /// SHA-256 of the account's password hash at login.
    #[column(hidden)]
    pub stamp: Vec<u8>,
    /// `User-Agent` of the browser.
    pub user_agent: Option<String>,
    /// Time of the login.
    #[column(created)]
    pub created_at: Timestamp,
    /// Time of the last use, to the minute.
    pub used_at: Timestamp,
    /// Expiry, extended with every use.
    pub expires_at: Timestamp,
}

impl StoredCredential for AuthSession {
    const ID: Field<Self, i64> = Self::ID;
    const USER_KEY: Field<Self, String> = Self::USER_KEY;
    const TOKEN_HASH: Field<Self, Vec<u8>> = Self::TOKEN_HASH;
    const STAMP: Field<Self, Vec<u8>> = Self::STAMP;
    const EXPIRES_AT: Field<Self, Timestamp> = Self::EXPIRES_AT;

    fn oldest_first() -> OrderBy<Self> {
        Self::USED_AT.asc()
    }

    fn up_to_this(&self) -> Where<Self> {
        let before = Self::USED_AT.lt(self.used_at);
        let same_time = Self::USED_AT.eq(self.used_at);
        before.or(same_time.and(Self::ID.lte(self.id)))
    }

    fn claim(&self) -> CredentialRow<'_> {
        CredentialRow {
            user_key: &self.user_key,
            token_hash: &self.token_hash,
            stamp: &self.stamp,
            expires_at: self.expires_at,
        }
    }
}

impl AuthSession {
    /// Begins a session for a browser, and ends the least recently used one if there are too
    /// many.
    pub(crate) async fn begin<A: Account>(
        store: &Store,
        user_agent: Option<&str>,
        account: &A,
        lifetime: Duration,
    ) -> Result<(Secret, Self)> {
        let agent = user_agent.map(|agent| agent.chars().take(MAX_AGENT_LENGTH).collect());
        let now = store.now();
        let mut draft = Draft::new();
        draft.set(Self::USER_AGENT, agent);
        draft.set(Self::USED_AT, now);
        draft.set(Self::EXPIRES_AT, now + lifetime);
        credential_store::sweep::<Self>(store);
        let scope = credential_store::lock(store, account).await?;
        let own = credential_store::all_of::<Self, A>(account);
        let surplus = (scope.count(&own).await? + 1).saturating_sub(MAX_SESSIONS);
        credential_store::end_oldest::<Self>(&scope, &own, surplus).await?;
        let begun = credential_store::issue(&scope, account, draft).await?;
        scope.commit().await?;
        Ok(begun)
    }

    /// Extends the session, unless that was done just now. The request does not wait for it, so that reads work while
    /// the database accepts no writes.
    pub(crate) fn extend(&self, store: &Store, lifetime: Duration) {
        let now = store.now();
        let expires_at = now + lifetime;
        if expires_at.duration_since(self.expires_at).unsigned_abs() < EXTEND_INTERVAL {
            return;
        }
        let mut draft = Draft::of(self);
        draft.set(Self::USED_AT, now);
        draft.set(Self::EXPIRES_AT, expires_at);
        let store = store.clone();
        tokio::spawn(async move {
            if let Err(error) = store.save(draft).await {
                tracing::warn!(%error, "cannot put off the end of a session");
            }
        });
    }
}

/// Sessions as their owners see them.
pub struct SessionSerializer;

#[serializer]
impl ModelSerializer for SessionSerializer {
    type Model = AuthSession;
    const FIELDS: Columns<AuthSession> = Columns::of(AuthSession::ID)
        .and(AuthSession::USER_AGENT)
        .and(AuthSession::CREATED_AT)
        .and(AuthSession::USED_AT)
        .and(AuthSession::EXPIRES_AT);
}

/// Row-level policy of sessions: users see and end their own.
pub struct SessionPolicy;

impl ModelPolicy for SessionPolicy {
    type Model = AuthSession;

    fn visible(caller: &Caller) -> Where<AuthSession> {
        credential_store::own(caller)
    }

    fn deletable(caller: &Caller) -> Where<AuthSession> {
        credential_store::own(caller)
    }
}
