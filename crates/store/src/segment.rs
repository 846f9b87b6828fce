//! Lists cut where a single index can no longer be used.
//!
//! What comes after a row in an order of several keys is more than one range of an index: first the rows with the same
//! values of all keys but the last, then those with the same values of fewer, and those without a value somewhere between.
//! Written as one condition it makes a database read everything before the page, too.

use std::borrow::Cow;

use model_resource_schema::query::{Nulls, SortKey};
use model_resource_schema::value::Value;

use crate::list::{List, Position, Start};

/// Rows of a list that follow each other, in the order of these keys.
pub(crate) struct Segment<'l> {
    pub(crate) list: &'l List,
    /// Those of the list, or their opposites if it is read backwards.
    pub(crate) keys: Cow<'l, [SortKey]>,
    pub(crate) rows: Rows<'l>,
}

/// Which of the rows.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'l> {
    /// All but the first so many.
    Skipping(u64),
    /// Some after the row with these values.
    After(&'l [Value], Range),
}

/// What the keys have to be, compared with those of a row: so many of the first are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) same: usize,
    pub(crate) next: Next,
}

/// What follows the keys that are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// The keys up to this one come later as a whole. They have one direction, and the row has values of them.
    Later(usize),
    /// A key that has a value.
    Something,
    /// A key that has none.
    Nothing,
}

/// How far a database can use an index for a comparison of several values at once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// For all of them.
    All,
    /// Not for the primary key at their end.
    AllButLast,
}

/// The rows of a list from its start on, as segments in their order. A list that is read backwards begins with its last row.
pub(crate) fn segments(list: &List, reach: Reach) -> Vec<Segment<'_>> {
    let keys = match list.start() {
        Start::Skipping(_) | Start::After(_) => Cow::Borrowed(list.keys()),
        Start::Before(_) => list.keys().iter().map(opposite).collect(),
    };
    let segment = |rows| Segment {
        list,
        keys: keys.clone(),
        rows,
    };
    match list.start() {
        Start::Skipping(rows) => vec![segment(Rows::Skipping(*rows))],
        Start::Before(None) => vec![segment(Rows::Skipping(0))],
        Start::After(Position(values)) | Start::Before(Some(Position(values))) => {
            let ranges = ranges(&keys, values, reach).into_iter();
            ranges.map(|range| segment(Rows::After(values, range))).collect()
        }
    }
}

/// What comes after a row, the nearest first.
fn ranges(keys: &[SortKey], values: &[Value], reach: Reach) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut until = keys.len();
    while until > 0 {
        let mut same = until - 1;
        let last = &keys[same];
        if values[same].is_null() {
            if last.nulls == Nulls::First {
                ranges.push(Range {
                    same,
                    next: Next::Something,
                });
            }
        } else {
            let is_alone = reach == Reach::AllButLast && until == keys.len();
            while same > 0
                && !is_alone
                && !has_nulls_after(&keys[same])
                && !values[same - 1].is_null()
                && keys[same - 1].descending == last.descending
            {
                same -= 1;
            }
            ranges.push(Range {
                same,
                next: Next::Later(until),
            });
            if has_nulls_after(&keys[same]) {
                ranges.push(Range {
                    same,
                    next: Next::Nothing,
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
