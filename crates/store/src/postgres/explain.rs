//! How PostgreSQL reads a list.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;

use super::scan::REACH;
use super::session::Session;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::explain::{Explanation, Index, unindexed};
use crate::list::List;
use crate::segment::segments;
use crate::sql::write_list;

pub(super) async fn explain(session: &Session, list: &List) -> Result<Explanation> {
    let columns = &Texts::of(list.table()).columns;
    let (mut sql, mut plan) = (Vec::new(), Vec::new());
    for segment in segments(list, REACH) {
        sql.push(write_list(Statement::new(""), columns, &segment, list.most())?.into_sql());
        let explained = write_list(Statement::new("EXPLAIN "), columns, &segment, list.most())?;
        for line in session.read(&explained).await? {
            plan.push(line.try_get(0).map_err(unreadable)?);
        }
    }
    Ok(Explanation {
        sql: sql.join(";\n"),
        plan,
        unindexed: unindexed(list, &indexes(session, list.table()).await?),
    })
}

/// The indexes of a table, its primary key among them.
async fn indexes(session: &Session, table: &Table) -> Result<Vec<Index>> {
    let sql = "SELECT array_agg(attributes.attname::text ORDER BY keys.place) FROM pg_index AS indexes \
               CROSS JOIN LATERAL unnest(indexes.indkey) WITH ORDINALITY AS keys(attribute, place) \
               JOIN pg_attribute AS attributes \
               ON attributes.attrelid = indexes.indrelid AND attributes.attnum = keys.attribute \
               WHERE indexes.indrelid = to_regclass($1::text) AND indexes.indpred IS NULL GROUP BY indexes.indexrelid";
    let mut name = String::new();
    crate::names::push_name(&mut name, table.name);
    let rows = session
        .read(&Statement::ready(sql).bind_one(ValueRef::Text(&name)))
        .await?;
    let indexes = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>();
    indexes.map_err(unreadable)
}

fn unreadable(error: tokio_postgres::Error) -> Error {
    Error::Failed(format!("the server's explanation cannot be read: {error}"))
}
