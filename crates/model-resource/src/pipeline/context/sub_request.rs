//! Sub-requests: one item of a bulk request as a request.

use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;
use http::{HeaderValue, Method, Uri, header};
use model_resource_schema::serializer::ObjectVersion;
use model_resource_store::Store;
use tokio::sync::oneshot;

use crate::pipeline::api_state::ApiState;
use crate::pipeline::context::db::{Db, NestedBegin};
use crate::pipeline::context::handover::{Arrival, Handover, ItemStart};
use crate::pipeline::context::request::{Context, ContextInner, Loaded};
use crate::pipeline::context::request_body::RequestBody;
use crate::pipeline::context::url::{OuterPrefix, PathFilled};
use crate::routing::{Operation, Params, UrlBinding};

/// Method, URL and body of a sub-request.
pub(crate) struct SubRequest {
    pub(crate) operation: Operation,
    pub(crate) uri: Uri,
    pub(crate) params: Params,
    pub(crate) binding: Arc<UrlBinding>,
    /// JSON object.
    pub(crate) body: String,
    /// Version that it is about.
    pub(crate) version: Option<ObjectVersion>,
}

impl Context {
    /// Creates a sub-request that reads and writes in `store`, until it hands its draft over. Also returns whether it
    /// has an uncommitted `begin`, and the receiver of its draft.
    pub(crate) fn sub_request(
        &self,
        part: SubRequest,
        store: Store,
        start: ItemStart,
    ) -> (Self, NestedBegin, oneshot::Receiver<Arrival>) {
        let mut context = self.part(part);
        let uncommitted = NestedBegin::default();
        let (handover, arrival) = Handover::new(start);
        context.0.db = Db::Shared(Box::new(store), uncommitted.clone(), handover);
        (context, uncommitted, arrival)
    }

    /// Creates a request for the object with another URL, instead of this one.
    pub(crate) fn at_item(&self, part: SubRequest) -> Self {
        let mut context = self.part(part);
        context.0.commit_queue.clone_from(&self.0.commit_queue);
        context
    }

    /// Creates this request again, with its body.
    pub(crate) fn repeat(&self, body: Bytes) -> Self {
        let mut context = self.again(Arc::clone(&self.0.services), body);
        context.0.commit_queue.clone_from(&self.0.commit_queue);
        context
    }

    /// Creates this request again, as one that creates the object of its URL.
    pub(crate) fn creation(&self, body: Bytes) -> Self {
        let mut context = self.repeat(body);
        context.0.operation = Some(Operation::Create);
        context
    }

    /// Creates a request for one object.
    fn part(&self, part: SubRequest) -> Self {
        let mut context = self.again(Arc::clone(&self.0.services), Bytes::new());
        context.set_json_body();
        let inner = &mut *context.0;
        inner.parts.uri = part.uri;
        let extensions = &mut inner.parts.extensions;
        extensions.insert(OuterPrefix(Arc::from(self.outer_prefix())));
        extensions.remove::<PathFilled>();
        extensions.remove::<ObjectVersion>();
        if let Some(version) = part.version {
            extensions.insert(version);
        }
        for name in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_UNMODIFIED_SINCE,
        ] {
            inner.parts.headers.remove(name);
        }
        inner.body = Mutex::new(RequestBody::Text(part.body));
        inner.params = part.params;
        inner.operation = Some(part.operation);
        inner.binding = part.binding;
        context
    }

    /// Creates a request for the list at this URL, without the query parameters that are not the list's.
    pub(crate) fn list_request(&self, foreign: &[&str]) -> Self {
        let mut context = self.again(Arc::clone(&self.0.services), Bytes::new());
        let inner = &mut *context.0;
        inner.parts.method = Method::GET;
        inner.operation = Some(Operation::List);
        inner.query = OnceLock::from(self.query_string().without(foreign));
        context
    }

    /// Creates another request like this one, with this body, whose state has another store.
    pub(crate) fn again(&self, services: Arc<ApiState>, body: Bytes) -> Self {
        Self(Box::new(ContextInner {
            parts: self.0.parts.clone(),
            body: Mutex::new(RequestBody::Read(body)),
            peer: self.0.peer,
            query: self.0.query.clone(),
            params: self.0.params.clone(),
            operation: self.0.operation,
            binding: Arc::clone(&self.0.binding),
            services,
            caller: self.0.caller.clone(),
            is_authenticated: self.0.is_authenticated,
            caller_slot: None,
            policies: self.0.policies.clone(),
            restrictions: self.0.restrictions.clone(),
            loaded: Loaded::default(),
            instances: Vec::new(),
            db: Db::Store,
            commit_queue: None,
            converted: Vec::new(),
        }))
    }

    /// Declares the body as JSON.
    pub(crate) fn set_json_body(&mut self) {
        let json = HeaderValue::from_static("application/json");
        self.0.parts.headers.insert(header::CONTENT_TYPE, json);
    }

    /// Creates a GET of the same client, for another URL that the caller of this method sets.
    #[cfg(feature = "pages")]
    pub(crate) fn sibling_request(&self) -> http::Request<()> {
        let mut parts = self.0.parts.clone();
        parts.method = http::Method::GET;
        parts
            .extensions
            .insert(OuterPrefix(Arc::from(self.outer_prefix())));
        parts.extensions.remove::<PathFilled>();
        for name in [
            header::ACCEPT,
            header::CONTENT_LENGTH,
            header::CONTENT_TYPE,
            header::TRANSFER_ENCODING,
            header::EXPECT,
            header::RANGE,
            header::IF_MATCH,
            header::IF_NONE_MATCH,
            header::IF_MODIFIED_SINCE,
        ] {
            parts.headers.remove(name);
        }
        http::Request::from_parts(parts, ())
    }
}
