//! Finding the rows that other rows name, by one query for each relation and 256 keys.

use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, RelatedRows, Relation};
use model_resource_schema::value::Value;
use rusqlite::Connection;

use super::fetch;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::list::MOST_RELATED;
use crate::sql::{SqlWriter, write_related};

/// So many keys are looked up in one query.
const KEYS: usize = 256;

/// What the rows relate to.
pub(super) fn load(connection: &Connection, relations: &[Relation], rows: &[Record]) -> Result<Related> {
    let found = relations
        .iter()
        .map(|relation| follow(connection, relation, rows));
    found.collect::<Result<_>>().map(Related)
}

fn follow(connection: &Connection, relation: &Relation, rows: &[Record]) -> Result<RelatedRows> {
    let table = relation.table;
    let keys = relation.keys(rows);
    let mut found = Vec::with_capacity(keys.len());
    for keys in keys.chunks(KEYS) {
        let statement = by_keys(relation, keys)?.words(" LIMIT ");
        let statement = statement.count((MOST_RELATED + 1 - found.len()) as u64);
        found.append(&mut fetch::records(connection, table, &statement)?);
        if found.len() > MOST_RELATED {
            return Err(Error::TooManyRelated(table.model));
        }
    }
    let related = load(connection, &relation.relations, &found)?;
    Ok(RelatedRows::new(found, relation.to, related))
}

/// The last key is repeated up to a power of two, so that few texts serve all numbers of keys and stay prepared.
fn by_keys<'v>(relation: &'v Relation, keys: &[&'v Value]) -> Result<Statement<'v>> {
    let column = &relation.table.columns[relation.to];
    let padding = keys.len().next_power_of_two() - keys.len();
    let keys = keys
        .iter()
        .chain(std::iter::repeat_n(&keys[keys.len() - 1], padding));
    let statement = Statement::new(&Texts::of(relation.table).select)
        .words(" WHERE ")
        .name(column.name)
        .words(" IN (");
    let statement = statement
        .list(keys, |statement, key| statement.sought(column, key))?
        .words(")");
    Ok(write_related(statement, relation)?
        .words(" ORDER BY ")
        .name(relation.table.key().name))
}
