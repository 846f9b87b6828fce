//! Conditions of checks and of partial indexes. A model declares them as functions, one for each column and kind.

use model_resource_schema::query::{Comparison, Predicate};
use model_resource_schema::table_constraints::RowCondition;
use model_resource_schema::value::Value;

use super::kind::{Kind, LABELS};

/// Kinds in the order of their conditions. Enums follow, with one for each list of labels.
const KINDS: [Kind; 15] = [
    Kind::Bool,
    Kind::I16,
    Kind::I32,
    Kind::I64,
    Kind::F32,
    Kind::F64,
    Kind::Decimal(2),
    Kind::Decimal(4),
    Kind::Text,
    Kind::Bytes,
    Kind::Date,
    Kind::Time,
    Kind::Timestamp,
    Kind::Uuid,
    Kind::Json,
];

/// Number that no row has.
const ABSENT: u32 = 8;

/// Returns a condition that every row fulfils: the column is null, or has another value than an absent one, or one of the
/// enum's labels.
fn condition<const POSITION: usize, const KIND: usize>() -> RowCondition {
    let is = |predicate| RowCondition::Compare(POSITION, predicate);
    let other = match KINDS.get(KIND) {
        Some(Kind::Bool | Kind::Json) => is(Predicate::Null(false)),
        Some(kind @ (Kind::I16 | Kind::I64 | Kind::F64 | Kind::Decimal(_))) => {
            is(Predicate::Is(Comparison::Gt, kind.value("-1")))
        }
        Some(kind) => is(Predicate::Is(
            Comparison::Ne,
            kind.value(&kind.wire(ABSENT, *kind)),
        )),
        None => {
            let labels = LABELS[KIND - KINDS.len()].iter();
            is(Predicate::OneOf(
                labels.map(|label| Value::Text((*label).to_owned())).collect(),
            ))
        }
    };
    RowCondition::Or(vec![is(Predicate::Null(true)), other])
}

macro_rules! conditions {
    ($position:literal: $($kind:literal)+) => { [$(condition::<$position, $kind> as fn() -> RowCondition),+] };
}

/// Returns the condition of a column at a position from 1 to 4, given the number of its schema's labels.
pub(super) fn condition_of(position: usize, kind: Kind, labels: usize) -> fn() -> RowCondition {
    let number = KINDS
        .iter()
        .position(|own| *own == kind)
        .unwrap_or(KINDS.len() + labels);
    let of_columns = [
        conditions!(1: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18),
        conditions!(2: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18),
        conditions!(3: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18),
        conditions!(4: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18),
    ];
    of_columns[position - 1][number]
}
