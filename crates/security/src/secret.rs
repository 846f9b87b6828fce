//! Random secrets, of which only a hash is stored.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Secret part of a session cookie or of a bearer token.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// Creates a random secret.
    pub(crate) fn random() -> Self {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).expect("the operating system has random bytes");
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Text for the client: the key of the stored credential, and the secret.
    pub(crate) fn shown(&self, id: i64) -> String {
        format!("{id}.{}", self.0)
    }

    /// Parses the text that a client sent.
    pub(crate) fn read(shown: &str) -> Option<(i64, Self)> {
        let (id, secret) = shown.split_once('.')?;
        Some((id.parse().ok()?, Self(secret.to_owned())))
    }

    /// Hash of the secret, for storage.
    pub(crate) fn hash(&self) -> Vec<u8> {
        hash(&self.0)
    }

    /// Whether a stored hash is that of the secret. The comparison takes the same time for all hashes.
    pub(crate) fn has_hash(&self, stored: &[u8]) -> bool {
        Sha256::digest(&self.0).ct_eq(stored).into()
    }

    /// Whether both are the same. The comparison takes the same time for all secrets of a length.
    pub(crate) fn is(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }

    /// CSRF token that a page must send to write. It is derived from the secret and does not reveal it.
    pub(crate) fn csrf_token(&self) -> String {
        let hash = Sha256::new().chain_update("csrf\0").chain_update(&self.0);
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }
}

/// SHA-256 of a text.
pub(crate) fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

/// Compares in constant time.
pub(crate) fn same(one: impl AsRef<[u8]>, other: impl AsRef<[u8]>) -> bool {
    one.as_ref().ct_eq(other.as_ref()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_read_as_it_was_shown_and_never_the_same_twice() {
        let (one, other) = (Secret::random(), Secret::random());
        let (id, read) = Secret::read(&one.shown(7)).unwrap();
        assert_eq!((id, read.hash()), (7, one.hash()));
        assert_ne!(one.hash(), other.hash());
        assert!(one.is(&read) && !one.is(&other) && !one.is(&Secret(String::new())));
        assert!(Secret::read("7").is_none() && Secret::read("x.y").is_none());
    }

    #[test]
    fn the_csrf_token_tells_neither_the_secret_nor_what_is_kept_of_it() {
        let secret = Secret::random();
        let token = URL_SAFE_NO_PAD.decode(secret.csrf_token()).unwrap();
        assert_ne!(token, secret.hash());
        assert_eq!(secret.csrf_token(), secret.clone().csrf_token());
    }
}
