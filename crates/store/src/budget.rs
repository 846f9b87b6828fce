//! Limits on related rows, enforced while they are fetched.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::{Related, RelatedRows, Relation, RowGroup};
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
    /// Related rows by the values that they share with the rows that the relation starts from.
    groups: HashMap<Key, RowGroup>,
    objects: usize,
    /// Rows fetched so far. Consecutive equal ones are one.
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
        let mut groups: HashMap<Key, RowGroup> = HashMap::with_capacity(rows.len());
        let mut values = Vec::new();
        for (row, written) in rows.iter().zip(written) {
            let value = row.value(relation.column).to_value();
            if value.is_null() {
                continue;
            }
            let group = groups.entry(Key(value.clone())).or_insert_with(|| {
                values.push(value);
                RowGroup::default()
            });
            group.times = group.times.saturating_add(*written);
        }
        let found = Self {
            relation,
            budget,
            groups,
            objects: 0,
            rows: Vec::with_capacity(values.len()),
            written: Vec::with_capacity(values.len()),
        };
        (found, values)
    }

    /// Smallest number of further rows that exceeds the limit.
    pub(crate) fn too_many(&self) -> u64 {
        (self.budget.objects + 1).saturating_sub(self.objects) as u64
    }

    /// Adds a row, of which a copy is kept unless there is one. Fails if it exceeds the limits.
    pub(crate) fn add(&mut self, row: &impl Row, copy: impl FnOnce() -> Result<Record>) -> Result<()> {
        let value = row.value(self.relation.group_column()).to_value();
        self.add_to([value], row, copy)
    }

    /// Adds a row to the groups of these values.
    pub(crate) fn add_to(
        &mut self,
        values: impl IntoIterator<Item = Value>,
        row: &impl Row,
        copy: impl FnOnce() -> Result<Record>,
    ) -> Result<()> {
        let position = self.position(row, copy)?;
        let size = self.rows[position].size();
        for value in values {
            let group = self.groups.entry(Key(value)).or_insert_with(|| RowGroup {
                times: 1,
                rows: Vec::new(),
            });
            let bytes = group.times.saturating_mul(size);
            self.objects = self.objects.saturating_add(group.times);
            if self.objects > self.budget.objects || !self.budget.spend(bytes) {
                return Err(Error::TooManyRelated(self.relation.table.model));
            }
            let written = &mut self.written[position];
            *written = written.saturating_add(group.times);
            group.rows.push(position);
        }
        Ok(())
    }

    /// Position of a row, which is added unless it is the one before: the order of the rows ends with their keys, so that
    /// all pairs of a join table that lead to one row follow each other.
    fn position(&mut self, row: &impl Row, copy: impl FnOnce() -> Result<Record>) -> Result<usize> {
        let (key, is_joined) = (self.relation.to, self.relation.through.is_some());
        let is_last = |last: &Record| is_joined && last.value(key) == row.value(key);
        if !self.rows.last().is_some_and(is_last) {
            self.rows.push(copy()?);
            self.written.push(0);
        }
        Ok(self.rows.len() - 1)
    }

    /// Returns the rows with their own related rows.
    pub(crate) fn with(self, related: Related) -> RelatedRows {
        RelatedRows::new(self.rows, &self.written, self.groups, related)
    }
}
