//! Outcome of a bulk operation: one reply merged from those of all items, or one error.

use http::{StatusCode, header};
use model_resource_schema::errors::Errors;
use model_resource_schema::message::{Message, code};
use model_resource_schema::serializer::ObjectVersion;

use crate::handle::{Data, Payload, Reply, ReplyKind};
use crate::pipeline::{Context, Error, ErrorKind, Result};
use crate::render::whole_value;

/// Errors of the items.
#[derive(Default)]
pub(super) struct BulkErrors {
    errors: Errors,
    /// Status of the first error.
    status: Option<StatusCode>,
}

impl BulkErrors {
    /// Adds the error of the item at a position. An error that is not about the item ends the request.
    pub(super) fn add(&mut self, position: usize, error: Error) -> Result<()> {
        let status = error.status();
        let concerns_all = matches!(
            error.kind(),
            ErrorKind::Unauthorized | ErrorKind::Timeout | ErrorKind::TooManyRequests { .. }
        );
        if concerns_all || status.is_server_error() {
            return Err(error);
        }
        let errors = error.errors().cloned();
        let mut errors =
            errors.unwrap_or_else(|| Errors::object(Message::new(error.code(), error.message())));
        if let Some(tag) = current_tag(&error) {
            errors.add(ObjectVersion::MEMBER, Message::new(code::CURRENT_VERSION, tag));
        }
        self.errors.nest_index(position, errors);
        self.status.get_or_insert(status);
        Ok(())
    }

    /// Whether the maximum number of errors is reached.
    pub(super) fn is_full(&self) -> bool {
        self.errors.is_full()
    }

    /// Returns the error of the request, if an item has one.
    pub(super) fn into_error(self) -> Option<Error> {
        let (status, errors) = (self.status?, self.errors);
        Some(Error::new(ErrorKind::BulkRejected { status, errors }))
    }
}

/// Tag of the object's current version, without its quotes, if the error is that the object has another one. An item has
/// no headers.
fn current_tag(error: &Error) -> Option<&str> {
    let tag = error.header(&header::ETAG)?.to_str().ok()?;
    (error.status() == StatusCode::PRECONDITION_FAILED).then(|| tag.trim_matches('"'))
}

/// Turns a reply with an error status into an error.
pub(super) fn require_success(reply: Reply) -> Result<Reply> {
    let status = reply.status();
    if status.is_client_error() || status.is_server_error() {
        let reason = status.canonical_reason().unwrap_or("The object was rejected");
        return Err(Error::named("ErrorReply", status, format!("{reason}.")));
    }
    Ok(reply)
}

/// Merges the data of all replies, with the status and headers of the last.
pub(super) async fn merge_replies(replies: Vec<Reply>, cx: &Context) -> Result<Reply> {
    let (mut status, mut headers) = (StatusCode::OK, http::HeaderMap::new());
    let mut data = Vec::with_capacity(replies.len());
    for reply in replies {
        status = reply.status();
        match reply.0 {
            ReplyKind::Data(payload) => {
                headers = payload.headers;
                data.push(payload.data);
            }
            // The body of a finished response is unknown here.
            ReplyKind::Response(response) => {
                headers = http::HeaderMap::new();
                drop(response);
                data.push(Data::Nothing);
            }
        }
    }
    headers.remove(header::LOCATION);
    headers.remove(header::ETAG);
    let data = if data.iter().all(|data| matches!(data, Data::Nothing)) {
        Data::Nothing
    } else {
        merge_data(data, cx).await?
    };
    Ok(Reply(ReplyKind::Data(Payload {
        data,
        status,
        headers,
        context: None,
    })))
}

/// Merges objects of one projection into a list, and other data into a JSON array.
async fn merge_data(data: Vec<Data>, cx: &Context) -> Result<Data> {
    let first = match data.first() {
        Some(Data::One(form, _)) => Some(form.clone()),
        _ => None,
    };
    let is_alike =
        |data: &Data| matches!((data, &first), (Data::One(form, _), Some(first)) if form.is(first));
    if let Some(form) = &first
        && data.iter().all(is_alike)
    {
        let rows = data.into_iter().filter_map(|data| match data {
            Data::One(_, row) => Some(row),
            _ => None,
        });
        return Ok(Data::Many(form.clone(), rows.collect()));
    }
    let visibility = cx.visibility();
    let mut values = Vec::with_capacity(data.len());
    for mut data in data {
        if let Some(visibility) = &visibility {
            data.restrict_to(visibility, cx.services())?;
        }
        values.push(whole_value(data, cx.services()).await?);
    }
    Ok(Data::Json(serde_json::Value::Array(values)))
}
