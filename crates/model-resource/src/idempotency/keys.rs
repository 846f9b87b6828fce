//! State of an api for keyed requests.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::{HeaderMap, Method, Uri, header};
use model_resource_store::Store;
use uuid::Uuid;

use crate::access::Caller;
use crate::idempotency::in_progress::InProgress;
use crate::idempotency::key::{IdempotencyKey, TIME_LENGTH};
use crate::keyed_digest::{DIGEST_LENGTH, DigestKey};

/// Time between two removals of expired responses.
const SWEEP_INTERVAL: Duration = Duration::from_secs(30);
/// Maximum responses that are removed by one statement.
const SWEEP_ROWS: u32 = 200;
/// Pause between two of these statements.
const SWEEP_PAUSE: Duration = Duration::from_millis(100);

/// Headers that are part of a request's digest: a repetition with others would be another request.
const DIGESTED: [header::HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];

/// Keyed requests of an api.
pub(crate) struct IdempotencyKeys {
    /// Secret of the ids and digests: without it, a reader of the database could guess keys and requests.
    secret: DigestKey,
    /// Time for which responses are stored.
    pub(crate) lifetime: Duration,
    pub(super) in_progress: InProgress,
    last_sweep: Mutex<Option<Instant>>,
}

impl IdempotencyKeys {
    pub(crate) fn new(secret: &[u8; 32], lifetime: Duration) -> Self {
        Self {
            secret: DigestKey::new(secret),
            lifetime,
            in_progress: InProgress::default(),
            last_sweep: Mutex::default(),
        }
    }

    /// Id of a caller's key. That of an anonymous caller belongs to their address.
    ///
    /// It is a digest. That of a UUID of version 7 begins with its time, so that the database stores the responses to
    /// such keys beside each other instead of all over their index.
    pub(super) fn id(&self, caller: &Caller, address: Option<IpAddr>, key: &IdempotencyKey) -> Uuid {
        let caller = match (caller.key_text(), address) {
            (Some(key), _) => format!("caller {key}"),
            (None, Some(address)) => format!("address {address}"),
            (None, None) => "anonymous".to_owned(),
        };
        let parts: [&[u8]; 3] = [b"id", caller.as_bytes(), key.as_str().as_bytes()];
        let mut id = self.secret.digest_parts(&parts);
        if let Some(time) = key.time() {
            id[..TIME_LENGTH].copy_from_slice(&time);
        }
        Uuid::from_bytes(id)
    }

    /// Digest of a request.
    pub(super) fn request_digest(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        body: &[u8],
    ) -> [u8; DIGEST_LENGTH] {
        let url = uri.path_and_query().map_or("", |url| url.as_str());
        let mut parts: Vec<&[u8]> = vec![b"request", method.as_str().as_bytes(), url.as_bytes(), body];
        for name in &DIGESTED {
            for value in headers.get_all(name) {
                parts.extend([name.as_str().as_bytes(), value.as_bytes()]);
            }
        }
        self.secret.digest_parts(&parts)
    }

    /// Removes expired responses from time to time, in small steps and in a task of its own.
    pub(super) fn sweep(&self, store: &Store) {
        {
            let mut last = self.last_sweep.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_some_and(|last| last.elapsed() < SWEEP_INTERVAL) {
                return;
            }
            *last = Some(Instant::now());
        }
        let store = store.clone();
        tokio::spawn(async move {
            loop {
                match store.sweep_responses(SWEEP_ROWS).await {
                    Ok(removed) if removed >= u64::from(SWEEP_ROWS) => tokio::time::sleep(SWEEP_PAUSE).await,
                    Ok(_) => return,
                    Err(error) => {
                        tracing::debug!(%error, "expired responses were not removed");
                        return;
                    }
                }
            }
        });
    }
}
