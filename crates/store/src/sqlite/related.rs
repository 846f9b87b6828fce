//! Fetching related rows, by one query per relation and 256 keys.

use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, RelatedRows, Relation};
use rusqlite::Connection;

use super::fetch;
use super::table_sql;
use crate::budget::{Budget, RelatedRecords};
use crate::error::Result;
use crate::sql::related::{extra_kind, select_related};

/// Maximum keys per query.
const MAX_KEYS: usize = 256;

/// Fetches the related rows. Fails if they exceed the limits.
pub(super) fn load(connection: &Connection, relations: &[Relation], rows: &[Record]) -> Result<Related> {
    follow_all(
        connection,
        relations,
        rows,
        &vec![1; rows.len()],
        &Budget::of(rows.len()),
    )
}

/// Fetches related rows, given how often each of the rows is written.
fn follow_all(
    connection: &Connection,
    relations: &[Relation],
    rows: &[Record],
    written: &[usize],
    budget: &Budget,
) -> Result<Related> {
    let found = relations
        .iter()
        .map(|relation| follow(connection, relation, rows, written, budget));
    found.collect::<Result<_>>().map(Related)
}

fn follow(
    connection: &Connection,
    relation: &Relation,
    rows: &[Record],
    written: &[usize],
    budget: &Budget,
) -> Result<RelatedRows> {
    let (mut found, keys) = RelatedRecords::by_values(relation, rows, written, budget);
    let extra = extra_kind(relation);
    for keys in keys.chunks(MAX_KEYS) {
        let statement = select_related(&table_sql::of(relation.table), relation, keys, found.too_many())?;
        fetch::each_row(
            connection,
            (relation.table, extra.as_slice()),
            &statement,
            |row| found.add(row, || row.to_record()),
        )?;
    }
    let related = follow_all(
        connection,
        &relation.relations,
        &found.rows,
        &found.written,
        budget,
    )?;
    Ok(found.with(related))
}
