//! Conditions of policies in words.

use model_resource_schema::column::{Column, ColumnRole, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::json::url_text;
use model_resource_schema::naming;
use model_resource_schema::query::{
    AnyWhere, Comparison, FieldPath, JsonKey, Pattern, PatternPart, Predicate, RowScope,
};
use model_resource_schema::value::Value;

/// Longest text of a condition; a longer one is not helpful.
const MAX_TEXT: usize = 400;

/// Text of a condition that the caller must not know.
const OTHER_CONDITION: &str = "another condition applies";

/// Words for the conditions that apply to one caller.
pub(super) struct ConditionWords<'a> {
    /// Key of the caller as text, if they are authenticated.
    pub(super) caller: Option<String>,
    /// Whether the caller may know a column of a table.
    pub(super) is_shown: &'a dyn Fn(&'static Table, usize) -> bool,
}

impl ConditionWords<'_> {
    /// Text of a condition that some rows of a table match, such as `where published is yes, or author is you`.
    /// `None` if it would be too long.
    pub(super) fn of(&self, table: &'static Table, condition: &AnyWhere) -> Option<String> {
        let text = self.text(table, condition);
        (text.len() <= MAX_TEXT).then(|| format!("where {text}"))
    }

    fn text(&self, table: &'static Table, condition: &AnyWhere) -> String {
        match condition {
            AnyWhere::And(conditions) => self.joined(table, conditions, " and "),
            AnyWhere::Or(conditions) => self.joined(table, conditions, ", or "),
            AnyWhere::Not(condition) => format!("not ({})", self.text(table, condition)),
            AnyWhere::Likely(condition) => self.text(table, condition),
            AnyWhere::Compare(path, predicate) => self.comparison(table, path, predicate),
        }
    }

    /// Text of a condition within another one.
    fn nested(&self, table: &'static Table, condition: &AnyWhere) -> String {
        let text = self.text(table, condition);
        match condition {
            AnyWhere::And(inner) | AnyWhere::Or(inner) if inner.len() > 1 => format!("({text})"),
            _ => text,
        }
    }

    /// Joins conditions; those that say the same are said once.
    fn joined(&self, table: &'static Table, conditions: &[AnyWhere], word: &str) -> String {
        let mut texts: Vec<String> = Vec::new();
        for condition in conditions {
            let text = match condition {
                AnyWhere::Or(inner) if word == " and " && inner.len() > 1 => {
                    format!("({})", self.text(table, condition))
                }
                _ => self.text(table, condition),
            };
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join(word)
    }

    fn comparison(&self, table: &'static Table, path: &FieldPath, predicate: &Predicate) -> String {
        let (mut table, mut names) = (table, Vec::new());
        for step in path.steps() {
            if !(self.is_shown)(table, step.from) {
                return OTHER_CONDITION.to_owned();
            }
            names.push(name(&table.columns[step.from]));
            table = step.table;
        }
        if let ([step], Predicate::Null(false)) = (path.steps(), predicate)
            && let Some(visible) = &step.visible
            && path.position() == step.to
        {
            let name = names.join("'s ");
            return match visible.scope() {
                RowScope::All => format!("{name} is not empty"),
                RowScope::Some | RowScope::None => {
                    format!(
                        "{name} is one of those where {}",
                        self.nested(step.table, visible)
                    )
                }
            };
        }
        if !(self.is_shown)(path.table(), path.position()) {
            return OTHER_CONDITION.to_owned();
        }
        let column = path.column();
        let keys = path.keys().iter().map(|key| match key {
            JsonKey::Member(name) => format!("'s {name}"),
            JsonKey::Item(position) => format!("'s item {position}"),
        });
        names.push(name(column) + &keys.collect::<String>());
        let name = names.join("'s ");
        match predicate {
            Predicate::IsColumn(_, other) if !(self.is_shown)(path.table(), *other) => {
                OTHER_CONDITION.to_owned()
            }
            Predicate::IsColumn(comparison, other) => {
                let other = self::name(&path.table().columns[*other]);
                format!("{name} {} {other}", verb(*comparison))
            }
            predicate => format!("{name} {}", self.predicate(column, predicate)),
        }
    }

    fn predicate(&self, column: &Column, predicate: &Predicate) -> String {
        let value = |value: &Value| self.value(column, value);
        let list = |values: &[Value]| values.iter().map(value).collect::<Vec<_>>().join(", ");
        match predicate {
            Predicate::Is(comparison, other) => format!("{} {}", verb(*comparison), value(other)),
            Predicate::OneOf(values) => format!("is one of {}", list(values)),
            Predicate::NoneOf(values) => format!("is none of {}", list(values)),
            Predicate::Between(low, high) => format!("is between {} and {}", value(low), value(high)),
            Predicate::Like(pattern) => format!("matches \"{}\"", pattern_text(pattern)),
            Predicate::Null(true) => "is empty".to_owned(),
            Predicate::Null(false) => "is not empty".to_owned(),
            Predicate::IsColumn(comparison, _) => format!("{} another field", verb(*comparison)),
        }
    }

    fn value(&self, column: &Column, value: &Value) -> String {
        let text = url_text(value.borrow());
        if is_key(column) && self.caller.as_ref() == Some(&text) {
            return "you".to_owned();
        }
        match column.data_type {
            DataType::Bool if text == "true" => "yes".to_owned(),
            DataType::Bool => "no".to_owned(),
            DataType::Text => format!("\"{}\"", naming::shortened(&text)),
            _ => naming::shortened(&text).into_owned(),
        }
    }
}

fn verb(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => "is",
        Comparison::Ne => "is not",
        Comparison::Gt => "is greater than",
        Comparison::Gte => "is at least",
        Comparison::Lt => "is less than",
        Comparison::Lte => "is at most",
    }
}

/// Whether the column identifies a row, so that it may be the caller's key.
fn is_key(column: &Column) -> bool {
    let is_primary = matches!(column.role, ColumnRole::PrimaryKey(_));
    is_primary || column.references.is_some() || column.name.ends_with("_id")
}

/// Name of a column in a sentence: `author` for `author_id`.
fn name(column: &Column) -> String {
    let label = column.label().to_lowercase();
    match label.strip_suffix(" id") {
        Some(short) if is_key(column) => short.to_owned(),
        _ => label,
    }
}

fn pattern_text(pattern: &Pattern) -> String {
    let parts = pattern.parts.iter().map(|part| match part {
        PatternPart::Text(text) => text.as_str(),
        PatternPart::Any => "%",
        PatternPart::One => "_",
    });
    naming::shortened(&parts.collect::<String>()).into_owned()
}
