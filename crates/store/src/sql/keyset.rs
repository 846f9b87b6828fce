//! Keyset pagination, split into ranges of one index.
//!
//! With several sort keys, the rows after a given row form more than one index range: first the rows that share all
//! keys but the last, then those that share fewer keys, with NULLs in between. If all ranges are written as one
//! condition, the database also reads every row before the page.

use std::borrow::Cow;

use model_resource_schema::query::{Nulls, SortKey};
use model_resource_schema::value::Value;

use crate::list_query::{KeysetPosition, ListQuery, Seek};

/// A contiguous range of rows in the order of these keys.
pub(crate) struct KeyRange<'l> {
    pub(crate) list: &'l ListQuery,
    /// Sort keys of the list, reversed if it is read backwards.
    pub(crate) keys: Cow<'l, [SortKey]>,
    pub(crate) rows: RangeRows<'l>,
}

/// Selection of the rows of a range.
#[derive(Clone, Copy)]
pub(crate) enum RangeRows<'l> {
    /// Skips the first `n` rows (OFFSET).
    Offset(u64),
    /// Rows within bounds, after the row with these key values.
    After(&'l [Value], RangeBounds),
}

/// Bounds relative to a row: the first `same` keys are equal, and `next` bounds the keys after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeBounds {
    pub(crate) same: usize,
    pub(crate) next: Bound,
}

/// Bound on the keys after the equal ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// A row comparison up to this key: greater than the row's values. These keys share one direction, and none of
    /// the values is NULL.
    RowGreater(usize),
    /// The next key is not NULL.
    NotNull,
    /// The next key is NULL.
    Null,
}

/// Number of keys for which a database can use an index in a row comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowComparison {
    /// All keys.
    #[cfg_attr(
        not(feature = "postgres"),
        expect(dead_code, reason = "SQLite compares all keys but the last")
    )]
    All,
    /// All keys but the primary key at the end.
    AllButLast,
}

/// Splits a list into index ranges, in order, from its start. A list that is read backwards begins with its last row.
pub(crate) fn key_ranges(list: &ListQuery, comparison: RowComparison) -> Vec<KeyRange<'_>> {
    let keys = match list.start() {
        Seek::Offset(_) | Seek::After(_) => Cow::Borrowed(list.keys()),
        Seek::Before(_) => list.keys().iter().map(opposite).collect(),
    };
    let range_of = |rows| KeyRange {
        list,
        keys: keys.clone(),
        rows,
    };
    match list.start() {
        Seek::Offset(rows) => vec![range_of(RangeRows::Offset(*rows))],
        Seek::Before(None) => vec![range_of(RangeRows::Offset(0))],
        Seek::After(KeysetPosition(values)) | Seek::Before(Some(KeysetPosition(values))) => {
            let ranges = ranges(&keys, values, comparison).into_iter();
            ranges
                .map(|range| range_of(RangeRows::After(values, range)))
                .collect()
        }
    }
}

/// Returns the bounds of the ranges after a row, the nearest first.
fn ranges(keys: &[SortKey], values: &[Value], comparison: RowComparison) -> Vec<RangeBounds> {
    let mut ranges = Vec::new();
    let mut until = keys.len();
    while until > 0 {
        let mut same = until - 1;
        let last = &keys[same];
        if values[same].is_null() {
            if last.nulls == Nulls::First {
                ranges.push(RangeBounds {
                    same,
                    next: Bound::NotNull,
                });
            }
        } else {
            let is_alone = comparison == RowComparison::AllButLast && until == keys.len();
            while same > 0
                && !is_alone
                && !has_nulls_after(&keys[same])
                && !values[same - 1].is_null()
                && keys[same - 1].descending == last.descending
            {
                same -= 1;
            }
            ranges.push(RangeBounds {
                same,
                next: Bound::RowGreater(until),
            });
            if has_nulls_after(&keys[same]) {
                ranges.push(RangeBounds {
                    same,
                    next: Bound::Null,
                });
            }
        }
        until = same;
    }
    ranges
}

fn has_nulls_after(key: &SortKey) -> bool {
    key.path.is_nullable() && key.nulls == Nulls::Last
}

fn opposite(key: &SortKey) -> SortKey {
    SortKey {
        path: key.path.clone(),
        descending: !key.descending,
        nulls: match key.nulls {
            Nulls::First => Nulls::Last,
            Nulls::Last => Nulls::First,
        },
    }
}
