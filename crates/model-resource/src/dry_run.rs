//! Dry runs: requests with `Prefer: dry-run`, which are answered as if they wrote, and write nothing.

use std::pin::pin;
use std::sync::Arc;

use axum::response::Response;
use futures_util::future::{Either, select};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model_resource_store::Store;
use tracing::Instrument as _;

use crate::deferred_operation::DeferredOperation;
use crate::idempotency::{IdempotencyKey, RecordedResponse};
use crate::pipeline::{CommitQueue, Context, Error, Result, pause_before};
use crate::routing::Action;

/// Answers a request by an operation that is rolled back.
pub(crate) async fn answer_dry_run(
    action: &Arc<Action>,
    challenge: &HeaderValue,
    cx: Context,
) -> Result<Response> {
    // No response is stored with the key, so that the request itself can use it later.
    IdempotencyKey::of(cx.headers())?;
    let Some(store) = cx.services().store.clone() else {
        return Err(Error::malformed(
            "This api has no database, so that nothing can be undone: leave out `Prefer: dry-run`.",
        ));
    };
    let body = cx.body().await?;
    let operation = Arc::new(DeferredOperation::new(action, challenge, body));
    let mut attempt = 1;
    loop {
        match attempt_once(&operation, &cx, &store).await {
            Err(error) if operation.is_repeatable(&error, attempt) => pause_before(attempt).await,
            answered => {
                let mut response = answered?.into_response();
                forget_outcome(response.headers_mut());
                return Ok(response);
            }
        }
        attempt += 1;
    }
}

/// Runs the operation once, and undoes it.
async fn attempt_once(
    operation: &Arc<DeferredOperation>,
    cx: &Context,
    store: &Store,
) -> Result<RecordedResponse> {
    let mut transaction = store.dry_run();
    let inside = transaction.store().clone();
    // Dropped with its work, because nothing is committed.
    let queue = Arc::new(CommitQueue::default());
    let request = operation.request(cx, &inside, &queue);
    let work = Box::pin(Arc::clone(operation).run(request));
    let work = match select(work, pin!(transaction.first_write())).await {
        Either::Left((response, _)) => return response,
        Either::Right(((), work)) => work,
    };
    let work = async move {
        let response = work.await?;
        if is_success(response.status()) {
            inside.check_constraints().await?;
        }
        Ok(response)
    };
    let work = work.in_current_span();
    if operation.is_undone_completely() {
        Box::pin(transaction.run_grouped(work)).await?
    } else {
        Box::pin(transaction.run(work)).await?
    }
}

fn is_success(status: StatusCode) -> bool {
    !status.is_client_error() && !status.is_server_error()
}

/// Removes the headers that would let the client use what was undone: its URL, its version, and cookies.
fn forget_outcome(headers: &mut HeaderMap) {
    for name in [header::LOCATION, header::ETAG, header::SET_COOKIE] {
        headers.remove(name);
    }
}
