//! Queries of a model's rows.

use std::marker::PhantomData;

use crate::model::Model;
use crate::query::any_query::AnyQuery;
use crate::query::order_by::OrderBy;
use crate::query::sort::SortKey;
use crate::query::where_clause::Where;

/// A query for instances of `M`: filter, order, offset and limit. `#[derive(Model)]` adds a function `query()` to the model, which returns one.
///
/// ```ignore
/// let best = Article::query()
///     .filter(Article::RATING.gte(4))
///     .order_by(Article::RATING.desc())
///     .limit(10);
/// let articles: Vec<Article> = store.all(&best).await?;
/// ```
#[doc(alias = "queryset")]
pub struct Query<M> {
    any: AnyQuery,
    keys: Vec<SortKey>,
    offset: u64,
    limit: Option<u64>,
    marker: PhantomData<fn() -> M>,
}

impl<M: Model> Query<M> {
    /// All instances, in the order of their primary keys.
    pub fn new() -> Self {
        Self {
            any: AnyQuery::from(M::table()),
            keys: Vec::new(),
            offset: 0,
            limit: None,
            marker: PhantomData,
        }
    }

    /// Keeps the instances that the condition matches. Several filters must all match.
    pub fn filter(mut self, condition: Where<M>) -> Self {
        self.any = self.any.filter_where(condition.into_any());
        self
    }

    /// Orders the instances, after the keys of earlier calls. The primary key decides between equal instances.
    pub fn order_by(mut self, key: OrderBy<M>) -> Self {
        self.keys.push(key.into_any());
        self
    }

    /// Skips the first `rows` instances.
    pub fn offset(mut self, rows: u64) -> Self {
        self.offset = rows;
        self
    }

    /// Returns at most `rows` instances.
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(rows);
        self
    }

    /// The filter of the query, without its model's type.
    pub fn as_any(&self) -> &AnyQuery {
        &self.any
    }

    /// The sort keys, in their order.
    pub fn keys(&self) -> &[SortKey] {
        &self.keys
    }

    /// The number of instances that are skipped.
    pub fn skipped(&self) -> u64 {
        self.offset
    }

    /// The maximum number of instances.
    pub fn max_rows(&self) -> Option<u64> {
        self.limit
    }
}

impl<M> AsRef<AnyQuery> for Query<M> {
    fn as_ref(&self) -> &AnyQuery {
        &self.any
    }
}

impl<M: Model> Default for Query<M> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M> Clone for Query<M> {
    fn clone(&self) -> Self {
        Self {
            any: self.any.clone(),
            keys: self.keys.clone(),
            offset: self.offset,
            limit: self.limit,
            marker: PhantomData,
        }
    }
}

impl<M> std::fmt::Debug for Query<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Query")
            .field("rows", &self.any)
            .field("order", &self.keys)
            .field("offset", &self.offset)
            .field("limit", &self.limit)
            .finish()
    }
}
