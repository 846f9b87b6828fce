//! Bearer tokens: what a program shows.

use std::time::Duration;

use model_resource::schema::calendar::now;
use model_resource::schema::model::Field;
use model_resource::schema::query::{Comparison, SortKey};
use model_resource::{
    Caller, Draft, Error, Fields, Model, ModelPolicy, ModelSerializer, Result, Store, Timestamp, Where,
    fields, serializer,
};

use crate::account::Account;
use crate::credential_store::{self, CredentialRow, StoredCredential};

/// The most tokens of an account that have not ended.
pub const MAX_TOKENS: u64 = 100;
/// No token is given for longer.
const MAX_LIFETIME: Duration = Duration::from_secs(366 * 24 * 3600);

/// A bearer token, known only by its hash.
#[derive(Debug, Clone, Model)]
#[model(table = "auth_tokens")]
pub struct AuthToken {
    /// The key.
    #[column(primary_key)]
    pub id: i64,
    /// Whose it is, as a text, whatever the type of the key.
    #[column(hidden)]
    pub user_key: String,
    /// The SHA-256 of its secret.
    #[column(hidden)]
    pub token_hash: Vec<u8>,
    /// The SHA-256 of the password's hash that it was given for.
    #[column(hidden)]
    pub stamp: Vec<u8>,
    /// What its owner calls it.
    #[column(min_length = 1, max_length = 100)]
    pub name: String,
    /// Whether it came from a login, so that a later login may end it to make room.
    #[column(hidden, default = false)]
    pub from_login: bool,
    /// When it was given.
    #[column(created)]
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl StoredCredential for AuthToken {
    const USER_KEY: Field<Self, String> = Self::USER_KEY;
    const TOKEN_HASH: Field<Self, Vec<u8>> = Self::TOKEN_HASH;
    const STAMP: Field<Self, Vec<u8>> = Self::STAMP;
    const EXPIRES_AT: Field<Self, Timestamp> = Self::EXPIRES_AT;

    fn oldest_first() -> Vec<SortKey> {
        Vec::new()
    }

    fn up_to_this(&self) -> Where<Self> {
        Where::compares(Self::ID, Comparison::Lte, self.id)
    }

    fn all_but(id: i64) -> Where<Self> {
        !Where::is(Self::ID, id)
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
    /// Issues a token that ends when the draft says; returns what the client shows, and what is stored of it.
    pub(crate) async fn issue<A: Account>(
        store: &Store,
        account: &A,
        draft: Draft<Self>,
    ) -> Result<(String, Self)> {
        check_end(&draft)?;
        credential_store::sweep::<Self>(store).await?;
        let scope = credential_store::lock(store, account).await?;
        make_room(&scope, account, &draft).await?;
        let (secret, token) = credential_store::issue(&scope, account, draft).await?;
        scope.commit().await?;
        Ok((secret.shown(token.id), token))
    }
}

fn check_end(draft: &Draft<AuthToken>) -> Result<()> {
    match draft.get(AuthToken::EXPIRES_AT) {
        Some(end) if end <= now() => Err(Error::field("expiresAt", "Must be in the future.")),
        Some(end) if end > now() + MAX_LIFETIME => Err(Error::field("expiresAt", "Must be within 366 days.")),
        _ => Ok(()),
    }
}

/// Makes sure that one more token is allowed. A login may end the tokens of earlier logins for it, the oldest first; tokens
/// that their owner made are never ended by themselves.
async fn make_room<A: Account>(store: &Store, account: &A, draft: &Draft<AuthToken>) -> Result<()> {
    let own = credential_store::all_of::<AuthToken, A>(account);
    let ended = credential_store::ended::<AuthToken>().into_any();
    store.delete_where(&own.clone().restrict(ended)).await?;
    let surplus = (store.count(&own).await? + 1).saturating_sub(MAX_TOKENS);
    let replaceable = match draft.get(AuthToken::FROM_LOGIN) {
        Some(true) => Where::is(AuthToken::FROM_LOGIN, true),
        _ => Where::none(),
    };
    let replaceable = own.restrict(replaceable.into_any());
    match credential_store::end_oldest::<AuthToken>(store, &replaceable, surplus).await? {
        true => Ok(()),
        false => Err(Error::conflict(format!(
            "You have {MAX_TOKENS} tokens, and cannot have more: end one first."
        ))),
    }
}

/// Tokens, as their owners see them: without what they are worth.
pub struct TokenSerializer;

#[serializer]
impl ModelSerializer for TokenSerializer {
    type Model = AuthToken;
    const FIELDS: Fields = fields![id, name, created_at, expires_at];
}

/// Everybody who is known makes tokens, sees their own and may end them.
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
