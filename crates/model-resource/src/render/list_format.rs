//! List formats: the bytes before, between and after the rows of a list.

use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Projection, SerializeError};

use crate::handle::JsonObject;
use crate::pipeline::Result;

/// Format of a list. Rows are written on the thread that reads them, one after the other.
pub(super) trait ListFormat: Copy + Send + Sync + 'static {
    /// Separator between two rows.
    const BETWEEN: &'static [u8];

    /// Writes the bytes before the first row.
    fn open(self, projection: &Projection, out: &mut Vec<u8>);

    /// Writes one row.
    fn row(
        self,
        projection: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError>;

    /// Writes the bytes after the last row.
    fn close(self, projection: &Projection, out: &mut Vec<u8>);
}

/// List format that can also write objects in memory.
pub(super) trait ObjectFormat: ListFormat {
    /// Writer of objects.
    type Writer: ObjectWriter;
}

/// Writes the objects of a list that are JSON in memory, one after the other.
pub(super) trait ObjectWriter: Default + Send + 'static {
    /// Writes the bytes before the first object, which is passed if there is one.
    fn open(&mut self, projection: &Projection, first: Option<&JsonObject>, out: &mut Vec<u8>);

    /// Writes one object.
    fn object(&mut self, object: &JsonObject, out: &mut Vec<u8>) -> Result<()>;

    /// Writes the bytes after the last object.
    fn close(&mut self, projection: &Projection, out: &mut Vec<u8>);
}

/// JSON objects without an envelope, one per line, to be parsed back into memory.
#[derive(Clone, Copy)]
pub(super) struct JsonItems;

impl ListFormat for JsonItems {
    const BETWEEN: &'static [u8] = b"\n";

    fn open(self, _: &Projection, _: &mut Vec<u8>) {}

    fn row(
        self,
        projection: &Projection,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), SerializeError> {
        projection.dump_item(out, row, related)
    }

    fn close(self, _: &Projection, _: &mut Vec<u8>) {}
}
