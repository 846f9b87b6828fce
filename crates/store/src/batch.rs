//! Batches of rows, bounded by count and by bytes while they are read.

use model_resource_schema::model::Record;
use model_resource_schema::value::Value;

use crate::error::{Error, Result};

/// Maximum rows per batch; related rows are fetched once per batch.
pub(crate) const MAX_BATCH_ROWS: usize = 128;
/// Maximum bytes per batch; bounds the memory of a batch of large rows.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// Maximum bytes buffered when all rows must be read before the first one is passed on.
const MAX_ROW_BYTES: usize = 32 * 1024 * 1024;
/// Estimated bytes of one column with a short value, including its name.
const COLUMN_BYTES: usize = 16;

/// A row that reports its size in memory.
pub(crate) trait ByteSized {
    /// Approximate size in bytes.
    fn size(&self) -> usize;
}

impl ByteSized for Record {
    fn size(&self) -> usize {
        let size = |value: &Value| match value {
            Value::Text(text) | Value::Json(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Single(_) | Value::Double(_) => 0,
            Value::Decimal(_) | Value::Uuid(_) => 0,
            Value::Date(_) | Value::Time(_) | Value::Timestamp(_) => 0,
        };
        self.values().iter().map(|value| COLUMN_BYTES + size(value)).sum()
    }
}

/// Rows buffered before they are passed to a sink.
pub(crate) struct RowBatch<R> {
    pub(crate) rows: Vec<R>,
    bytes: usize,
}

impl<R: ByteSized> RowBatch<R> {
    pub(crate) fn new() -> Self {
        Self {
            rows: Vec::new(),
            bytes: 0,
        }
    }

    pub(crate) fn add(&mut self, row: R) {
        self.bytes += row.size();
        self.rows.push(row);
    }

    /// Whether the batch has reached its maximum row count or size.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MAX_BATCH_ROWS || self.bytes >= MAX_BATCH_BYTES
    }

    /// Fails if the rows exceed the maximum that may be buffered, over all batches.
    pub(crate) fn check(&self) -> Result<()> {
        if self.bytes > MAX_ROW_BYTES {
            return Err(Error::TooLarge);
        }
        Ok(())
    }
}
