//! Limits on related rows, enforced while they are fetched.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Relation;
use model_resource_schema::value::{Key, Value};

use crate::batch::ByteSized;
use crate::error::{Error, Result};

/// Maximum objects written for one relation.
const MAX_OBJECTS: usize = 10_000;
/// Maximum bytes of all relations together.
const MAX_RELATED_BYTES: usize = 32 * 1024 * 1024;
/// Bytes allowed per row when there are more rows than fit in a page; those rows are already in memory.
const BYTES_PER_ROW: usize = 1024;

/// Remaining objects and bytes that may be written as related rows of one batch.
pub(crate) struct Budget {
    objects: usize,
    bytes: AtomicUsize,
}

impl Budget {
    pub(crate) fn of(rows: usize) -> Self {
        Self {
            objects: MAX_OBJECTS.max(rows),
            bytes: AtomicUsize::new(MAX_RELATED_BYTES.max(rows.saturating_mul(BYTES_PER_ROW))),
        }
    }

    fn spend(&self, bytes: usize) -> bool {
        let left = |left: usize| left.checked_sub(bytes);
        self.bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left)
            .is_ok()
    }
}

/// Related rows of one relation, collected while they are fetched.
pub(crate) struct RelatedRecords<'r> {
    relation: &'r Relation,
    budget: &'r Budget,
    /// Number of times a related row with this key is written.
    times: HashMap<Key, usize>,
    objects: usize,
    /// Rows fetched so far.
    pub(crate) rows: Vec<Record>,
    /// Number of times each row is written: a row is repeated for every row that refers to it.
    pub(crate) written: Vec<usize>,
}

impl<'r> RelatedRecords<'r> {
    /// Returns an empty collection and the key values to fetch. `written` is the number of times each row is written.
    pub(crate) fn by_values(
        relation: &'r Relation,
        rows: &[impl Row],
        written: &[usize],
        budget: &'r Budget,
    ) -> (Self, Vec<Value>) {
        let (mut times, mut values) = (HashMap::with_capacity(rows.len()), Vec::new());
        for (row, written) in rows.iter().zip(written) {
            let value = row.value(relation.column).to_value();
            if value.is_null() {
                continue;
            }
            let sum = times.entry(Key(value.clone())).or_insert_with(|| {
                values.push(value);
                0
            });
            *sum = written.saturating_add(*sum);
        }
        let found = Self {
            relation,
            budget,
            times,
            objects: 0,
            rows: Vec::with_capacity(values.len()),
            written: Vec::with_capacity(values.len()),
        };
        (found, values)
    }

    /// Smallest number of further rows that exceeds the limit.
    pub(crate) fn too_many(&self) -> u64 {
        (self.budget.objects + 1).saturating_sub(self.rows.len()) as u64
    }

    /// Adds a row. Fails if it exceeds the limits.
    pub(crate) fn add(&mut self, row: Record) -> Result<()> {
        let value = Key(row.values()[self.relation.group_column()].clone());
        let times = self.times.get(&value).copied().unwrap_or(1);
        self.objects = self.objects.saturating_add(times);
        if self.objects > self.budget.objects || !self.budget.spend(times.saturating_mul(row.size())) {
            return Err(Error::TooManyRelated(self.relation.table.model));
        }
        self.rows.push(row);
        self.written.push(times);
        Ok(())
    }
}
