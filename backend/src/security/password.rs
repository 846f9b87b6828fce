//! Passwords, kept as argon2id hashes.

use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use model_resource::heavy;

use crate::api::Result;

/// The most characters of a password.
pub const MAX_PASSWORD: usize = 128;

/// A hash that no password has, checked where there is no user so that the answer takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_password("nobody".to_owned()));

/// The hash of a password. Slow on purpose: call it where blocking is allowed.
pub fn hash_password(password: String) -> String {
    let salt = SaltString::generate(&mut OsRng);
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.expect("argon2's default parameters are valid").to_string()
}

/// Whether a password has this hash. Without a hash it takes the same time and is wrong.
pub async fn verify_password(password: String, hash: Option<String>) -> Result<bool> {
    let verify = move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        let matches = |hash| {
            Argon2::default()
                .verify_password(password.as_bytes(), &hash)
                .is_ok()
        };
        PasswordHash::new(&hash).is_ok_and(matches) && known
    };
    heavy(verify).await
}
