//! Bearer tokens: opaque to clients, stored only as hashes.

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
    let token = URL_SAFE_NO_PAD.encode(bytes);
    let mut draft = Draft::<AuthToken>::new();
    draft.set(AuthToken::USER_ID, user.id);
    draft.set(AuthToken::TOKEN_HASH, hash(&token));
    draft.set(AuthToken::EXPIRES_AT, now() + LIFETIME);
    store.create(draft).await?;
    Ok(token)
}

/// The user whom a token stands for, unless it has ended or the user is disabled.
pub async fn find_user(store: &Store, token: &str) -> Result<Option<User>> {
    let query = Query::<AuthToken>::new().filter(AuthToken::TOKEN_HASH, hash(token));
    let Some(token) = store.first(&query).await? else {
        return Ok(None);
    };
    if token.expires_at <= now() {
        return Ok(None);
    }
    let user = store.get::<User>(token.user_id).await?;
    Ok(user.filter(|user| user.is_active))
}

fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

fn now() -> Timestamp {
    model_resource::schema::calendar::now()
}
