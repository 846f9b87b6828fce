//! Weak tags of lists.

use std::hash::BuildHasher as _;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use foldhash::quality::FixedState;
use http::HeaderValue;

/// Key of the tags of lists.
pub(crate) struct ListTagKey(FixedState);

impl ListTagKey {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        let (seed, _) = secret.split_first_chunk().expect("a secret has 32 bytes");
        Self(FixedState::with_seed(u64::from_le_bytes(*seed)))
    }

    /// Tag of a page: a digest of its bytes. It is weak, because a compressed page has the same tag.
    pub(super) fn tag(&self, page: &[u8]) -> Option<HeaderValue> {
        let digest = self.0.hash_one(page).to_le_bytes();
        HeaderValue::try_from(format!("W/\"{}\"", URL_SAFE_NO_PAD.encode(digest))).ok()
    }
}
