//! Prices of the parts of a list query.
//!
//! The unit is a comparison with a column of one row. Prices assume that no row matches, so that the database reads all
//! of them, except those that an index excludes.

use std::sync::Arc;

use model_resource_schema::column::{Column, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::query::{
    AnyQuery, AnyWhere, Comparison, FieldPath, Predicate, RelationStep, SortKey,
};
use model_resource_schema::relation::Relation;

use super::weight::{fan_out, has_prefix, value_weight};
use crate::batch::MAX_BATCH_ROWS;
use crate::dialect::SqlDialect;
use crate::statistics::{ColumnIndex, TableStatistics};
use crate::store::Store;

/// Price of a lookup in a related table.
const LOOKUP: u64 = 5;
/// Price of a row that is sorted.
const SORTED_ROW: u64 = 2;
/// Assumed number of different values in a column.
const DISTINCT_VALUES: u64 = 100;
/// Inverse of the assumed share of rows in a range.
const RANGE_SHARE: u64 = 3;

/// Prices of the parts of a list query.
///
/// Nothing is asked of the database, and nothing is allocated unless an index is named.
pub struct QueryPricing<'s> {
    store: &'s Store,
    pub(super) table: &'static Table,
    statistics: Arc<TableStatistics>,
    /// Rows that the best index leaves.
    rows: u64,
    /// Whether an index leaves fewer than all rows.
    is_narrowed: bool,
}

impl Store {
    /// Begins to price a list of these rows; `None` as long as the size of the table is unknown.
    pub fn pricing(&self, select: &AnyQuery) -> Option<QueryPricing<'_>> {
        let statistics = self.statistics(select.table())?;
        let mut pricing = QueryPricing {
            store: self,
            table: select.table(),
            rows: statistics.rows(),
            statistics,
            is_narrowed: false,
        };
        for (column, _) in select.conditions() {
            if pricing.statistics.index(*column) != ColumnIndex::Missing {
                pricing.keep(pricing.rows_of_value(*column));
            }
        }
        pricing.narrow(select.condition());
        Some(pricing)
    }
}

impl QueryPricing<'_> {
    /// Adds a condition that all rows of the list match, so that its indexes are used.
    pub fn narrow(&mut self, condition: &AnyWhere) {
        if let Some(rows) = self.found_by_index(condition) {
            self.keep(rows);
        }
    }

    /// Rows that the database may have to read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether the database counts the rows even for an estimate, because it has no statistics of them.
    pub fn counts_for_estimate(&self) -> bool {
        match self.store.dialect() {
            SqlDialect::Sqlite => true,
            SqlDialect::Postgres => false,
        }
    }

    /// Price of a condition.
    pub fn filter(&self, condition: &AnyWhere) -> u64 {
        self.rows
            .saturating_mul(self.weight(condition, self.statistics.rows()))
    }

    /// Price of an order that the client asks for; 0 if an index has the rows in this order.
    pub fn sort(&self, keys: &[SortKey]) -> u64 {
        let Some(first) = keys.first() else { return 0 };
        if !self.is_narrowed && self.has_order(&first.path) {
            return 0;
        }
        let lookups = keys.iter().fold(0_u64, |sum, key| {
            let lookup = if key.path.is_count() {
                // Counted once for the order and once for the cursor.
                let weight =
                    self.comparison_weight(&key.path, &Predicate::Null(false), self.statistics.rows());
                weight.saturating_mul(2)
            } else {
                LOOKUP.saturating_mul(key.path.steps().len() as u64)
            };
            sum.saturating_add(lookup)
        });
        self.rows.saturating_mul(SORTED_ROW.saturating_add(lookups))
    }

    /// Price of the related rows of this many rows.
    pub fn related(&self, relations: &[Relation], rows: u64) -> u64 {
        self.related_to(relations, rows, self.statistics.rows())
    }

    fn keep(&mut self, rows: u64) {
        self.is_narrowed = true;
        self.rows = self.rows.min(rows);
    }

    /// Whether an index of the list's table has its rows in the order of a path.
    pub(super) fn has_order(&self, path: &FieldPath) -> bool {
        path.is_own_column() && self.statistics.index(path.position()).has_order()
    }

    /// Whether an index of the list's table finds the rows of a test.
    pub(super) fn has_index(&self, path: &FieldPath, test: &Predicate) -> bool {
        path.is_own_column() && self.statistics.index(path.position()).finds(test)
    }

    /// Rows that match a condition according to an index; `None` if no index helps.
    fn found_by_index(&self, condition: &AnyWhere) -> Option<u64> {
        match condition {
            AnyWhere::And(all) => all.iter().filter_map(|one| self.found_by_index(one)).min(),
            AnyWhere::Or(any) => any.iter().try_fold(0_u64, |rows, one| {
                Some(rows.saturating_add(self.found_by_index(one)?))
            }),
            AnyWhere::Not(_) | AnyWhere::Likely(_) => None,
            AnyWhere::Compare(path, test) if self.has_index(path, test) => self.found(path.position(), test),
            AnyWhere::Compare(..) => None,
        }
    }

    /// Rows whose column matches a predicate, if an index finds them.
    fn found(&self, column: usize, test: &Predicate) -> Option<u64> {
        let range = self.statistics.rows() / RANGE_SHARE;
        match test {
            Predicate::Is(Comparison::Eq, _) => Some(self.rows_of_value(column)),
            Predicate::OneOf(values) => Some(self.rows_of_value(column).saturating_mul(values.len() as u64)),
            Predicate::Is(Comparison::Ne, _) | Predicate::NoneOf(_) | Predicate::Null(false) => None,
            Predicate::IsColumn(..) => None,
            Predicate::Is(..) | Predicate::Between(..) | Predicate::Null(true) => Some(range),
            Predicate::Like(pattern) => has_prefix(pattern).then_some(range),
        }
    }

    /// Rows that have one value of an indexed column.
    fn rows_of_value(&self, column: usize) -> u64 {
        let rows = self.statistics.rows();
        match self.statistics.index(column) {
            ColumnIndex::Unique => 1,
            ColumnIndex::Missing | ColumnIndex::Unordered | ColumnIndex::NotUnique => {
                (rows / self.distinct_values(&self.table.columns[column])).max(1)
            }
        }
    }

    fn distinct_values(&self, column: &Column) -> u64 {
        let referenced = column.references.map(|references| (references.table)());
        let referenced = referenced.and_then(|table| self.store.statistics(table));
        match (referenced, column.data_type) {
            (Some(statistics), _) => statistics.rows().max(1),
            (None, DataType::Bool) => 2,
            (None, DataType::Enum(names)) => (names.len() as u64).max(1),
            (None, _) => DISTINCT_VALUES,
        }
    }

    /// Price of a condition for one row of a table with this many.
    fn weight(&self, condition: &AnyWhere, rows: u64) -> u64 {
        match condition {
            AnyWhere::And(all) | AnyWhere::Or(all) => all
                .iter()
                .fold(0, |sum, one| sum.saturating_add(self.weight(one, rows))),
            AnyWhere::Not(one) | AnyWhere::Likely(one) => self.weight(one, rows),
            AnyWhere::Compare(path, test) => self.comparison_weight(path, test, rows),
        }
    }

    fn comparison_weight(&self, path: &FieldPath, test: &Predicate, rows: u64) -> u64 {
        let (mut price, mut reached, mut rows) = (0_u64, 1_u64, rows);
        for step in path.steps() {
            let related = self.rows_of(step.table);
            let lookup = LOOKUP.saturating_add(self.search_price(step, related, rows));
            price = price.saturating_add(reached.saturating_mul(lookup));
            reached = reached.saturating_mul(fan_out(step.table, step.to, related, rows));
            if let Some(visible) = &step.visible {
                price = price.saturating_add(reached.saturating_mul(self.weight(visible, related)));
            }
            rows = related;
        }
        price.saturating_add(reached.saturating_mul(value_weight(path, test)))
    }

    /// Price of finding the related rows of one row without an index: the other table is read once for all rows, or once
    /// per row.
    fn search_price(&self, step: &RelationStep, related: u64, rows: u64) -> u64 {
        if self.is_indexed(step.table, step.to) {
            0
        } else if self.joins_by_hash() {
            related.div_ceil(rows.max(1))
        } else {
            related
        }
    }

    /// Whether the database finds related rows without an index by a hash join.
    fn joins_by_hash(&self) -> bool {
        match self.store.dialect() {
            SqlDialect::Sqlite => false,
            SqlDialect::Postgres => true,
        }
    }

    fn related_to(&self, relations: &[Relation], rows: u64, all: u64) -> u64 {
        relations.iter().fold(0, |sum, relation| {
            let (price, found) = match &relation.through {
                Some(join) => {
                    let (price, found) = self.followed(join.table, join.from, rows, all);
                    // Each join row leads to a related one.
                    (price.saturating_add(found.saturating_mul(LOOKUP)), found)
                }
                None => self.followed(relation.table, relation.to, rows, all),
            };
            let inner = self.related_to(&relation.relations, found, self.rows_of(relation.table));
            sum.saturating_add(price).saturating_add(inner)
        })
    }

    /// Price of finding the rows of a table with the values of this many of all rows, and the number of them.
    fn followed(&self, table: &'static Table, column: usize, rows: u64, all: u64) -> (u64, u64) {
        let related = self.rows_of(table);
        let found = rows.saturating_mul(fan_out(table, column, related, all));
        let scans = if self.is_indexed(table, column) {
            0
        } else {
            related.saturating_mul(rows.div_ceil(MAX_BATCH_ROWS as u64))
        };
        let price = rows.saturating_mul(LOOKUP);
        (price.saturating_add(found).saturating_add(scans), found)
    }

    fn rows_of(&self, table: &'static Table) -> u64 {
        self.store
            .statistics(table)
            .map_or(0, |statistics| statistics.rows())
    }

    /// Whether an index begins with a column; true as long as that is unknown.
    pub(super) fn is_indexed(&self, table: &'static Table, column: usize) -> bool {
        let statistics = self.store.statistics(table);
        statistics.is_none_or(|statistics| statistics.index(column) != ColumnIndex::Missing)
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use model_resource_schema::column::{ColumnRole, KeyGeneration, OnDelete};
    use model_resource_schema::query::{Nulls, Pattern};
    use model_resource_schema::value::Value;

    use super::*;
    use crate::statistics::IndexedColumn;

    const KEY: ColumnRole = ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement);

    static ARTICLES: Table = Table::new(
        "articles",
        "Article",
        &[
            Column::new("id", DataType::I64).role(KEY),
            Column::new("title", DataType::Text),
            Column::new("slug", DataType::Text).unique(),
            Column::new("published", DataType::Bool),
        ],
    );
    static COMMENTS: Table = Table::new(
        "comments",
        "Comment",
        &[
            Column::new("id", DataType::I64).role(KEY),
            Column::new("article_id", DataType::I64).references(|| &ARTICLES, OnDelete::Cascade),
        ],
    );

    fn index(name: &str, is_unique: bool) -> IndexedColumn {
        IndexedColumn {
            name: name.to_owned(),
            is_unique,
            is_ordered: true,
        }
    }

    /// A store that believes its tables to have these sizes.
    async fn store(articles: u64, comments: u64) -> Store {
        let store = Store::open("sqlite::memory:").await.expect("a store");
        let keys = [index("id", true), index("slug", true), index("published", false)];
        let foreign = [index("id", true), index("article_id", false)];
        store.statistics.store([
            (&ARTICLES, TableStatistics::new(&ARTICLES, articles, &keys)),
            (&COMMENTS, TableStatistics::new(&COMMENTS, comments, &foreign)),
        ]);
        store
    }

    /// A condition on a column of articles.
    fn own(column: usize, test: Predicate) -> AnyWhere {
        match AnyWhere::equals(&ARTICLES, column, Value::Null) {
            AnyWhere::Compare(path, _) => AnyWhere::Compare(path, test),
            other => other,
        }
    }

    fn equals(column: usize) -> AnyWhere {
        own(column, Predicate::Is(Comparison::Eq, Value::Text("a".to_owned())))
    }

    fn contains() -> AnyWhere {
        own(1, Predicate::Like(Pattern::containing("x")))
    }

    fn price(store: &Store, table: &'static Table, condition: &AnyWhere) -> u64 {
        let mut pricing = store.pricing(&AnyQuery::from(table)).expect("statistics");
        pricing.narrow(condition);
        pricing.filter(condition)
    }

    #[tokio::test]
    async fn a_scan_of_a_million_rows_costs_little_and_many_relations_cost_much() {
        let store = store(1_000_000, 1_000_000).await;
        let pricing = store.pricing(&AnyQuery::from(&ARTICLES)).expect("statistics");
        let AnyWhere::Compare(title, _) = equals(1) else {
            panic!("no comparison")
        };
        let order = [SortKey {
            path: title,
            descending: false,
            nulls: Nulls::Last,
        }];
        assert_eq!(pricing.filter(&equals(1)) + pricing.sort(&order), 3_000_000);
        assert_eq!(pricing.missing_order(&order).as_deref(), Some("articles(title)"));
        let related = || AnyWhere::references(1, &ARTICLES, contains());
        let filters = AnyWhere::And((0..49).map(|_| related()).collect());
        // A lookup, a pattern, and that the row exists.
        assert_eq!(price(&store, &COMMENTS, &filters), 1_000_000 * 49 * (5 + 3 + 1));
    }

    #[tokio::test]
    async fn an_index_leaves_few_rows_to_compare() {
        let store = store(90_000, 0).await;
        let price = |condition: &AnyWhere| price(&store, &ARTICLES, condition);
        assert_eq!(price(&contains()), 270_000);
        assert_eq!(price(&equals(2).and(contains())), 4);
        assert_eq!(price(&equals(3).and(contains())), 45_000 * 4);
        assert_eq!(price(&AnyWhere::Or(vec![equals(0), equals(2)])), 2 * 2);
        assert_eq!(price(&AnyWhere::Or(vec![equals(0), contains()])), 90_000 * 4);
        assert_eq!(price(&AnyWhere::Not(Box::new(equals(0)))), 90_000);
        let like = |pattern: Pattern| price(&own(2, Predicate::Like(pattern)));
        assert_eq!(like(Pattern::starting_with("a")), 30_000 * 3);
        assert_eq!(like(Pattern::starting_with("")), 90_000 * 3);
        assert_eq!(like(Pattern::starting_with("a").ignoring_case()), 90_000 * 3);
    }

    #[tokio::test]
    async fn only_an_index_that_would_help_is_named() {
        let store = store(10, 10).await;
        let pricing = store.pricing(&AnyQuery::from(&ARTICLES)).expect("statistics");
        let missing = |condition: &AnyWhere| pricing.missing_index(condition);
        assert_eq!(missing(&equals(1)).as_deref(), Some("articles(title)"));
        assert_eq!(missing(&equals(2)), None);
        assert_eq!(missing(&contains()), None);
        let comments = [Relation::new(0, &COMMENTS, 1)];
        assert_eq!(pricing.missing_relation(&comments), None);
        store
            .statistics
            .store([(&COMMENTS, TableStatistics::new(&COMMENTS, 10, &[]))]);
        let missing = pricing.missing_relation(&comments);
        assert_eq!(missing.as_deref(), Some("comments(article_id)"));
    }
}
