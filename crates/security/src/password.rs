//! Passwords, stored as argon2id hashes.

use std::cell::RefCell;
use std::panic::Location;
use std::sync::LazyLock;
#[cfg(feature = "testing")]
use std::sync::atomic::{AtomicBool, Ordering};

use argon2::password_hash::phc::{Output, ParamsString, Salt};
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Block, Params, PasswordHash, Version, password_hash};
use model_resource::{Error, Result, run_cpu_bound_at};

use crate::account::{Account, MAX_PASSWORD, exists, key_text};
use crate::secret;

thread_local! {
    /// Memory for one hash, some 19 MiB, kept by each of the few threads that compute hashes.
    static MEMORY: RefCell<Vec<Block>> = const { RefCell::new(Vec::new()) };
}

/// Hash that no password has. It is verified if the account does not exist, so that the response takes the same time.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_password("nobody".to_owned()));

/// Hashes a password. Slow on purpose: call it where blocking is allowed, or with [`run_cpu_bound`](model_resource::run_cpu_bound).
pub fn hash_password(password: String) -> String {
    let (salt, params) = (Salt::generate(), cost());
    let hash = PasswordHash {
        algorithm: ARGON2ID_IDENT,
        version: Some(Version::default().into()),
        params: ParamsString::try_from(&params).expect("the default parameters of argon2 can be written"),
        hash: Some(
            digest(&password, salt, params)
                .expect("argon2 refuses only passwords of 4 GiB, and salts that were not generated for it"),
        ),
        salt: Some(salt),
    };
    hash.to_string()
}

/// Whether a test kit has lowered the cost of hashes in this process.
#[cfg(feature = "testing")]
static IS_CHEAP: AtomicBool = AtomicBool::new(false);

/// Lowers the cost of all hashes that this process makes from now on, to the least that argon2 accepts. For tests: only
/// the feature `testing`, which the test kit enables, has this function, and nothing else changes the cost.
#[cfg(feature = "testing")]
#[doc(hidden)]
pub fn hash_cheaply_in_this_process() {
    IS_CHEAP.store(true, Ordering::Relaxed);
}

/// Cost of new hashes. A hash contains its own, by which it is verified.
fn cost() -> Params {
    #[cfg(feature = "testing")]
    if IS_CHEAP.load(Ordering::Relaxed) {
        let least = Params::new(Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST, None);
        return least.expect("the least parameters of argon2 are valid");
    }
    Params::default()
}

/// Returns the account if the password is correct and the account is active. All other cases are the same 401 after the
/// same time, even if the account does not exist, so that the response does not reveal which accounts exist.
///
/// A password of more than [`MAX_PASSWORD`] characters is rejected at once, as an error of its field.
///
/// Each call site has its own queue of the thread pool; see [`run_cpu_bound`](model_resource::run_cpu_bound).
#[track_caller]
pub fn verify_password<A: Account>(
    password: String,
    account: Option<A>,
) -> impl Future<Output = Result<A>> + Send {
    verify_password_at(Location::caller(), password, account)
}

async fn verify_password_at<A: Account>(
    place: &'static Location<'static>,
    password: String,
    account: Option<A>,
) -> Result<A> {
    if password.chars().nth(MAX_PASSWORD).is_some() {
        let message = format!("Longer than the maximum length {MAX_PASSWORD}.");
        return Err(Error::field("password", message));
    }
    let hash = account.as_ref().map(|account| account.password_hash().to_owned());
    let matches = run_cpu_bound_at(place, move || {
        let matched = matches(&password, hash.as_deref().unwrap_or(&NOBODY));
        // A malformed hash fails at once, and the short time would reveal it.
        matched.inspect_err(|_| {
            let _ = matches(&password, &NOBODY);
        })
    });
    let matches = matches.await?.unwrap_or_else(|error| {
        let account = account.as_ref().map(key_text);
        tracing::error!(%error, account, "the stored hash of a password is damaged: set another password");
        false
    });
    let account = account.filter(|account| matches && account.is_active() && exists(account));
    account.ok_or_else(Error::unauthorized)
}

/// Whether the password has this hash. Fails if the hash is malformed.
fn matches(password: &str, hash: &str) -> password_hash::Result<bool> {
    let hash = PasswordHash::new(hash)?;
    if hash.algorithm != ARGON2ID_IDENT {
        return Err(password_hash::Error::Algorithm);
    }
    let (Some(salt), Some(expected)) = (hash.salt, hash.hash) else {
        return Err(password_hash::Error::EncodingInvalid);
    };
    let digest = digest(password, salt, Params::try_from(&hash)?)?;
    Ok(secret::same(digest.as_bytes(), expected.as_bytes()))
}

fn digest(password: &str, salt: Salt, params: Params) -> password_hash::Result<Output> {
    let size = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let blocks = params.block_count();
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let mut bytes = [0; Output::MAX_LENGTH];
    let output = bytes.get_mut(..size).ok_or(password_hash::Error::OutputSize)?;
    MEMORY.with_borrow_mut(|memory| {
        memory.resize(blocks, Block::default());
        argon2.hash_password_into_with_memory(password.as_bytes(), &salt, output, memory)
    })?;
    Ok(Output::new(output)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TST-9
    #[test]
    fn a_hash_has_the_full_cost() {
        let hash = hash_password("correct horse".to_owned());
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    }

    #[test]
    fn a_hash_is_that_of_one_password_or_none_at_all() {
        let hash = hash_password("correct horse".to_owned());
        assert_eq!(matches("correct horse", &hash), Ok(true));
        assert_eq!(matches("Correct horse", &hash), Ok(false));
        let (start, _) = hash.rsplit_once('$').expect("a hash has parts");
        let damaged = [
            "".to_owned(),
            "x".to_owned(),
            hash[1..].to_owned(),
            start.to_owned(),
            hash.replace("argon2id", "argon2i"),
            hash.replace("m=", "m=x"),
        ];
        for damaged in damaged {
            assert!(matches("correct horse", &damaged).is_err(), "{damaged}");
        }
    }
}
