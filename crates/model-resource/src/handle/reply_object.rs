//! Rows of a reply, serialized on the thread that reads or writes them, if possible.

use std::sync::Arc;

use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::Projection;
use model_resource_store::MapRow;

use crate::handle::payload::{Data, ProjectionChoice};
use crate::pipeline::{Error, Result};

/// Row on its way from the database into a reply.
pub(crate) enum ReplyObject {
    /// Serialized object.
    Json(Vec<u8>),
    /// Row to serialize later, together with others, or because the serializer fetches or computes something for it.
    Row(Record),
}

/// Form in which a reply needs an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Serialized, if possible on the database thread.
    Text,
    /// Row, to be serialized with others.
    Row,
}

impl ReplyObject {
    /// Maps a row for a reply with this projection.
    pub(crate) fn of(projection: &Arc<Projection>, wanted: Wants) -> impl MapRow<Result<Self>> + use<> {
        let projection = Arc::clone(projection);
        move |row: &dyn Row| {
            if wanted == Wants::Row || !projection.writes_columns_only() {
                return Ok(ReplyObject::Row(Record::copy(row, projection.table())));
            }
            let mut out = Vec::with_capacity(1024);
            projection
                .dump(&mut out, row, &Related::default())
                .map_err(Error::internal)?;
            Ok(ReplyObject::Json(out))
        }
    }

    pub(crate) fn into_data(self, projection: Arc<Projection>) -> Data {
        match self {
            ReplyObject::Json(json) => Data::Written(projection, json),
            ReplyObject::Row(record) => Data::One(ProjectionChoice::Requested(projection), Box::new(record)),
        }
    }
}
