//! Repetition of transactions that the database undid because of concurrent ones.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// Maximum attempts of a transaction.
pub(crate) const MAX_ATTEMPTS: u32 = 8;

/// Waits before another attempt: a random time, so that transactions that collided do not do so again.
pub(crate) async fn pause_before(attempt: u32) {
    let random = RandomState::new().build_hasher().finish();
    let longest = 20 << attempt.min(5);
    tokio::time::sleep(Duration::from_millis(5 + random % longest)).await;
}
