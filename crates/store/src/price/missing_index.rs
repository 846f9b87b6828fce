//! Indexes that would make the parts of a query cheaper.

use model_resource_schema::column::Table;
use model_resource_schema::query::{AnyWhere, Comparison, Predicate, RelationStep, SortKey};
use model_resource_schema::relation::Relation;

use super::pricing::QueryPricing;
use super::weight::has_prefix;

impl QueryPricing<'_> {
    /// The index that a condition lacks: `articles(title)`.
    pub fn missing_index(&self, condition: &AnyWhere) -> Option<String> {
        match condition {
            AnyWhere::And(all) | AnyWhere::Or(all) => all.iter().find_map(|one| self.missing_index(one)),
            AnyWhere::Likely(one) => self.missing_index(one),
            AnyWhere::Not(_) => None,
            AnyWhere::Compare(path, test) => match path.steps() {
                [] if path.keys().is_empty() && is_indexable(test) => {
                    (!self.has_index(path, test)).then(|| index_name(self.table, path.position()))
                }
                [] => None,
                steps => steps.iter().find_map(|step| self.missing_step(step)),
            },
        }
    }

    /// The index that an order lacks.
    pub fn missing_order(&self, keys: &[SortKey]) -> Option<String> {
        let path = &keys.first()?.path;
        if path.is_own_column() {
            (!self.has_order(path)).then(|| index_name(self.table, path.position()))
        } else if path.is_count() {
            path.steps().iter().find_map(|step| self.missing_step(step))
        } else {
            None
        }
    }

    /// The index that relations lack.
    pub fn missing_relation(&self, relations: &[Relation]) -> Option<String> {
        relations.iter().find_map(|relation| {
            let (table, column) = match &relation.through {
                Some(join) => (join.table, join.from),
                None => (relation.table, relation.to),
            };
            let is_missing = !self.is_indexed(table, column);
            let inner = || self.missing_relation(&relation.relations);
            is_missing.then(|| index_name(table, column)).or_else(inner)
        })
    }

    fn missing_step(&self, step: &RelationStep) -> Option<String> {
        (!self.is_indexed(step.table, step.to)).then(|| index_name(step.table, step.to))
    }
}

/// Whether an index on the column would help.
fn is_indexable(test: &Predicate) -> bool {
    match test {
        Predicate::Is(comparison, _) => *comparison != Comparison::Ne,
        Predicate::OneOf(_) | Predicate::Between(..) | Predicate::Null(true) => true,
        Predicate::NoneOf(_) | Predicate::Null(false) | Predicate::IsColumn(..) => false,
        Predicate::Like(pattern) => has_prefix(pattern),
    }
}

fn index_name(table: &Table, column: usize) -> String {
    format!("{}({})", table.name, table.columns[column].database_name)
}
