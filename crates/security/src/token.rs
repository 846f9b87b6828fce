//! Bearer tokens: what a program shows.

use std::time::Duration;

use model_resource::schema::calendar::now;
use model_resource::schema::model::Field;
use model_resource::{
    Caller, Draft, Error, Fields, Model, ModelPolicy, ModelSerializer, Result, Store, Timestamp, Where,
    fields, serializer,
};

use crate::account::Account;
use crate::issued::{self, Claim, Issued};

/// No token is given for longer.
const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

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
    /// When it was given.
    #[column(created)]
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Issued for AuthToken {
    const USER_KEY: Field<Self, String> = Self::USER_KEY;
    const TOKEN_HASH: Field<Self, Vec<u8>> = Self::TOKEN_HASH;
    const STAMP: Field<Self, Vec<u8>> = Self::STAMP;
    const EXPIRES_AT: Field<Self, Timestamp> = Self::EXPIRES_AT;

    fn id(&self) -> i64 {
        self.id
    }

    fn claim(&self) -> Claim<'_> {
        Claim {
            user_key: &self.user_key,
            token_hash: &self.token_hash,
            stamp: &self.stamp,
            expires_at: self.expires_at,
        }
    }
}

impl AuthToken {
    /// Gives one that ends when the draft says, or after its time; gives what the client shows, and what is kept.
    pub(crate) async fn give<A: Account>(
        store: &Store,
        account: &A,
        mut draft: Draft<Self>,
        lifetime: Duration,
    ) -> Result<(String, Self)> {
        match draft.get(Self::EXPIRES_AT) {
            None => draft.set(Self::EXPIRES_AT, now() + lifetime),
            Some(end) if end <= now() => {
                return Err(Error::field("expiresAt", "Must be in the future."));
            }
            Some(end) if end > now() + LONGEST => {
                return Err(Error::field("expiresAt", "Must be within 366 days."));
            }
            Some(_) => {}
        }
        let (secret, token) = issued::issue(store, account, draft).await?;
        Ok((secret.shown(token.id), token))
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
        issued::own(caller)
    }

    fn deletable(caller: &Caller) -> Where<AuthToken> {
        issued::own(caller)
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_known()
    }
}
