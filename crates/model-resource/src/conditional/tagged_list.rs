//! Lists with their tags, by which clients learn that a page has not changed.

use axum::body::Body;
use axum::response::Response;
use http::{StatusCode, header};

use crate::conditional::known_versions::KnownVersions;
use crate::conditional::list_tag::ListTagKey;
use crate::http::take_whole;

/// Bytes up to which a page has a tag. The digest of longer ones takes time, and the longest are sent while they are read.
const MAX_LENGTH: usize = 16 * 1024;

/// Adds the tag to a list that is in memory as a whole, and replaces one that the client has by status 304.
pub(crate) fn with_list_tag(response: Response, key: &ListTagKey, known: &KnownVersions) -> Response {
    if response.status() != StatusCode::OK || response.headers().contains_key(header::ETAG) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let page = match take_whole(body, MAX_LENGTH) {
        Ok(page) => page,
        Err(body) => return Response::from_parts(head, body),
    };
    let Some(tag) = key.tag(&page) else {
        return Response::from_parts(head, Body::from(page));
    };
    let is_known = known.has_tag(&tag);
    head.headers.insert(header::ETAG, tag);
    if !is_known {
        return Response::from_parts(head, Body::from(page));
    }
    head.status = StatusCode::NOT_MODIFIED;
    head.headers.remove(header::CONTENT_TYPE);
    head.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(head, Body::empty())
}
