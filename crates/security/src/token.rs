//! Bearer tokens of programs.

use std::time::Duration;

use model_resource::{
    Caller, Columns, Draft, Error, Field, Model, ModelPolicy, ModelSerializer, OrderBy, Result, Store,
    Timestamp, Where, serializer,
};

use crate::account::Account;
use crate::credential_store::{self, CredentialRow, StoredCredential};

/// Maximum unexpired tokens per account.
pub const MAX_TOKENS: u64 = 100;
/// Maximum lifetime of a token.
const MAX_LIFETIME: Duration = Duration::from_secs(366 * 24 * 3600);

/// Bearer token, stored as a hash.
#[derive(Debug, Clone, Model)]
#[model(table = "auth_tokens", index(user_key), index(expires_at))]
pub struct AuthToken {
    /// Primary key.
    #[column(primary_key)]
    pub id: i64,
    /// Key of the account as text, for any type of key.
    #[column(hidden)]
    pub user_key: String,
    /// SHA-256 of the secret.
    #[column(hidden)]
    pub token_hash: Vec<u8>,
    /// SHA-256 of the account's password hash at issue.
    #[column(hidden)]
    pub stamp: Vec<u8>,
    /// Name given by the owner.
    #[column(min_length = 1, max_length = 100)]
    pub name: String,
    /// Whether a login issued the token, so that a later login may replace it.
    #[column(hidden, default = false)]
    pub from_login: bool,
    /// Time of issue.
    #[column(created)]
    pub created_at: Timestamp,
    /// Expiry.
    pub expires_at: Timestamp,
}

impl StoredCredential for AuthToken {
    const ID: Field<Self, i64> = Self::ID;
    const USER_KEY: Field<Self, String> = Self::USER_KEY;
    const TOKEN_HASH: Field<Self, Vec<u8>> = Self::TOKEN_HASH;
    const STAMP: Field<Self, Vec<u8>> = Self::STAMP;
    const EXPIRES_AT: Field<Self, Timestamp> = Self::EXPIRES_AT;

    fn oldest_first() -> OrderBy<Self> {
        Self::ID.asc()
    }

    fn up_to_this(&self) -> Where<Self> {
        Self::ID.lte(self.id)
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

impl AuthToken {
    /// Issues a token with the draft's expiry. Returns the text for the client and the stored row.
    pub(crate) async fn issue<A: Account>(
        store: &Store,
        account: &A,
        draft: Draft<Self>,
    ) -> Result<(String, Self)> {
        check_end(&draft, store.now())?;
        credential_store::sweep::<Self>(store);
        let scope = credential_store::lock(store, account).await?;
        make_room(&scope, account, &draft).await?;
        let (secret, token) = credential_store::issue(&scope, account, draft).await?;
        scope.commit().await?;
        Ok((secret.shown(token.id), token))
    }
}

fn check_end(draft: &Draft<AuthToken>, now: Timestamp) -> Result<()> {
    match draft.get(AuthToken::EXPIRES_AT) {
        Some(end) if end <= now => Err(Error::field("expiresAt", "Must be in the future.")),
        Some(end) if end > now + MAX_LIFETIME => Err(Error::field("expiresAt", "Must be within 366 days.")),
        _ => Ok(()),
    }
}

/// Ensures that one more token is allowed. A login may revoke the tokens of earlier logins, the oldest first. Tokens
/// that their owner created are never revoked automatically.
async fn make_room<A: Account>(store: &Store, account: &A, draft: &Draft<AuthToken>) -> Result<()> {
    let own = credential_store::all_of::<AuthToken, A>(account);
    let ended = credential_store::ended::<AuthToken>(store.now());
    store.delete_all(&own.clone().filter(ended)).await?;
    let surplus = (store.count(&own).await? + 1).saturating_sub(MAX_TOKENS);
    let replaceable = match draft.get(AuthToken::FROM_LOGIN) {
        Some(true) => AuthToken::FROM_LOGIN.eq(true),
        _ => Where::none(),
    };
    let replaceable = own.filter(replaceable);
    if credential_store::end_oldest::<AuthToken>(store, &replaceable, surplus).await? {
        Ok(())
    } else {
        Err(Error::conflict(format!(
            "You have {MAX_TOKENS} tokens, and cannot have more: end one first."
        )))
    }
}

/// Tokens as their owners see them, without the secret.
pub struct TokenSerializer;

#[serializer]
impl ModelSerializer for TokenSerializer {
    type Model = AuthToken;
    const FIELDS: Columns<AuthToken> = Columns::of(AuthToken::ID)
        .and(AuthToken::NAME)
        .and(AuthToken::CREATED_AT)
        .and(AuthToken::EXPIRES_AT);
}

/// Row-level policy of tokens: users create tokens, and see and revoke their own.
pub struct TokenPolicy;

impl ModelPolicy for TokenPolicy {
    type Model = AuthToken;

    fn visible(caller: &Caller) -> Where<AuthToken> {
        credential_store::own(caller)
    }

    fn deletable(caller: &Caller) -> Where<AuthToken> {
        credential_store::own(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }
}
