//! Operation of a request inside a transaction that begins with its first write.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use model_resource_store::Store;

use crate::idempotency::RecordedResponse;
use crate::pipeline::{CommitQueue, Context, Error, MAX_ATTEMPTS, Result, respond};
use crate::render::Accept;
use crate::routing::Action;

/// Operation of a request, which may be repeated.
pub(crate) struct DeferredOperation {
    action: Arc<Action>,
    /// Header `WWW-Authenticate` of responses that need it.
    challenge: HeaderValue,
    body: Bytes,
}

impl DeferredOperation {
    /// Prepares the operation of a request with this body.
    pub(crate) fn new(action: &Arc<Action>, challenge: &HeaderValue, body: Bytes) -> Self {
        Self {
            action: Arc::clone(action),
            challenge: challenge.clone(),
            body,
        }
    }

    /// Whether nothing remains of the operation if its transaction is rolled back, so that it can be repeated.
    pub(crate) fn is_undone_completely(&self) -> bool {
        let chain = &self.action.chain;
        let mut decorators = chain.decorators.iter();
        chain.is_automatic && decorators.all(|decorator| decorator.is_transactional())
    }

    /// Whether the operation is repeated after this error.
    pub(crate) fn is_repeatable(&self, error: &Error, attempt: u32) -> bool {
        error.is_aborted() && attempt < MAX_ATTEMPTS && self.is_undone_completely()
    }

    /// Creates the request of one attempt, which writes to `store`. The work that waits for its commit goes to `queue`.
    pub(crate) fn request(&self, cx: &Context, store: &Store, queue: &Arc<CommitQueue>) -> Context {
        let services = Arc::new(cx.services().with_store(store.clone()));
        let mut request = cx.again(services, self.body.clone());
        request.set_commit_queue(Arc::clone(queue));
        request
    }

    /// Runs the operation to its response.
    pub(crate) async fn run(self: Arc<Self>, cx: Context) -> Result<RecordedResponse> {
        let accept = Accept::of(cx.headers());
        let representation = self.action.representation(&cx, &accept)?;
        let response = respond(&self.action, &representation, &self.challenge, cx).await?;
        RecordedResponse::read(response).await
    }
}
