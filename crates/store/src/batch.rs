//! Rows that are held before they are given on, counted and bounded while they are read.

use model_resource_schema::model::{Record, Row};
use model_resource_schema::value::Value;

use crate::error::{Error, Result};

/// So many rows have their related rows looked up together,
pub(crate) const MAX_BATCH_ROWS: usize = 128;
/// unless they have so many bytes before.
const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;
/// So many bytes are held at the most where rows must all be read before the first is given.
const MAX_ROW_BYTES: usize = 32 * 1024 * 1024;
/// So much is a column whose values are short, together with its name.
const COLUMN_BYTES: usize = 16;

/// A row that knows how much of it is held.
pub(crate) trait ByteSized: Row {
    /// About so many bytes it has.
    fn size(&self) -> usize;
}

impl ByteSized for Record {
    fn size(&self) -> usize {
        let size = |value: &Value| match value {
            Value::Text(text) | Value::Json(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        self.values().iter().map(|value| COLUMN_BYTES + size(value)).sum()
    }
}

/// Rows that are held before they are given on.
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

    /// Whether it is time to look up what they relate to, for their number or for their size.
    pub(crate) fn is_full(&self) -> bool {
        self.rows.len() >= MAX_BATCH_ROWS || self.bytes >= MAX_BATCH_BYTES
    }

    /// Fails if they are more than may be held, however many blocks that is.
    pub(crate) fn check(&self) -> Result<()> {
        match self.bytes > MAX_ROW_BYTES {
            true => Err(Error::TooLarge),
            false => Ok(()),
        }
    }
}
