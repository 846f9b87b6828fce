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

/// Parts of a condition in words, and what joins them.
struct Words {
    parts: Vec<String>,
    joint: Joint,
}

/// Conjunction of the parts of a condition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Or,
}

impl Words {
    fn of(text: String) -> Self {
        Self {
            parts: vec![text],
            joint: Joint::And,
        }
    }

    fn text(&self) -> String {
        self.parts.join(match self.joint {
            Joint::And => " and ",
            Joint::Or => ", or ",
        })
    }
}

impl Joint {
    /// Extent of a condition that changes nothing beside others.
    fn neutral(self) -> RowScope {
        match self {
            Joint::And => RowScope::All,
            Joint::Or => RowScope::None,
        }
    }
}

impl ConditionWords<'_> {
    /// Text of a condition that some rows of a table match, such as `where published is yes, or author is you`.
    /// `None` if it would be too long.
    pub(super) fn of(&self, table: &'static Table, condition: &AnyWhere) -> Option<String> {
        let text = self.text(table, condition);
        (text.len() <= MAX_TEXT).then(|| format!("where {text}"))
    }

    fn text(&self, table: &'static Table, condition: &AnyWhere) -> String {
        self.words(table, condition).text()
    }

    fn words(&self, table: &'static Table, condition: &AnyWhere) -> Words {
        match condition {
            AnyWhere::And(conditions) => self.joined(table, conditions, Joint::And),
            AnyWhere::Or(conditions) => self.joined(table, conditions, Joint::Or),
            AnyWhere::Not(condition) => Words::of(format!("not ({})", self.text(table, condition))),
            AnyWhere::Likely(condition) => self.words(table, condition),
            AnyWhere::Compare(path, predicate) => Words::of(self.comparison(table, path, predicate)),
        }
    }

    /// Joins conditions. Those that say the same are said once, and those that change nothing are not said.
    fn joined(&self, table: &'static Table, conditions: &[AnyWhere], joint: Joint) -> Words {
        let mut parts: Vec<String> = Vec::new();
        for condition in conditions {
            if condition.scope() == joint.neutral() {
                continue;
            }
            let inner = self.words(table, condition);
            let texts = match inner.joint {
                _ if inner.parts.len() == 1 => inner.parts,
                same if same == joint => inner.parts,
                Joint::Or => vec![format!("({})", inner.text())],
                Joint::And => vec![inner.text()],
            };
            for text in texts {
                if !parts.contains(&text) {
                    parts.push(text);
                }
            }
        }
        Words { parts, joint }
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
                    let words = self.words(step.table, visible);
                    let text = words.text();
                    match words.parts.len() {
                        0 | 1 => format!("{name} is one of those where {text}"),
                        _ => format!("{name} is one of those where ({text})"),
                    }
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
