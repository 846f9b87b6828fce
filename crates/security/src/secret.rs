//! What only the client knows: random, and kept here as a hash alone.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngCore;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The secret half of a session's cookie or of a bearer token.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// A new one, which nobody guesses.
    pub(crate) fn random() -> Self {
        let mut bytes = [0; 32];
        rand::rng().fill_bytes(&mut bytes);
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// What the client is given: the key of what is kept here, and the secret.
    pub(crate) fn shown(&self, id: i64) -> String {
        format!("{id}.{}", self.0)
    }

    /// Reads what a client shows.
    pub(crate) fn read(shown: &str) -> Option<(i64, Self)> {
        let (id, secret) = shown.split_once('.')?;
        Some((id.parse().ok()?, Self(secret.to_owned())))
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> Vec<u8> {
        hash(&self.0)
    }

    /// What a page must repeat in a header to write. It follows from the secret, which it does not tell.
    pub(crate) fn csrf_token(&self) -> String {
        let hash = Sha256::new().chain_update("csrf\0").chain_update(&self.0);
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }
}

/// The SHA-256 of a text.
pub(crate) fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text).to_vec()
}

/// Compares in a time that does not tell where two texts differ.
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
