//! A row as a reply keeps it: written where it is read or saved, if it can be.

use std::sync::Arc;

use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::Plan;
use model_resource_store::Keep;

use crate::error::{Error, Result};
use crate::reply::Data;

/// One object, on its way from the database into a reply.
pub(crate) enum Kept {
    /// As its serializer writes it.
    Written(Vec<u8>),
    /// As it is, since the serializer looks up or computes something for it.
    Row(Record),
}

impl Kept {
    /// Keeps a row for this serializer.
    pub(crate) fn of(plan: &Arc<Plan>) -> impl Keep<Result<Self>> {
        let plan = Arc::clone(plan);
        move |row: &dyn Row| {
            if !plan.writes_columns_only() {
                return Ok(Kept::Row(Record::copy(row, plan.table())));
            }
            let mut out = Vec::with_capacity(1024);
            plan.dump(&mut out, row, &Related::default())
                .map_err(Error::internal)?;
            Ok(Kept::Written(out))
        }
    }

    pub(crate) fn into_data(self, table: &'static Table) -> Data {
        match self {
            Kept::Written(json) => Data::Written(json),
            Kept::Row(record) => Data::One(table, Box::new(record)),
        }
    }
}
