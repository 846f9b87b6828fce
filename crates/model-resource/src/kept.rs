//! A row as a reply keeps it: written where it is read or saved, if it can be.

use std::sync::Arc;

use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::Shape;
use model_resource_store::Keep;

use crate::error::{Error, Result};
use crate::payload::{Data, Form};

/// One object, on its way from the database into a reply.
pub(crate) enum Kept {
    /// As its serializer writes it.
    Written(Vec<u8>),
    /// As it is, since others stand beside it, or the serializer looks up or computes something for it.
    Row(Record),
}

/// What a reply is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The object as it is written, as soon as that can be.
    Text,
    /// The row, to be written with others.
    Row,
}

impl Kept {
    /// Keeps a row that is to look so.
    pub(crate) fn of(shape: &Arc<Shape>, wanted: Wanted) -> impl Keep<Result<Self>> + use<> {
        let shape = Arc::clone(shape);
        move |row: &dyn Row| {
            if wanted == Wanted::Row || !shape.writes_columns_only() {
                return Ok(Kept::Row(Record::copy(row, shape.table())));
            }
            let mut out = Vec::with_capacity(1024);
            shape
                .dump(&mut out, row, &Related::default())
                .map_err(Error::internal)?;
            Ok(Kept::Written(out))
        }
    }

    pub(crate) fn into_data(self, shape: Arc<Shape>) -> Data {
        match self {
            Kept::Written(json) => Data::Written(shape, json),
            Kept::Row(record) => Data::One(Form::Wanted(shape), Box::new(record)),
        }
    }
}
