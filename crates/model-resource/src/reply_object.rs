//! A row as a reply keeps it: written where it is read or saved, if it can be.

use std::sync::Arc;

use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::Projection;
use model_resource_store::MapRow;

use crate::error::{Error, Result};
use crate::payload::{Data, ProjectionChoice};

/// One object, on its way from the database into a reply.
pub(crate) enum ReplyObject {
    /// As its serializer writes it.
    Json(Vec<u8>),
    /// As it is, since others stand beside it, or the serializer looks up or computes something for it.
    Row(Record),
}

/// What a reply is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// The object as it is written, as soon as that can be.
    Text,
    /// The row, to be written with others.
    Row,
}

impl ReplyObject {
    /// Keeps a row that is to look so.
    pub(crate) fn of(shape: &Arc<Projection>, wanted: Wants) -> impl MapRow<Result<Self>> + use<> {
        let shape = Arc::clone(shape);
        move |row: &dyn Row| {
            if wanted == Wants::Row || !shape.writes_columns_only() {
                return Ok(ReplyObject::Row(Record::copy(row, shape.table())));
            }
            let mut out = Vec::with_capacity(1024);
            shape
                .dump(&mut out, row, &Related::default())
                .map_err(Error::internal)?;
            Ok(ReplyObject::Json(out))
        }
    }

    pub(crate) fn into_data(self, shape: Arc<Projection>) -> Data {
        match self {
            ReplyObject::Json(json) => Data::Written(shape, json),
            ReplyObject::Row(record) => Data::One(ProjectionChoice::Requested(shape), Box::new(record)),
        }
    }
}
