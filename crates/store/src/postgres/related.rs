//! Fetching related rows, by one query per relation.

use std::pin::Pin;

use futures_util::future::try_join_all;
use model_resource_schema::model::Row;
use model_resource_schema::relation::{Related, RelatedRows, Relation};

use super::executor::Executor;
use super::fetch;
use super::statement::PostgresStatement;
use super::table_sql;
use crate::budget::{Budget, RelatedRecords};
use crate::error::Result;
use crate::sql::related::{extra_kind, select_related};

/// A boxed future, for recursion.
type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Fetches the related rows. Fails if they exceed the limits.
pub(super) async fn load<R: Row + Sync>(
    executor: &Executor,
    relations: &[Relation],
    rows: &[R],
) -> Result<Related> {
    let (written, budget) = (vec![1; rows.len()], Budget::of(rows.len()));
    follow_all(executor, relations, rows, &written, &budget).await
}

/// Fetches related rows, given how often each of the rows is written.
fn follow_all<'f, R: Row + Sync>(
    executor: &'f Executor,
    relations: &'f [Relation],
    rows: &'f [R],
    written: &'f [usize],
    budget: &'f Budget,
) -> Boxed<'f, Result<Related>> {
    Box::pin(async move {
        let found = relations
            .iter()
            .map(|relation| follow(executor, relation, rows, written, budget));
        try_join_all(found).await.map(Related)
    })
}

async fn follow<R: Row + Sync>(
    executor: &Executor,
    relation: &Relation,
    rows: &[R],
    written: &[usize],
    budget: &Budget,
) -> Result<RelatedRows> {
    let (mut found, values) = RelatedRecords::by_values(relation, rows, written, budget);
    if !values.is_empty() {
        let table_sql = table_sql::of(relation.table);
        let statement: PostgresStatement<'_> =
            select_related(table_sql, relation, &values, found.too_many())?;
        let statement = statement.about(relation.table);
        let (joined, place) = (extra_kind(relation), relation.group_column());
        fetch::each_row(executor, relation.table, &statement, |row| match joined {
            Some(kind) => found.add_to(row.array(place, kind)?, row, || row.to_record()),
            None => found.add(row, || row.to_record()),
        })
        .await?;
    }
    let related = follow_all(executor, &relation.relations, &found.rows, &found.written, budget).await?;
    Ok(found.with(related))
}
