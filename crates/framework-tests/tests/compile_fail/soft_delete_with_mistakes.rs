//! Soft deletion by columns that cannot hold the time of a deletion.

use model_resource::{Model, Timestamp};

#[derive(Model)]
struct Letter {
    #[column(primary_key)]
    id: i64,
    #[column(soft_delete)]
    deleted_at: Timestamp,
    #[column(soft_delete, default = false)]
    is_deleted: bool,
}

#[derive(Model)]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    #[column(is_deleted)]
    deleted_at: Option<Timestamp>,
}

fn main() {}
