//! Fetching related rows, by one query per relation and 256 keys.

use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, RelatedRows, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::fetch;
use super::statement::SqliteStatement;
use super::table_sql::SqliteTableSql;
use crate::budget::{Budget, RelatedRecords};
use crate::error::Result;
use crate::sql::{SqlWriter, write_related};

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
    for keys in keys.chunks(MAX_KEYS) {
        let statement = by_keys(relation, keys)?.push_sql(" LIMIT ");
        let statement = statement.count(found.too_many());
        fetch::each_record(connection, relation.table, &statement, |row| found.add(row))?;
    }
    let related = follow_all(
        connection,
        &relation.relations,
        &found.rows,
        &found.written,
        budget,
    )?;
    Ok(RelatedRows::new(found.rows, relation.to, related))
}

/// Repeats the last key up to a power of two, so that few distinct statements cover all key counts and stay prepared.
fn by_keys<'v>(relation: &'v Relation, keys: &'v [Value]) -> Result<SqliteStatement<'v>> {
    let column = &relation.table.columns[relation.to];
    let padding = keys.len().next_power_of_two() - keys.len();
    let keys = keys
        .iter()
        .chain(std::iter::repeat_n(&keys[keys.len() - 1], padding));
    let statement = SqliteStatement::new(&SqliteTableSql::of(relation.table).select)
        .push_sql(" WHERE ")
        .name(column.database_name)
        .push_sql(" IN (");
    let statement = statement
        .list(keys, |statement, key| statement.bind_for_search(column, key))?
        .push_sql(")");
    Ok(write_related(statement, relation)?
        .push_sql(" ORDER BY ")
        .name(relation.table.key().database_name))
}
