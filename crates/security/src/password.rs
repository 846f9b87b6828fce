//! Passwords, kept as argon2id hashes.

use std::cell::RefCell;
use std::sync::LazyLock;

use argon2::password_hash::rand_core::OsRng;
use argon2::password_hash::{Output, ParamsString, PasswordHash, Salt, SaltString};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, Version};
use model_resource::{Error, Result, heavy};

use crate::account::Account;
use crate::secret;

/// The most characters of a password.
pub const MAX_PASSWORD: usize = 128;

thread_local! {
    /// What a hash needs, some 19 MiB, kept by each of the few threads that make hashes.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// A hash that no password has, checked where there is no user so that the answer takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_password("nobody".to_owned()));

/// The hash of a password. Slow on purpose: call it where blocking is allowed, or by [`heavy`].
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

/// The account, if the password is its own and it is active. All else is the same 401 after the same time, also that there
/// is no account: nobody learns from it which accounts there are.
///
/// A password that no account can have is refused at once, by the name of its field.
pub async fn verify_password<A: Account>(password: String, account: Option<A>) -> Result<A> {
    if password.chars().nth(MAX_PASSWORD).is_some() {
        let told = format!("Longer than the maximum length {MAX_PASSWORD}.");
        return Err(Error::field("password", told));
    }
    let hash = account.as_ref().map(|account| account.password_hash().to_owned());
    let matches = heavy(move || {
        let hash = hash.unwrap_or_else(|| NOBODY.clone());
        matches(&password, &hash).unwrap_or(false)
    });
    let matches = matches.await?;
    let account = account.filter(|account| matches && account.is_active());
    account.ok_or_else(Error::unauthorized)
}

fn matches(password: &str, hash: &str) -> argon2::password_hash::Result<bool> {
    let hash = PasswordHash::new(hash)?;
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else {
        return Ok(false);
    };
    let digest = digest(password, salt, Params::try_from(&hash)?)?;
    Ok(secret::same(digest.as_bytes(), expected.as_bytes()))
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
