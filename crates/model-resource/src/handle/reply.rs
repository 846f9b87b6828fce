//! Return value of a handler: data with a status and headers, or a finished response.

use std::sync::Arc;

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model_resource_schema::errors::Errors;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::handle::payload::{Data, Payload};
use crate::pipeline::{Context, Error, RenderContext, Result};

/// Return value of a handler: data that a representation renders, or a finished response that is sent unchanged.
///
/// Decorators get it from [`Next::run`](crate::Next::run) before it is rendered. They can read the data
/// ([`Reply::read_json`]), replace it ([`Reply::with_json`]) and change each object of it ([`Reply::map_objects`]):
///
/// ```
/// use model_resource::{Context, Next, Reply, ReplyContent, Result};
/// use serde_json::json;
///
/// /// Adds a member to each object. A list is streamed as before.
/// async fn with_license(cx: Context, next: Next) -> Result<Reply> {
///     let reply = next.run(cx).await?;
///     Ok(reply.map_objects(|object| {
///         object.insert("license".to_owned(), json!("CC-BY-4.0"));
///     }))
/// }
///
/// /// Counts the objects of a list, and sends the number instead.
/// async fn counted(cx: Context, next: Next) -> Result<Reply> {
///     let mut reply = next.run(cx).await?;
///     if reply.content() != ReplyContent::List {
///         return Ok(reply);
///     }
///     let list = reply.read_json().await?.unwrap_or_default();
///     Ok(reply.with_json(json!({ "count": list.as_array().map(Vec::len) })))
/// }
/// # fn check(_: impl model_resource::Decorator) {}
/// # check(with_license);
/// # check(counted);
/// ```
pub struct Reply(pub(crate) ReplyKind);

pub(crate) enum ReplyKind {
    Response(Response),
    Data(Payload),
}

/// Kind of content of a [`Reply`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplyContent {
    /// A finished response.
    Response,
    /// No data.
    Nothing,
    /// One object of a model.
    Object,
    /// A list of objects of a model.
    List,
    /// Other JSON.
    Json,
}

impl Reply {
    /// Creates a reply with any serializable value as data, and status 200.
    pub fn json(value: &impl Serialize) -> Result<Self> {
        let value = serde_json::to_value(value).map_err(Error::internal)?;
        Ok(Self::data(Data::Json(value)))
    }

    /// Rejects a body with these errors: status 400 and the single key `errors`.
    pub fn errors(errors: Errors) -> Result<Self> {
        Err(Error::invalid(errors))
    }

    /// Creates a reply without data, with status 204.
    pub fn no_content() -> Self {
        Self::data(Data::Nothing).with_status(StatusCode::NO_CONTENT)
    }

    pub(crate) fn data(data: Data) -> Self {
        Self(ReplyKind::Data(Payload {
            data,
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            context: None,
        }))
    }

    /// Data, unless the response is finished.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        match &mut self.0 {
            ReplyKind::Data(payload) => Some(payload),
            ReplyKind::Response(_) => None,
        }
    }

    /// Attaches the request data that reading the reply's data needs.
    pub(crate) fn in_context(mut self, context: RenderContext) -> Self {
        if let Some(payload) = self.payload_mut() {
            payload.keep_context(context);
        }
        self
    }

    /// Kind of content, without reading it.
    pub fn content(&self) -> ReplyContent {
        let data = match &self.0 {
            ReplyKind::Response(_) => return ReplyContent::Response,
            ReplyKind::Data(payload) => payload.data.unmapped(),
        };
        match data {
            Data::Written(..) | Data::One(..) => ReplyContent::Object,
            Data::Many(..) | Data::Rows(_) | Data::Objects(..) => ReplyContent::List,
            Data::Nothing => ReplyContent::Nothing,
            // Changed objects are never nested in others.
            Data::Json(_) | Data::Mapped(_) => ReplyContent::Json,
        }
    }

    /// Finished response, if the reply is one.
    pub fn response(&self) -> Option<&Response> {
        match &self.0 {
            ReplyKind::Response(response) => Some(response),
            ReplyKind::Data(_) => None,
        }
    }

    /// Replaces the data of the reply. Status and headers are kept, apart from those that described a finished body; status
    /// 204, which has no body, becomes 200.
    pub fn with_json(self, value: impl Into<Value>) -> Self {
        let (status, headers) = match self.0 {
            ReplyKind::Data(payload) => (payload.status, payload.headers),
            ReplyKind::Response(response) => {
                let (mut parts, _) = response.into_parts();
                for name in BODY_HEADERS {
                    parts.headers.remove(name);
                }
                (parts.status, parts.headers)
            }
        };
        let status = match status {
            StatusCode::NO_CONTENT => StatusCode::OK,
            other => other,
        };
        Self(ReplyKind::Data(Payload {
            data: Data::Json(value.into()),
            status,
            headers,
            context: None,
        }))
    }

    /// Changes each object of the reply: the single object, each object of a list, and of other JSON the object itself
    /// or the objects of an array. A finished response is left alone.
    ///
    /// The function gets the members that the caller may see and has requested, without the envelope of a
    /// [`WrappedSerializer`](crate::WrappedSerializer). A list stays a stream: its objects are changed while they are
    /// sent, in JSON, CSV and NDJSON. The columns of CSV are the members of the first object; set a member to null
    /// rather than remove it from some objects.
    pub fn map_objects(mut self, map: impl Fn(&mut Map<String, Value>) + Send + Sync + 'static) -> Self {
        if let Some(payload) = self.payload_mut() {
            let data = std::mem::replace(&mut payload.data, Data::Nothing);
            payload.data = data.map_objects(Arc::new(map));
        }
        self
    }

    /// Sets the status.
    pub fn with_status(mut self, new: StatusCode) -> Self {
        match &mut self.0 {
            ReplyKind::Response(response) => *response.status_mut() = new,
            ReplyKind::Data(payload) => payload.status = new,
        }
        self
    }

    /// Sets a header.
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers_mut().insert(name, value);
        self
    }

    /// Response headers, for decorators that add to them.
    pub fn headers_mut(&mut self) -> &mut HeaderMap {
        match &mut self.0 {
            ReplyKind::Response(response) => response.headers_mut(),
            ReplyKind::Data(payload) => &mut payload.headers,
        }
    }

    /// HTTP status.
    pub fn status(&self) -> StatusCode {
        match &self.0 {
            ReplyKind::Response(response) => response.status(),
            ReplyKind::Data(payload) => payload.status,
        }
    }
}

/// Headers that describe the body of a finished response.
const BODY_HEADERS: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    header::CONTENT_LENGTH,
    header::CONTENT_ENCODING,
    header::CONTENT_RANGE,
    header::TRANSFER_ENCODING,
];

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self(ReplyKind::Response(response))
    }
}

impl Context {
    /// Creates a reply with data that decorators can read.
    pub(crate) fn reply(&self, data: Data) -> Reply {
        if data.needs_context() {
            Reply::data(data).in_context(self.render_context())
        } else {
            Reply::data(data)
        }
    }
}
