//! From the operation of a request to its response.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

use crate::conditional::{KnownVersions, with_list_tag, with_row_tag};
use crate::handle::{Handling, PREFERENCE_APPLIED};
use crate::pipeline::context::Context;
use crate::pipeline::error::Result;
use crate::render::Negotiated;
use crate::routing::{Action, Operation};

/// Runs the chain of an action, for each object of a bulk request, and renders its reply.
pub(crate) async fn respond(
    action: &Action,
    representation: &Negotiated<'_>,
    challenge: &HeaderValue,
    cx: Context,
) -> Result<Response> {
    let services = Arc::clone(cx.services());
    let visibility = cx.visibility();
    let known = KnownVersions::of(&cx);
    let applied = applied_handling(action, &cx);
    let mut reply = match (&action.bulk, action.operation) {
        (Some(bulk), Some(operation)) => Box::pin(bulk.run(operation, &action.chain, cx)).await?,
        _ => action.chain.run(cx).await?,
    };
    if action.operation == Some(Operation::Get) {
        reply = with_row_tag(reply, &services.row_tags);
    }
    if let Some(payload) = reply.payload_mut() {
        if let Some(visibility) = visibility {
            payload.data.restrict_to(&visibility, &services)?;
        }
        if payload.status == StatusCode::UNAUTHORIZED {
            let own = payload.headers.entry(header::WWW_AUTHENTICATE);
            own.or_insert_with(|| challenge.clone());
        }
    }
    if let Some(handling) = applied {
        reply.headers_mut().append(PREFERENCE_APPLIED, handling.header());
    }
    let reply = known.without_known(reply);
    let response = representation.respond(reply, &services).await?;
    if action.operation == Some(Operation::List) {
        return Ok(with_list_tag(response, &services.list_tags, &known));
    }
    Ok(response)
}

/// Preferred treatment of read-only members, of a request whose body is loaded.
fn applied_handling(action: &Action, cx: &Context) -> Option<Handling> {
    match action.operation? {
        Operation::Create | Operation::Put | Operation::Patch => Handling::preferred(cx.headers()),
        Operation::List | Operation::Get | Operation::Delete => None,
    }
}
