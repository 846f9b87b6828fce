//! Filters: `title=..`, `rating[gte]=..`, `category.name[contains]=..`.

use model_resource_schema::data_type::DataType;
use model_resource_schema::naming::{self, Quoted};
use model_resource_schema::query::{
    AnyWhere, Comparison, FieldPath, Pattern, PatternPart, Predicate, RelationStep,
};
use model_resource_schema::serializer::{FieldError, Projection};
use model_resource_schema::value::Value;

use crate::pipeline::{Error, Result};
use crate::query::parameters::invalid_parameter;

/// Parameters of every list that are not fields.
pub(super) const PARAMETERS: [&str; 15] = [
    "page", "pageSize", "limit", "offset", "cursor", "count", "sort", "nulls", "q", "fields", "expand",
    "format", "or", "and", "not",
];
/// Maximum filters per query.
pub(super) const MAX_PREDICATES: usize = 50;
/// Maximum values in the list of one filter.
pub(super) const MAX_VALUES: usize = 200;
/// Maximum values in the lists of all filters of a query.
const MAX_TOTAL_VALUES: usize = 1000;
/// Maximum steps into a JSON document. The SQL statement repeats them for each value compared there.
const MAX_JSON_STEPS: usize = 8;
/// Maximum wildcards in a pattern, because the database backtracks at each of them.
const MAX_WILDCARDS: usize = 5;

/// Maximum characters in a search text, because the database compares each of them at every position of a value.
pub(super) const MAX_PATTERN: usize = 256;

/// Parses filters on the fields of a projection, and counts them.
pub(super) struct Filters<'s> {
    projection: &'s Projection,
    left: usize,
    values_left: usize,
}

impl<'s> Filters<'s> {
    pub(super) fn new(projection: &'s Projection) -> Self {
        Self {
            projection,
            left: MAX_PREDICATES,
            values_left: MAX_TOTAL_VALUES,
        }
    }

    /// Parses `path` or `path[operator]` and its values. Several values of `eq` match any of them.
    pub(super) fn read(&mut self, name: &str, values: &[impl AsRef<str>]) -> Result<AnyWhere> {
        let (path, operator) = self.parse_name(name)?;
        let mut tests = Vec::new();
        for value in values {
            self.count()?;
            let test = predicate(path.data_type(), operator, value.as_ref())
                .map_err(|message| invalid_parameter(name, message))?;
            self.count_values(&test)?;
            tests.push(test);
        }
        let holds = |test| AnyWhere::Compare(path.clone(), test);
        if operator == Operator::Eq && tests.len() > 1 {
            let values = tests.into_iter().filter_map(|test| match test {
                Predicate::Is(Comparison::Eq, value) => Some(value),
                _ => None,
            });
            return Ok(holds(Predicate::OneOf(values.collect())));
        }
        Ok(match tests.len() {
            1 => holds(tests.remove(0)),
            _ => AnyWhere::And(tests.into_iter().map(holds).collect()),
        })
    }

    fn count(&mut self) -> Result<()> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| Error::bad_parameter(format!("There are more than {MAX_PREDICATES} filters.")))?;
        Ok(())
    }

    fn count_values(&mut self, test: &Predicate) -> Result<()> {
        let (Predicate::OneOf(values) | Predicate::NoneOf(values)) = test else {
            return Ok(());
        };
        self.values_left = self.values_left.checked_sub(values.len()).ok_or_else(|| {
            let message =
                format!("There are more than {MAX_TOTAL_VALUES} values in the lists of all filters.");
            Error::bad_parameter(message)
        })?;
        Ok(())
    }

    fn parse_name(&self, name: &str) -> Result<(FieldPath, Operator)> {
        let (path, operator) = match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((path, operator)) => (path, Operator::read(operator)?),
            None => (name, Operator::Eq),
        };
        let found = match operator {
            Operator::Has => self.projection.related_key(path),
            _ => self.projection.path(path),
        };
        let path = found.map_err(|error| unknown_field(path, error))?;
        if path.keys().len() > MAX_JSON_STEPS {
            return Err(invalid_parameter(
                name,
                format!("It goes more than {MAX_JSON_STEPS} steps into a document."),
            ));
        }
        // Rejects a to-many relation after another step: the number of joined rows is the product of both.
        if path.steps().iter().skip(1).any(RelationStep::leads_to_many) {
            return Err(invalid_parameter(
                name,
                "A relation to many rows can only be the first one on the way to a field.",
            ));
        }
        Ok((path, operator))
    }
}

/// Suggests a parameter if the name is not a field.
fn unknown_field(name: &str, error: FieldError) -> Error {
    if naming::is_long(name) {
        return error.into();
    }
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let mut parameters = PARAMETERS.into_iter();
    let suggestion = match &error {
        FieldError::Unknown(_, None) => naming::nearest(name, parameters),
        FieldError::Unknown(_, Some(_)) => parameters.find(|parameter| plain(parameter) == plain(name)),
        _ => None,
    };
    match suggestion {
        Some(suggestion) => Error::bad_parameter(format!(
            "There is no field or parameter {name:?}; did you mean {suggestion:?}?"
        )),
        None => error.into(),
    }
}

/// Comparison operator of a filter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Eq,
    Ne,
    Gt,
    Gte,
    Lt,
    Lte,
    In,
    Nin,
    Contains,
    Icontains,
    Startswith,
    Endswith,
    Like,
    Ilike,
    Between,
    Isnull,
    Has,
}

const OPERATORS: [(&str, Operator); 17] = [
    ("eq", Operator::Eq),
    ("ne", Operator::Ne),
    ("gt", Operator::Gt),
    ("gte", Operator::Gte),
    ("lt", Operator::Lt),
    ("lte", Operator::Lte),
    ("in", Operator::In),
    ("nin", Operator::Nin),
    ("contains", Operator::Contains),
    ("icontains", Operator::Icontains),
    ("startswith", Operator::Startswith),
    ("endswith", Operator::Endswith),
    ("like", Operator::Like),
    ("ilike", Operator::Ilike),
    ("between", Operator::Between),
    ("isnull", Operator::Isnull),
    ("has", Operator::Has),
];

impl Operator {
    /// Whether the operator compares values of this type.
    fn applies_to(self, kind: DataType) -> bool {
        match self {
            Operator::Isnull => true,
            // Applies to a relation.
            Operator::Has => false,
            Operator::Eq | Operator::Ne | Operator::In | Operator::Nin => kind != DataType::Json,
            Operator::Gt | Operator::Gte | Operator::Lt | Operator::Lte | Operator::Between => {
                !matches!(kind, DataType::Json | DataType::Bool)
            }
            Operator::Contains
            | Operator::Icontains
            | Operator::Startswith
            | Operator::Endswith
            | Operator::Like
            | Operator::Ilike => kind == DataType::Text,
        }
    }

    pub(super) fn read(name: &str) -> Result<Self> {
        let names = OPERATORS.iter().map(|(name, _)| *name);
        let known = OPERATORS.iter().find(|(known, _)| *known == name);
        known.map(|(_, operator)| *operator).ok_or_else(|| {
            let near = naming::nearest(name, names.clone());
            let hint = near.map_or_else(
                || format!("there are {}", names.collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean {near:?}?"),
            );
            Error::bad_parameter(format!("There is no operator {}; {hint}", Quoted(name)))
        })
    }
}

/// Names of the operators that a filter on a field of this type may use.
pub(crate) fn operators_of(kind: DataType) -> impl Iterator<Item = &'static str> {
    let known = OPERATORS
        .iter()
        .filter(move |(_, operator)| operator.applies_to(kind));
    known.map(|(name, _)| *name)
}

/// Names of the operators that a condition on groups may use with a value of this type: all but patterns.
pub(crate) fn group_operators_of(kind: DataType) -> impl Iterator<Item = &'static str> {
    let is_pattern =
        |operator: &Operator| operator.applies_to(DataType::Text) && !operator.applies_to(DataType::I64);
    let known = OPERATORS
        .iter()
        .filter(move |(_, operator)| operator.applies_to(kind) && !is_pattern(operator));
    known.map(|(name, _)| *name)
}

/// Parses the value of a predicate. Without a type, inside a JSON document, the text decides it.
pub(super) fn predicate(kind: Option<DataType>, operator: Operator, text: &str) -> Result<Predicate, String> {
    let value = || value(kind, text);
    let pattern = |pattern: fn(&str) -> Pattern| pattern_of(kind, text, pattern).map(Predicate::Like);
    let compare = |comparison| ordered(kind).and_then(|()| Ok(Predicate::Is(comparison, value()?)));
    match operator {
        Operator::Isnull => match text {
            "true" => Ok(Predicate::Null(true)),
            "false" => Ok(Predicate::Null(false)),
            _ => Err(DataType::Bool.type_message().into()),
        },
        _ if kind == Some(DataType::Json) => {
            Err("A document can only be asked for what stands in it, such as \"options.color\".".to_owned())
        }
        Operator::Eq => Ok(Predicate::Is(Comparison::Eq, value()?)),
        Operator::Ne => Ok(Predicate::Is(Comparison::Ne, value()?)),
        Operator::Gt => compare(Comparison::Gt),
        Operator::Gte => compare(Comparison::Gte),
        Operator::Lt => compare(Comparison::Lt),
        Operator::Lte => compare(Comparison::Lte),
        Operator::In | Operator::Has => values(kind, text).map(Predicate::OneOf),
        Operator::Nin => values(kind, text).map(Predicate::NoneOf),
        Operator::Between => {
            ordered(kind)?;
            let values: Result<[Value; 2], _> = values(kind, text)?.try_into();
            let [min, max] = values.map_err(|_| "Two values are needed, such as 1,9.".to_owned())?;
            if std::mem::discriminant(&min) != std::mem::discriminant(&max) {
                return Err("Both values must be of the same type.".to_owned());
            }
            Ok(Predicate::Between(min, max))
        }
        Operator::Contains => pattern(|text| Pattern::containing(text)),
        Operator::Icontains => pattern(|text| Pattern::containing(text).ignoring_case()),
        Operator::Startswith => pattern(|text| Pattern::starting_with(text)),
        Operator::Endswith => pattern(|text| Pattern::ending_with(text)),
        Operator::Like => pattern(Pattern::parse),
        Operator::Ilike => pattern(|text| Pattern::parse(text).ignoring_case()),
    }
}

fn ordered(kind: Option<DataType>) -> Result<(), String> {
    match kind {
        Some(DataType::Bool) => Err("Booleans cannot be ordered; use eq or ne.".to_owned()),
        _ => Ok(()),
    }
}

fn pattern_of(kind: Option<DataType>, text: &str, pattern: fn(&str) -> Pattern) -> Result<Pattern, String> {
    if !matches!(kind, None | Some(DataType::Text)) {
        return Err("Only texts can be compared in this way.".to_owned());
    }
    check_nul(text)?;
    check_length(text)?;
    let pattern = pattern(text);
    let wildcards = pattern.parts.iter().filter(|part| **part == PatternPart::Any);
    if wildcards.count() > MAX_WILDCARDS {
        return Err(format!("There are more than {MAX_WILDCARDS} wildcards in it."));
    }
    Ok(pattern)
}

/// Rejects a search text that is too long.
pub(super) fn check_length(text: &str) -> Result<(), String> {
    match text.chars().nth(MAX_PATTERN) {
        Some(_) => Err(format!("There are more than {MAX_PATTERN} characters in it.")),
        None => Ok(()),
    }
}

fn check_nul(text: &str) -> Result<(), String> {
    DataType::Text.parse(text)?;
    Ok(())
}

/// Parses a value of the field's type. In a JSON document the text decides the type: a number, `true`, `false`, or else
/// a string, which may be quoted.
fn value(kind: Option<DataType>, text: &str) -> Result<Value, String> {
    if let Some(kind) = kind {
        return Ok(kind.parse(text)?);
    }
    check_nul(text)?;
    Ok(match serde_json::from_str(text) {
        Ok(serde_json::Value::Bool(truth)) => Value::Bool(truth),
        // Parsed from the text, because the parsed JSON number need not be the nearest double.
        Ok(serde_json::Value::Number(_)) => Value::Double(text.trim().parse().unwrap_or_default()),
        Ok(serde_json::Value::String(text)) => {
            check_nul(&text)?;
            Value::Text(text)
        }
        _ => Value::Text(text.to_owned()),
    })
}

/// Parses comma-separated values. A backslash escapes a comma in a value.
fn values(kind: Option<DataType>, text: &str) -> Result<Vec<Value>, String> {
    let mut texts = vec![String::new()];
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ',' => texts.push(String::new()),
            '\\' => push(&mut texts, characters.next().unwrap_or('\\')),
            other => push(&mut texts, other),
        }
    }
    if texts.len() > MAX_VALUES {
        return Err(format!("There are more than {MAX_VALUES} values in it."));
    }
    texts.iter().map(|text| value(kind, text)).collect()
}

fn push(texts: &mut [String], character: char) {
    if let Some(last) = texts.last_mut() {
        last.push(character);
    }
}
