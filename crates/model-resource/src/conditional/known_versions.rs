//! Versions that a client has already: it gets 304 instead of the object.

use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use model_resource_schema::column::Table;

use crate::conditional::entity_tags::EntityTags;
use crate::conditional::preconditions::date;
use crate::handle::{Data, Payload, Reply};
use crate::pipeline::Context;

/// Versions of an object that a client has.
pub(crate) enum KnownVersions {
    None,
    /// Versions with one of these tags (`If-None-Match`).
    Tagged(EntityTags),
    /// Versions that were not changed after this second (`If-Modified-Since`).
    Since(i64),
}

impl KnownVersions {
    /// Reads those of a request that reads. The date counts without tags only. What is not a list of entity tags, or not a
    /// date, matches no version.
    pub(crate) fn of(cx: &Context) -> Self {
        if cx.method() != Method::GET && cx.method() != Method::HEAD {
            return Self::None;
        }
        match EntityTags::read(cx.headers(), &header::IF_NONE_MATCH) {
            Ok(Some(tags)) => Self::Tagged(tags),
            Ok(None) => date(cx.headers(), &header::IF_MODIFIED_SINCE).map_or(Self::None, Self::Since),
            Err(_) => Self::None,
        }
    }

    /// Replaces an object that the client has by status 304.
    ///
    /// The tag and the date tell the version of the row alone, so an object that also shows other rows or computed fields,
    /// or that a decorator has changed, is sent in any case. `is_alike` says whether the caller sees of a table what those
    /// see whose responses caches store.
    pub(crate) fn without_known(&self, mut reply: Reply, is_alike: impl Fn(&'static Table) -> bool) -> Reply {
        if let Some(payload) = reply.payload_mut()
            && let (Data::Written(projection, _), StatusCode::OK) = (&payload.data, payload.status)
            && self.contain(payload)
            && is_alike(projection.table())
        {
            payload.data = Data::Nothing;
            payload.status = StatusCode::NOT_MODIFIED;
        }
        reply
    }

    /// Whether the client has a version with this tag.
    pub(crate) fn has_tag(&self, tag: &HeaderValue) -> bool {
        match self {
            Self::Tagged(tags) => {
                let tag = tag.as_bytes();
                tags.contain_weakly(tag.strip_prefix(b"W/").unwrap_or(tag))
            }
            Self::None | Self::Since(_) => false,
        }
    }

    fn contain(&self, payload: &Payload) -> bool {
        match self {
            Self::None => false,
            Self::Tagged(_) => {
                let tag = payload.headers.get(header::ETAG);
                tag.is_some_and(|tag| self.has_tag(tag))
            }
            Self::Since(since) => last_change(&payload.headers).is_some_and(|changed| changed <= *since),
        }
    }
}

fn last_change(headers: &HeaderMap) -> Option<i64> {
    date(headers, &header::LAST_MODIFIED)
}
