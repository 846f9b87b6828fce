//! List queries: filter, order, start and limit.

use model_resource_schema::column::Table;
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::{Model, Row};
use model_resource_schema::query::{
    AnyQuery, AnyWhere, Comparison, FieldPath, Nulls, Predicate, Query, SortKey,
};
use model_resource_schema::value::Value;

/// Maximum offset that counts as short: skipping this many rows takes negligible time.
const MAX_SHORT_OFFSET: u64 = 10_000;

/// Query of a list: a filter, a total order, a start and a limit. The primary key is always the last sort key.
#[derive(Debug, Clone)]
pub struct ListQuery {
    select: AnyQuery,
    keys: Vec<SortKey>,
    start: Seek,
    limit: Option<u64>,
    /// Whether the table is known to have few rows.
    is_small: bool,
    /// Whether a large part of the rows is probably selected.
    is_dense: bool,
}

/// Position of a row in a list: its values of all sort keys.
#[derive(Debug, Clone, PartialEq)]
pub struct KeysetPosition(pub Vec<Value>);

/// Start of a list: an offset, or the rows before or after a keyset position.
#[derive(Debug, Clone, PartialEq)]
pub enum Seek {
    /// Skips the first `n` rows (OFFSET).
    Offset(u64),
    /// Rows after this position.
    After(KeysetPosition),
    /// Last rows before this position, or of the whole list. Their order stays the same.
    Before(Option<KeysetPosition>),
}

impl<M: Model> From<&Query<M>> for ListQuery {
    fn from(query: &Query<M>) -> Self {
        let list =
            Self::sorted(query.as_any().clone(), query.keys().to_vec()).seek(Seek::Offset(query.skipped()));
        match query.max_rows() {
            Some(rows) => list.limit(rows),
            None => list,
        }
    }
}

impl ListQuery {
    /// Creates a list of all rows of a query, ordered by primary key.
    pub fn of(select: AnyQuery) -> Self {
        Self::sorted(select, Vec::new())
    }

    /// Creates a list of the rows with these primary keys, which must be few: it is read like a small table.
    pub(crate) fn of_keys(table: &'static Table, keys: Vec<Value>) -> Self {
        let condition = AnyWhere::Compare(FieldPath::key_of(table), Predicate::OneOf(keys));
        let list = Self::of(AnyQuery::from(table).restrict(condition));
        list.of_small_table(true)
    }

    /// Creates a list of all rows of a query, ordered by these keys. The primary key is appended in the direction of
    /// the last key.
    pub fn sorted(select: AnyQuery, mut keys: Vec<SortKey>) -> Self {
        let is_key =
            |key: &SortKey| key.path.is_own_column() && key.path.position() == select.table().primary_key;
        if let Some(position) = keys.iter().position(is_key) {
            keys.truncate(position + 1);
        } else {
            keys.push(SortKey {
                path: FieldPath::key_of(select.table()),
                descending: keys.last().is_some_and(|key| key.descending),
                nulls: Nulls::Last,
            });
        }
        Self {
            select,
            keys,
            start: Seek::Offset(0),
            limit: None,
            is_small: false,
            is_dense: false,
        }
    }

    /// Restricts the rows by a further condition.
    pub fn restrict(mut self, condition: AnyWhere) -> Self {
        self.select = self.select.restrict(condition);
        self
    }

    /// Sets the start of the list.
    pub fn seek(mut self, start: Seek) -> Self {
        self.start = start;
        self
    }

    /// Limits the number of rows. The lowest limit wins.
    pub fn limit(mut self, rows: u64) -> Self {
        self.limit = Some(self.limit.map_or(rows, |limit| limit.min(rows)));
        self
    }

    /// Returns the rest of the list after `read` rows, the last of which has this position.
    pub fn rest(mut self, read: u64, last: KeysetPosition) -> Self {
        self.start = Seek::After(last);
        self.limit = self.limit.map(|limit| limit.saturating_sub(read));
        self
    }

    /// Rows of the list, regardless of order.
    pub fn select(&self) -> &AnyQuery {
        &self.select
    }

    /// Table of the list.
    pub fn table(&self) -> &'static Table {
        self.select.table()
    }

    /// Sort keys; the last one is the primary key.
    pub fn keys(&self) -> &[SortKey] {
        &self.keys
    }

    /// Start of the list.
    pub fn start(&self) -> &Seek {
        &self.start
    }

    /// Maximum number of rows.
    pub fn max_rows(&self) -> Option<u64> {
        self.limit
    }

    /// Types of the sort keys that are not columns of the table itself.
    pub(crate) fn extra_kinds(&self) -> Vec<DataType> {
        let extra = self.keys.iter().filter(|key| !key.path.is_own_column());
        extra.map(|key| key.path.column().data_type).collect()
    }

    /// Returns the position of a row of this list. Values of sort keys that are not columns follow the columns of the
    /// row.
    pub fn position(&self, row: &dyn Row) -> KeysetPosition {
        let mut extra = self.table().columns.len();
        let value = |key: &SortKey| {
            let column = if key.path.is_own_column() {
                key.path.position()
            } else {
                extra += 1;
                extra - 1
            };
            row.value(column).to_value()
        };
        KeysetPosition(self.keys.iter().map(value).collect())
    }

    /// Declares that the table has few rows ([`Store::is_small`](crate::Store::is_small)), so that filters and sort keys
    /// on its own columns take no longer than a page of it. Patterns do, because the texts may be long.
    pub fn of_small_table(mut self, is_small: bool) -> Self {
        let is_own = |key: &SortKey| key.path.is_own_column();
        self.is_small = is_small && self.keys.iter().all(is_own) && is_plain(self.select.condition());
        self
    }

    /// Declares that the conditions probably select a large part of the rows, as those of most policies do, or rows that an
    /// index finds. A page in the order of the primary key is then probably found quickly, and worth a brief attempt
    /// ([`Store::scan_briefly`](crate::Store::scan_briefly)) before it is read as a search.
    pub fn expect_dense(mut self) -> Self {
        self.is_dense = true;
        self
    }

    /// Takes [`expect_dense`](Self::expect_dense) back.
    pub(crate) fn expect_long(mut self) -> Self {
        self.is_dense = false;
        self
    }

    /// Whether the list [may be long](Self::may_be_long) and a page of it is probably short.
    pub fn is_probably_short(&self) -> bool {
        self.is_dense
            && self.may_be_long()
            && self.keys.len() == 1
            && !self.skips_many()
            && !self.table().is_view
    }

    /// Whether the table has few rows, and the list depends on no other.
    pub(crate) fn is_of_small_table(&self) -> bool {
        self.is_small
    }

    /// Whether filters, sort keys, the offset or a view may require reading many rows.
    pub fn may_be_long(&self) -> bool {
        let may_read_many = self.keys.len() > 1 || !self.select.condition().is_all() || self.skips_many();
        let is_search = may_read_many && !self.is_small && !self.is_by_key();
        is_search || self.table().is_view
    }

    /// Whether the list is at most one row for each of a few values of its primary key, of a unique column or of columns
    /// that are unique together.
    pub(crate) fn is_by_key(&self) -> bool {
        let table = self.table();
        let is_key = |column: usize| column == table.primary_key || table.columns[column].unique;
        let requires = |column: &usize| self.requires(&|own| own == *column);
        let mut uniques = table.uniques.iter().filter(|unique| unique.condition.is_none());
        self.requires(&is_key) || uniques.any(|unique| unique.columns.iter().all(requires))
    }

    /// Whether the list requires a value of one of these columns.
    fn requires(&self, is_key: &impl Fn(usize) -> bool) -> bool {
        let by_key = |(column, value): &(usize, Value)| !value.is_null() && is_key(*column);
        self.select.conditions().iter().any(by_key) || requires_key(self.select.condition(), is_key)
    }

    /// Whether the offset takes long to skip.
    pub(crate) fn skips_many(&self) -> bool {
        matches!(self.start, Seek::Offset(rows) if rows > MAX_SHORT_OFFSET)
    }

    /// Whether the list is the whole table, or all rows after a position, in the order of the primary key.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_plain(&self) -> bool {
        let is_by_key = matches!(self.keys.as_slice(), [key] if !key.descending);
        is_by_key && self.limit.is_none() && self.select.is_all()
    }
}

/// Whether a condition requires the value of a key.
fn requires_key(condition: &AnyWhere, is_key: &impl Fn(usize) -> bool) -> bool {
    match condition {
        AnyWhere::And(all) => all.iter().any(|condition| requires_key(condition, is_key)),
        AnyWhere::Compare(path, Predicate::Is(Comparison::Eq, value)) => {
            path.is_own_column() && is_key(path.position()) && !value.is_null()
        }
        AnyWhere::Or(any) => !any.is_empty() && any.iter().all(|one| requires_key(one, is_key)),
        AnyWhere::Compare(..) | AnyWhere::Not(_) | AnyWhere::Likely(_) => false,
    }
}

/// Whether a condition compares whole values of own columns.
fn is_plain(condition: &AnyWhere) -> bool {
    match condition {
        AnyWhere::And(conditions) | AnyWhere::Or(conditions) => conditions.iter().all(is_plain),
        AnyWhere::Not(condition) | AnyWhere::Likely(condition) => is_plain(condition),
        AnyWhere::Compare(path, predicate) => {
            path.is_own_column() && !matches!(predicate, Predicate::Like(_))
        }
    }
}

#[cfg(test)]
mod tests {
    use model_resource_schema::column::{Column, ColumnRole, KeyGeneration};
    use model_resource_schema::query::Pattern;

    use super::*;

    static USERS: Table = Table::new(
        "users",
        "User",
        &[
            Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement)),
            Column::new("email", DataType::Text).unique(),
            Column::new("name", DataType::Text),
        ],
    );

    #[test]
    fn a_list_is_by_key_if_it_requires_a_value_of_a_unique_column() {
        let equals = |column: usize| AnyWhere::equals(&USERS, column, Value::Text("a".to_owned()));
        let is_by_key = |condition| ListQuery::of(AnyQuery::from(&USERS).restrict(condition)).is_by_key();
        assert!(is_by_key(equals(1)));
        assert!(is_by_key(equals(2).and(equals(1))));
        assert!(!is_by_key(equals(2)));
        assert!(is_by_key(AnyWhere::Or(vec![equals(1), equals(0).and(equals(2))])));
        assert!(!is_by_key(AnyWhere::Or(vec![equals(1), equals(2)])));
        assert!(!is_by_key(AnyWhere::Or(Vec::new())));
        assert!(!is_by_key(AnyWhere::equals(&USERS, 1, Value::Null)));
    }

    #[test]
    fn a_list_of_a_small_table_is_short_unless_it_depends_on_others() {
        let named = AnyWhere::equals(&USERS, 2, Value::Text("a".to_owned()));
        let referenced = AnyWhere::references(0, &USERS, named.clone());
        let pattern = match &named {
            AnyWhere::Compare(path, _) => {
                AnyWhere::Compare(path.clone(), Predicate::Like(Pattern::containing("a")))
            }
            other => panic!("{other:?}"),
        };
        for (condition, is_own) in [(named, true), (referenced, false), (pattern, false)] {
            let list = ListQuery::of(AnyQuery::from(&USERS).restrict(condition));
            assert!(list.may_be_long());
            assert!(list.clone().of_small_table(false).may_be_long());
            assert_eq!(list.of_small_table(true).may_be_long(), !is_own);
        }
        assert!(!ListQuery::of_keys(&USERS, vec![Value::Int(1), Value::Int(2)]).may_be_long());
    }
}
