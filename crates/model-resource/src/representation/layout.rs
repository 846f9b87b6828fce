//! How a list looks in a format: what stands before its rows, between them and after them.

use model_resource_schema::model::Row;
use model_resource_schema::relation::Related;
use model_resource_schema::serializer::{Shape, Unwritable};

/// The look of a list. Rows are written by it where they are read, one after the other.
pub(super) trait Layout: Copy + Send + Sync + 'static {
    /// What stands between two rows.
    const BETWEEN: &'static [u8];

    /// Writes what stands before the first row.
    fn open(self, shape: &Shape, out: &mut Vec<u8>);

    /// Writes one row.
    fn row(
        self,
        shape: &Shape,
        out: &mut Vec<u8>,
        row: &dyn Row,
        related: &Related,
    ) -> Result<(), Unwritable>;

    /// Writes what stands after the last row.
    fn close(self, shape: &Shape, out: &mut Vec<u8>);
}
