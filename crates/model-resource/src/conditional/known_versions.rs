//! Versions that a client has already: it gets 304 instead of the object.

use http::{Method, StatusCode, header};

use crate::conditional::entity_tags::EntityTags;
use crate::handle::{Data, Reply};
use crate::pipeline::Context;

/// Versions of an object that a client has, by `If-None-Match`.
pub(crate) struct KnownVersions(Option<EntityTags>);

impl KnownVersions {
    /// Reads those of a request that reads. What is not a list of entity tags matches no version.
    pub(crate) fn of(cx: &Context) -> Self {
        if cx.method() != Method::GET && cx.method() != Method::HEAD {
            return Self(None);
        }
        Self(EntityTags::read(cx.headers(), &header::IF_NONE_MATCH).unwrap_or(None))
    }

    /// Replaces an object that the client has by status 304.
    ///
    /// The tag tells the version of the row alone, so an object that also shows other rows or computed fields, or that
    /// a decorator has changed, is sent in any case.
    pub(crate) fn without_known(&self, mut reply: Reply) -> Reply {
        let Some(tags) = &self.0 else {
            return reply;
        };
        if let Some(payload) = reply.payload_mut()
            && let (Data::Written(..), StatusCode::OK) = (&payload.data, payload.status)
            && let Some(tag) = payload.headers.get(header::ETAG)
            && tags.contain_weakly(tag.as_bytes())
        {
            payload.data = Data::Nothing;
            payload.status = StatusCode::NOT_MODIFIED;
        }
        reply
    }
}
