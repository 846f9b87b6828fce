//! How much may be written of the rows that others relate to, counted while they are found.

use std::sync::atomic::{AtomicUsize, Ordering};

use foldhash::{HashMap, HashMapExt};
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Relation;
use model_resource_schema::value::{Key, Value};

use crate::batch::ByteSized;
use crate::error::{Error, Result};

/// So many objects of one relation are written at the most.
const MAX_OBJECTS: usize = 10_000;
/// So many bytes of all relations together.
const MAX_RELATED_BYTES: usize = 32 * 1024 * 1024;
/// So much may be written for each row, however many there are: whoever has more rows than a page holds them already.
const BYTES_PER_ROW: usize = 1024;

/// What is left to be written beside some rows.
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

/// The rows of one relation, while they are found.
pub(crate) struct RelatedRecords<'r> {
    relation: &'r Relation,
    budget: &'r Budget,
    /// How often what has this value is written.
    times: HashMap<Key, usize>,
    objects: usize,
    /// The rows so far.
    pub(crate) rows: Vec<Record>,
    /// How often each of them is written: a row that many relate to stands beside each of them.
    pub(crate) written: Vec<usize>,
}

impl<'r> RelatedRecords<'r> {
    /// What is to be found for rows of which each is written so often, and the values to find it by.
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

    /// So many more rows are too many.
    pub(crate) fn too_many(&self) -> u64 {
        (self.budget.objects + 1).saturating_sub(self.rows.len()) as u64
    }

    /// Takes one more row, unless that is too much.
    pub(crate) fn add(&mut self, row: Record) -> Result<()> {
        let value = Key(row.values()[self.relation.to].clone());
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
