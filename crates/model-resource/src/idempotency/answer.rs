//! Answers keyed requests: the first time by the operation, and then with its response.

use std::future::ready;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use futures_util::future::{BoxFuture, Either, select};
use http::{HeaderValue, Method, StatusCode, header};
use model_resource_store::{Store, StoreError};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::deferred_operation::DeferredOperation;
use crate::idempotency::key::IdempotencyKey;
use crate::idempotency::recorded::{RecordedResponse, replay};
use crate::keyed_digest::DIGEST_LENGTH;
use crate::pipeline::{ApiState, CommitQueue, Context, Error, MAX_ATTEMPTS, Result, pause_before};
use crate::routing::Action;

/// Maximum time to wait for another request with the same key; less if requests have less time.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// A request with a key.
pub(crate) struct KeyedRequest {
    id: Uuid,
    digest: [u8; DIGEST_LENGTH],
    operation: Arc<DeferredOperation>,
}

/// Reason why no response was stored and nothing was written.
enum Undone {
    Failed(Error),
    /// The operation has answered with a response that is not to be stored.
    Answered(RecordedResponse),
    /// Another process has stored a response with the key meanwhile.
    Taken,
}

impl From<Error> for Undone {
    fn from(error: Error) -> Self {
        Undone::Failed(error)
    }
}

impl KeyedRequest {
    /// Returns the keyed request, if this is a write with a key.
    pub(crate) async fn of(
        cx: &Context,
        action: &Arc<Action>,
        challenge: &HeaderValue,
    ) -> Result<Option<Arc<Self>>> {
        let is_write = !matches!(*cx.method(), Method::GET | Method::HEAD | Method::OPTIONS);
        if !is_write || cx.services().store.is_none() {
            return Ok(None);
        }
        let Some(key) = IdempotencyKey::of(cx.headers())? else {
            return Ok(None);
        };
        if !cx.store_unchecked().keeps_responses().await {
            return Err(Error::unavailable(
                "the database has no table model_resource_responses for requests with an Idempotency-Key: apply the migrations",
            ));
        }
        let keys = &cx.services().idempotency;
        let body = cx.body().await?;
        Ok(Some(Arc::new(Self {
            id: keys.id(cx.caller(), cx.client_address(), &key),
            digest: keys.request_digest(cx.method(), cx.uri(), cx.headers(), &body),
            operation: Arc::new(DeferredOperation::new(action, challenge, body)),
        })))
    }

    /// Answers the request within a time limit.
    pub(crate) async fn answer(self: Arc<Self>, cx: Context, limit: Duration) -> Result<Response> {
        let services = Arc::clone(cx.services());
        let keys = &services.idempotency;
        let wait = MAX_WAIT.min(limit.mul_f32(0.8));
        let Some(turn) = keys.in_progress.enter(self.id, wait).await else {
            let error = Error::conflict("A request with this Idempotency-Key is still being answered.");
            return Err(error.with_header(header::RETRY_AFTER, HeaderValue::from(1)));
        };
        let store = cx.store_unchecked().clone();
        // After another request with the key there is probably a response, and an operation that is undone costs more than
        // the lookup.
        if (turn.has_waited || !self.operation.is_undone_completely())
            && let Some(response) = self.find(&store).await?
        {
            return Ok(response);
        }
        let mut attempt = 1;
        loop {
            match self.attempt(&cx, &store).await {
                Ok(response) => {
                    keys.sweep(&store);
                    return Ok(response.into_response());
                }
                Err(Undone::Failed(error)) if self.operation.is_repeatable(&error, attempt) => {
                    pause_before(attempt).await;
                }
                Err(Undone::Taken) if attempt < MAX_ATTEMPTS && self.operation.is_undone_completely() => {
                    // A response that has expired is removed.
                    if let Some(response) = self.find(&store).await? {
                        return Ok(response);
                    }
                }
                Err(undone) => return self.after(undone, &store).await,
            }
            attempt += 1;
        }
    }

    /// Runs the operation, and stores its response in the transaction of its writes. The response to a request that succeeds
    /// without a write is stored in a transaction of its own, since its repetition could write.
    async fn attempt(self: &Arc<Self>, cx: &Context, store: &Store) -> Result<RecordedResponse, Undone> {
        let mut transaction = store.defer_keyed(self.id);
        let inside = transaction.store().clone();
        let queue = Arc::new(CommitQueue::default());
        let inner = self.operation.request(cx, &inside, &queue);
        let committed = || cx.commit_queue().inspect(|outer| outer.append(&queue));
        let operation = Box::pin(Arc::clone(&self.operation).run(inner));
        let operation: BoxFuture<'static, _> = match select(operation, pin!(transaction.first_write())).await
        {
            Either::Left((response, _)) => {
                let response = response?;
                if !is_stored_alone(&response) {
                    committed();
                    return Err(Undone::Answered(response));
                }
                inside.expect_one_write();
                Box::pin(ready(Ok(response)))
            }
            Either::Right(((), operation)) => operation,
        };
        let (request, services) = (Arc::clone(self), Arc::clone(cx.services()));
        let work = async move {
            let response = operation.await?;
            request.record(&response, &inside, &services)?;
            if response.status().is_server_error() {
                return Err(Undone::Answered(response));
            }
            Ok(response)
        };
        let work = work.in_current_span();
        let written = if self.operation.is_undone_completely() {
            Box::pin(transaction.run_grouped(work)).await
        } else {
            Box::pin(transaction.run(work)).await
        };
        match written {
            Ok(written) => {
                let response = written?;
                committed();
                Ok(response)
            }
            Err(StoreError::Repeated) => Err(Undone::Taken),
            Err(error) => Err(Undone::Failed(error.into())),
        }
    }

    /// Has a response stored with the transaction, unless it is an error of the server or may contain a secret.
    fn record(&self, response: &RecordedResponse, store: &Store, services: &ApiState) -> Result<()> {
        if !response.is_storable() || response.status().is_server_error() {
            return Ok(());
        }
        let lifetime = services.idempotency.lifetime;
        store.record_response(response.stored(self.digest), lifetime)?;
        Ok(())
    }

    /// Answers a request whose operation was undone: with the stored response, if there is one.
    async fn after(&self, undone: Undone, store: &Store) -> Result<Response> {
        let found = self.find(store).await;
        match (found, undone) {
            (Ok(Some(response)), _) => Ok(response),
            // Another request has used the key.
            (Err(error), _) if error.status() == StatusCode::UNPROCESSABLE_ENTITY => Err(error),
            (_, Undone::Failed(error)) => Err(error),
            (_, Undone::Answered(response)) => Ok(response.into_response()),
            (Err(error), Undone::Taken) => Err(error),
            (Ok(None), Undone::Taken) => {
                Err(Error::conflict("Another request has used this Idempotency-Key."))
            }
        }
    }

    /// Response that is stored with the key. Fails if it answers another request.
    async fn find(&self, store: &Store) -> Result<Option<Response>> {
        let Some(stored) = store.find_response(self.id).await? else {
            return Ok(None);
        };
        if stored.request != self.digest {
            let message =
                "This Idempotency-Key was used for another request: send a new key with each new request.";
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return Err(Error::named("IdempotencyKeyReused", status, message));
        }
        replay(stored).map(Some)
    }
}

/// Whether a response is stored although nothing was written: that of a request that was not refused.
fn is_stored_alone(response: &RecordedResponse) -> bool {
    let status = response.status();
    response.is_storable() && !status.is_client_error() && !status.is_server_error()
}
