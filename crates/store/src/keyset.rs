//! Lists cut where a single index can no longer be used.
//!
//! What comes after a row in an order of several keys is more than one range of an index: first the rows with the same
//! values of all keys but the last, then those with the same values of fewer, and those without a value somewhere between.
//! Written as one condition it makes a database read everything before the page, too.

use std::borrow::Cow;

use model_resource_schema::query::{Nulls, SortKey};
use model_resource_schema::value::Value;

use crate::list_query::{KeysetPosition, ListQuery, Seek};

/// Rows of a list that follow each other, in the order of these keys.
pub(crate) struct KeyRange<'l> {
    pub(crate) list: &'l ListQuery,
    /// Those of the list, or their opposites if it is read backwards.
    pub(crate) keys: Cow<'l, [SortKey]>,
    pub(crate) rows: RangeRows<'l>,
}

/// Which of the rows.
#[derive(Clone, Copy)]
pub(crate) enum RangeRows<'l> {
    /// All but the first so many.
    Offset(u64),
    /// Some after the row with these values.
    After(&'l [Value], RangeBounds),
}

/// What the keys have to be, compared with those of a row: so many of the first are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RangeBounds {
    pub(crate) same: usize,
    pub(crate) next: Bound,
}

/// What follows the keys that are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The keys up to this one come later as a whole. They have one direction, and the row has values of them.
    RowGreater(usize),
    /// A key that has a value.
    NotNull,
    /// A key that has none.
    Null,
}

/// How far a database can use an index for a comparison of several values at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowComparison {
    /// For all of them.
    All,
    /// Not for the primary key at their end.
    AllButLast,
}

/// The rows of a list from its start on, as segments in their order. A list that is read backwards begins with its last row.
pub(crate) fn key_ranges(list: &ListQuery, reach: RowComparison) -> Vec<KeyRange<'_>> {
    let keys = match list.start() {
        Seek::Offset(_) | Seek::After(_) => Cow::Borrowed(list.keys()),
        Seek::Before(_) => list.keys().iter().map(opposite).collect(),
    };
    let segment = |rows| KeyRange {
        list,
        keys: keys.clone(),
        rows,
    };
    match list.start() {
        Seek::Offset(rows) => vec![segment(RangeRows::Offset(*rows))],
        Seek::Before(None) => vec![segment(RangeRows::Offset(0))],
        Seek::After(KeysetPosition(values)) | Seek::Before(Some(KeysetPosition(values))) => {
            let ranges = ranges(&keys, values, reach).into_iter();
            ranges
                .map(|range| segment(RangeRows::After(values, range)))
                .collect()
        }
    }
}

/// What comes after a row, the nearest first.
fn ranges(keys: &[SortKey], values: &[Value], reach: RowComparison) -> Vec<RangeBounds> {
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
            let is_alone = reach == RowComparison::AllButLast && until == keys.len();
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
