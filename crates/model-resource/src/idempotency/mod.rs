//! Requests with an `Idempotency-Key`, which clients can repeat without writing twice.

mod answer;
mod in_progress;
mod key;
mod keys;
mod recorded;
mod require;

pub(crate) use answer::KeyedRequest;
pub(crate) use key::{IDEMPOTENCY_KEY, IdempotencyKey};
pub(crate) use keys::IdempotencyKeys;
pub(crate) use recorded::RecordedResponse;
#[cfg(any(feature = "openapi", feature = "pages"))]
pub(crate) use require::REQUIRE_IDEMPOTENCY_KEY;
pub(crate) use require::RequireIdempotencyKey;
