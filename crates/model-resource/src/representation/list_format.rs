//! How a list looks in a format: what stands before its rows, between them and after them.

use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};

use crate::error::Result;
use crate::payload::JsonObject;

/// The look of a list. Rows are written by it where they are read, one after the other.
pub(super) trait ListFormat: Copy + Send + Sync + 'static {
    /// What stands between two rows.
    const BETWEEN: &'static [u8];

    /// Writes what stands before the first row.
    fn open(self, shape: &Projection, out: &mut Vec<u8>);

    /// Writes one row.
    fn row(
        self,
        shape: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError>;

    /// Writes what stands after the last row.
    fn close(self, shape: &Projection, out: &mut Vec<u8>);
}

/// A layout that objects in memory can be written in, too.
pub(super) trait ObjectFormat: ListFormat {
    /// The writer of objects.
    type Writer: ObjectWriter;
}

/// Writes the objects of a list that are JSON in memory, one after the other.
pub(super) trait ObjectWriter: Default + Send + 'static {
    /// Writes what comes before the first object, which is given if there is one.
    fn open(&mut self, shape: &Projection, first: Option<&JsonObject>, out: &mut Vec<u8>);

    /// Writes one object.
    fn object(&mut self, object: &JsonObject, out: &mut Vec<u8>) -> Result<()>;

    /// Writes what comes after the last object.
    fn close(&mut self, shape: &Projection, out: &mut Vec<u8>);
}

/// Objects as JSON without envelope, separated by line breaks, to be read back into memory.
#[derive(Clone, Copy)]
pub(super) struct JsonItems;

impl ListFormat for JsonItems {
    const BETWEEN: &'static [u8] = b"\n";

    fn open(self, _: &Projection, _: &mut Vec<u8>) {}

    fn row(
        self,
        shape: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        shape.dump_item(out, row, related)
    }

    fn close(self, _: &Projection, _: &mut Vec<u8>) {}
}
