//! Tags of objects that custom handlers return.

use http::{StatusCode, header};

use crate::conditional::row_tag::RowTagKey;
use crate::handle::{Data, Reply};

/// Adds the tag of its row to the reply of a get, unless it has one.
pub(crate) fn with_row_tag(mut reply: Reply, key: &RowTagKey) -> Reply {
    if let Some(payload) = reply.payload_mut()
        && payload.status == StatusCode::OK
        && !payload.headers.contains_key(header::ETAG)
        && let Data::One(form, row) = payload.data.unmapped()
    {
        let tag = key.tag(form.table(), &**row);
        payload.headers.insert(header::ETAG, tag.header());
    }
    reply
}
