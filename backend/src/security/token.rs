//! Bearer tokens: opaque to clients, stored only as hashes, and worth nothing once the password is another.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model_resource::store::Result;
use model_resource::{Query, Store, Timestamp};
use rand::RngCore;
use sha2::{Digest, Sha256};

use crate::api::Draft;
use crate::models::{AuthToken, User};

const LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Gives a user a new token. Only its hash is kept, so it can be shown just now.
pub async fn issue(store: &Store, user: &User) -> Result<String> {
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    let token = format!("{}.{}", user.id, URL_SAFE_NO_PAD.encode(bytes));
    let mut draft = Draft::<AuthToken>::new();
    draft.set(AuthToken::USER_ID, user.id);
    draft.set(AuthToken::TOKEN_HASH, hash(&token, user));
    draft.set(AuthToken::EXPIRES_AT, now() + LIFETIME);
    store.create(draft).await?;
    Ok(token)
}

/// The user whom a token stands for, unless it has ended, the user is disabled or the password was changed.
pub async fn find_user(store: &Store, token: &str) -> Result<Option<User>> {
    let id = token.split_once('.').and_then(|(id, _)| id.parse::<i64>().ok());
    let user = match id {
        Some(id) => store.get::<User>(id).await?,
        None => None,
    };
    let Some(user) = user.filter(|user| user.is_active) else {
        return Ok(None);
    };
    let query = Query::<AuthToken>::new().filter(AuthToken::TOKEN_HASH, hash(token, &user));
    let known = store.first(&query).await?;
    Ok(known.filter(|token| token.expires_at > now()).map(|_| user))
}

/// The password's hash goes into the token's, so that a new password ends every token at once.
fn hash(token: &str, user: &User) -> Vec<u8> {
    let hash = Sha256::new()
        .chain_update(&user.password_hash)
        .chain_update([0])
        .chain_update(token);
    hash.finalize().to_vec()
}

fn now() -> Timestamp {
    model_resource::schema::calendar::now()
}
