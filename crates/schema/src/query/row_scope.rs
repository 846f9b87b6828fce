//! Extent of a condition: all rows, some of them, or none.

use crate::query::any_where::AnyWhere;
use crate::query::predicate::Predicate;

/// Extent of a condition on the rows of a table, as far as it follows from the condition alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowScope {
    /// All rows.
    All,
    /// Some rows; which ones depends on their values.
    Some,
    /// No row.
    None,
}

impl RowScope {
    /// Extent of two conditions that must both hold (AND).
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (RowScope::None, _) | (_, RowScope::None) => RowScope::None,
            (RowScope::All, RowScope::All) => RowScope::All,
            (RowScope::Some, _) | (_, RowScope::Some) => RowScope::Some,
        }
    }

    /// Extent of the negated condition.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            RowScope::All => RowScope::None,
            RowScope::Some => RowScope::Some,
            RowScope::None => RowScope::All,
        }
    }
}

impl AnyWhere {
    /// Extent of the condition. [`RowScope::Some`] if it depends on values, also where they leave all rows or none.
    pub fn scope(&self) -> RowScope {
        match self {
            Self::And(conditions) => {
                let scopes = conditions.iter().map(Self::scope);
                scopes.fold(RowScope::All, RowScope::and)
            }
            Self::Or(conditions) => {
                let negated = conditions.iter().map(|condition| condition.scope().negated());
                negated.fold(RowScope::All, RowScope::and).negated()
            }
            Self::Not(condition) => condition.scope().negated(),
            Self::Likely(condition) => condition.scope(),
            // Without a related row there is no value, and only the null predicate matches.
            Self::Compare(path, predicate) => {
                let leads_nowhere = path.steps().iter().any(|step| {
                    let visible = step.visible.as_ref();
                    visible.is_some_and(|visible| visible.scope() == RowScope::None)
                });
                match predicate {
                    Predicate::Null(true) if leads_nowhere => RowScope::All,
                    Predicate::OneOf(values) if values.is_empty() => RowScope::None,
                    _ if leads_nowhere => RowScope::None,
                    _ => RowScope::Some,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::{Column, ColumnRole, KeyGeneration, Table};
    use crate::data_type::DataType;
    use crate::value::Value;

    static NOTES: Table = Table::new(
        "notes",
        "Note",
        &[Column::new("id", DataType::I64).role(ColumnRole::PrimaryKey(KeyGeneration::AutoIncrement))],
    );

    #[test]
    fn the_extent_follows_from_the_parts_of_a_condition() {
        let (all, none) = (AnyWhere::all, || AnyWhere::Or(Vec::new()));
        let some = || AnyWhere::equals(&NOTES, 0, Value::Int(1));
        let negated = |condition| AnyWhere::Not(Box::new(condition));
        for (condition, scope) in [
            (all(), RowScope::All),
            (none(), RowScope::None),
            (some(), RowScope::Some),
            (AnyWhere::And(vec![some(), none()]), RowScope::None),
            (AnyWhere::And(vec![some(), all()]), RowScope::Some),
            (AnyWhere::Or(vec![some(), all()]), RowScope::All),
            (AnyWhere::Or(vec![some(), none()]), RowScope::Some),
            (AnyWhere::Or(vec![none(), none()]), RowScope::None),
            (negated(none()), RowScope::All),
            (AnyWhere::Likely(Box::new(none())), RowScope::None),
            (AnyWhere::references(0, &NOTES, none()), RowScope::None),
            (AnyWhere::references(0, &NOTES, all()), RowScope::Some),
        ] {
            assert_eq!(condition.scope(), scope, "{condition:?}");
        }
    }
}
