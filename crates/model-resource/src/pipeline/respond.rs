//! From the operation of a request to its response.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderValue, StatusCode, header};

use crate::conditional::{KnownVersions, with_list_tag, with_row_tag};
use crate::handle::{Data, Handling, PREFERENCE_APPLIED, Reply};
use crate::pipeline::caching::AmbiguousTag;
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
    let policies = cx.caller_policies().cloned();
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
    if representation.is_default {
        let is_alike = |table| {
            policies
                .as_ref()
                .is_none_or(|policies| policies.show_as_to_anonymous(table))
        };
        reply = known.without_known(reply, is_alike);
    }
    let has_ambiguous_tag = has_ambiguous_tag(action, representation, &mut reply);
    let mut response = representation.respond(reply, &services).await?;
    if has_ambiguous_tag {
        response.extensions_mut().insert(AmbiguousTag);
    }
    if action.operation == Some(Operation::List) {
        return Ok(with_list_tag(response, &services.list_tags, &known));
    }
    Ok(response)
}

/// Whether the tag of the automatic get of an object tells less than what is sent, so that another response to its URL with
/// the tag can be a 304: in another representation than the default one, or after a change by a decorator.
fn has_ambiguous_tag(action: &Action, representation: &Negotiated<'_>, reply: &mut Reply) -> bool {
    let is_automatic = action.operation == Some(Operation::Get) && action.chain.is_automatic;
    let Some(payload) = reply.payload_mut().filter(|_| is_automatic) else {
        return false;
    };
    let is_of_row = matches!(payload.data, Data::Written(..) | Data::One(..));
    let is_ambiguous = !(is_of_row && representation.is_default);
    payload.status == StatusCode::OK && payload.headers.contains_key(header::ETAG) && is_ambiguous
}

/// Preferred treatment of read-only members, of a request whose body is loaded.
fn applied_handling(action: &Action, cx: &Context) -> Option<Handling> {
    match action.operation? {
        Operation::Create | Operation::Put | Operation::Patch => Handling::preferred(cx.headers()),
        Operation::List | Operation::Get | Operation::Delete => None,
    }
}
