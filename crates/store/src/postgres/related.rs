//! Finding the rows that other rows name, by one query for each relation.

use std::pin::Pin;

use futures_util::future::try_join_all;
use model_resource_schema::model::Record;
use model_resource_schema::relation::{Related, RelatedRows, Relation};
use model_resource_schema::value::Value;

use super::fetch;
use super::session::Session;
use super::statement::Statement;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::list::MOST_RELATED;
use crate::sql::{SqlWriter, write_related};

/// A future that can hold itself.
type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// What the rows relate to.
pub(super) fn load<'f>(
    session: &'f Session,
    relations: &'f [Relation],
    rows: &'f [Record],
) -> Boxed<'f, Result<Related>> {
    Box::pin(async move {
        let found = relations.iter().map(|relation| follow(session, relation, rows));
        try_join_all(found).await.map(Related)
    })
}

async fn follow(session: &Session, relation: &Relation, rows: &[Record]) -> Result<RelatedRows> {
    let table = relation.table;
    let keys = relation.keys(rows);
    let found = if keys.is_empty() {
        Vec::new()
    } else {
        let statement = by_values(relation, &keys)?;
        fetch::records(session, table, &statement).await?
    };
    if found.len() > MOST_RELATED {
        return Err(Error::TooManyRelated(table.model));
    }
    let related = load(session, &relation.relations, &found).await?;
    Ok(RelatedRows::new(found, relation.to, related))
}

fn by_values<'v>(relation: &'v Relation, values: &[&'v Value]) -> Result<Statement<'v>> {
    let (table, column) = (relation.table, &relation.table.columns[relation.to]);
    let statement = Statement::new(&Texts::of(table).select)
        .words(" WHERE ")
        .name(column.name);
    let statement = statement.words(" = ANY(").place(1).bind_any(column, values)?;
    let statement = write_related(statement.words(")"), relation)?
        .words(" ORDER BY ")
        .name(table.key().name)
        .words(" LIMIT ");
    Ok(statement.count(MOST_RELATED as u64 + 1))
}
