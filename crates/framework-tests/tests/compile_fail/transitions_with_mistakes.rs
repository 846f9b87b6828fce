//! Transitions of a column that is no enum, from a variant that does not exist, and in another notation.

use model_resource::{ColumnEnum, Model};

#[derive(ColumnEnum)]
enum Status {
    Draft,
    Sent,
}

#[derive(Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(transitions(Draft -> Sent))]
    text: String,
    #[column(transitions(Draft => Sent))]
    status: Status,
    #[column(transitions(Draft -> Sent))]
    other: Option<Status>,
}

#[derive(Model)]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    #[column(transitions(Draft -> Send))]
    status: Status,
}

fn main() {}
