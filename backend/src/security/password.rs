//! Passwords, kept as argon2id hashes.

use std::cell::RefCell;
use std::sync::LazyLock;

use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use model_resource::heavy;

use crate::api::Result;

/// The most characters of a password.
pub const MAX_PASSWORD: usize = 128;

thread_local! {
    /// What a hash needs, some 19 MiB, kept by each of the few threads that make hashes.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// A hash that no password has, checked where there is no user so that the answer takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_password("nobody".to_owned()));

/// The hash of a password. Slow on purpose: call it where blocking is allowed.
pub fn hash_password(password: String) -> String {
    let (salt, params) = (SaltString::generate(&mut OsRng), Params::default());
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::default().into()),
        params: ParamsString::try_from(&params).expect("argon2's default parameters are valid"),
        hash: Some(digest(&password, salt.as_salt(), params).expect("the salt was made for it")),
        salt: Some(salt.as_salt()),
    };
    hash.to_string()
}

/// Whether a password has this hash. Without a hash it takes the same time and is wrong.
pub async fn verify_password(password: String, hash: Option<String>) -> Result<bool> {
    heavy(move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        matches(&password, &hash).unwrap_or(false) && known
    })
    .await
}

/// The comparison takes the same time wherever the digests differ.
fn matches(password: &str, hash: &str) -> argon2::password_hash::Result<bool> {
    let hash = PasswordHash::new(hash)?;
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else {
        return Ok(false);
    };
    Ok(digest(password, salt, Params::try_from(&hash)?)? == expected)
}

fn digest(password: &str, salt: Salt<'_>, params: Params) -> argon2::password_hash::Result<Output> {
    let mut bytes = [0; 64];
    let salt = salt.decode_b64(&mut bytes)?;
    let size = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let blocks = params.block_count();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    Output::init_with(size, |output| {
        MEMORY.with_borrow_mut(|memory| {
            memory.resize(blocks, Block::default());
            Ok(argon2.hash_password_into_with_memory(password.as_bytes(), salt, output, memory)?)
        })
    })
}
