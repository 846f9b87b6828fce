//! Expected results of a list, evaluated in memory from the rows that the server returns.

use std::cmp::Ordering;

use serde_json::{Value, json};

/// Comparison of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Number,
    /// A number that is a string in JSON.
    Decimal,
    /// A string, or a type whose strings sort like its values.
    Text,
    Bool,
    /// Equality only.
    Opaque,
    /// Any value inside a document.
    Document,
}

/// A filter that can be sent and evaluated.
#[derive(Debug, Clone)]
pub(crate) enum Expected {
    All(Vec<Expected>),
    Any(Vec<Expected>),
    Not(Vec<Expected>),
    Test(&'static str, Type, &'static str, Vec<Value>),
}

/// Returns the body of a sample with values from a small set.
pub(crate) fn sample_body(seed: usize) -> Value {
    let pick = |choices: &[Value], step: usize| choices[(seed / step + seed * step) % choices.len()].clone();
    let maybe = |value: Value, step: usize| {
        if (seed * step + step).is_multiple_of(3) {
            Value::Null
        } else {
            value
        }
    };
    let text = pick(
        &[
            json!("alpha"),
            json!("Alpha"),
            json!("a%b_c"),
            json!("ÄÖ \\ x"),
            json!(""),
            json!("zeta, (one)"),
            json!("\"q\""),
        ],
        1,
    );
    let number = pick(&[json!(-3), json!(0), json!(7), json!(100), json!(32767)], 2);
    let ratio = pick(&[json!(-1.5), json!(0.0), json!(0.25), json!(1e10)], 3);
    let amount = pick(
        &[
            json!("-1.5000"),
            json!("0.0001"),
            json!("12.3400"),
            json!("99999999.0000"),
        ],
        2,
    );
    let day = pick(
        &[json!("2024-02-29"), json!("1999-12-31"), json!("2030-01-01")],
        1,
    );
    let clock = pick(&[json!("00:00:00"), json!("07:08:09"), json!("23:59:59")], 2);
    let moment = pick(
        &[
            json!("2024-05-06T07:08:09Z"),
            json!("1969-12-31T23:59:59Z"),
            json!("2100-01-01T00:00:00Z"),
        ],
        1,
    );
    let token = pick(
        &[
            json!("00000000-0000-4000-8000-000000000001"),
            json!("ffffffff-0000-4000-8000-000000000001"),
            json!("7fffffff-0000-4000-8000-000000000001"),
        ],
        1,
    );
    let color = pick(&[json!("red"), json!("green"), json!("blue")], 1);
    let extra = pick(
        &[
            json!({"a": {"b": 1}, "s": "x", "t": true, "l": [1, "two"]}),
            json!({"a": {"b": "1"}, "s": "y%"}),
            json!({"a": null, "t": false, "l": []}),
            json!([]),
            json!({"a": {"b": -2.5}, "s": 3}),
            json!({"a": {"b": 9_007_199_254_740_993_i64}, "s": 1e300}),
            json!({"a": {"b": 9_007_199_254_740_992_i64}, "s": 1e-310}),
        ],
        1,
    );
    json!({
        "flag": seed.is_multiple_of(2), "small": number, "number": number, "big": number, "single": ratio, "ratio": ratio,
        "text": text, "blob": pick(&[json!("aGk="), json!("")], 1), "amount": amount, "day": day, "clock": clock,
        "moment": moment, "token": token, "extra": extra, "color": color,
        "maybeFlag": maybe(json!(seed.is_multiple_of(4)), 1), "maybeSmall": maybe(number.clone(), 2),
        "maybeNumber": maybe(number.clone(), 5), "maybeBig": maybe(number, 7), "maybeSingle": maybe(ratio.clone(), 1),
        "maybeRatio": maybe(ratio, 4), "maybeText": maybe(text, 2), "maybeBlob": maybe(json!("aGk="), 1),
        "maybeAmount": maybe(amount, 1), "maybeDay": maybe(day, 2), "maybeClock": maybe(clock, 4),
        "maybeMoment": maybe(moment, 5), "maybeToken": maybe(token, 7), "maybeExtra": maybe(extra, 8),
        "maybeColor": maybe(color, 1),
    })
}

impl Expected {
    /// Whether the filter matches an object.
    pub(crate) fn holds(&self, object: &Value) -> bool {
        match self {
            Self::All(all) => all.iter().all(|one| one.holds(object)),
            Self::Any(any) => any.iter().any(|one| one.holds(object)),
            Self::Not(all) => !all.iter().all(|one| one.holds(object)),
            Self::Test(path, ty, operator, values) => {
                let found = lookup(object, path, *ty);
                let found: Vec<&Value> = found.into_iter().filter(|value| !value.is_null()).collect();
                match *operator {
                    "isnull" => found.is_empty() == (values[0] == json!(true)),
                    operator => found.iter().any(|value| holds(value, *ty, operator, values)),
                }
            }
        }
    }

    /// Returns the name and value of a query parameter, or a member of a group.
    pub(crate) fn written(&self) -> (String, String) {
        let group = |name: &str, all: &[Expected]| {
            let members: Vec<String> = all.iter().map(Self::member).collect();
            (name.to_owned(), format!("({})", members.join(",")))
        };
        match self {
            Self::All(all) => group("and", all),
            Self::Any(all) => group("or", all),
            Self::Not(all) => group("not", all),
            Self::Test(path, ty, operator, values) => {
                let texts: Vec<String> = values.iter().map(|value| text(value, *ty)).collect();
                let listed = matches!(*operator, "in" | "nin" | "between");
                let escaped = |text: &String| text.replace('\\', "\\\\").replace(',', "\\,");
                let value = if listed {
                    texts.iter().map(escaped).collect::<Vec<_>>().join(",")
                } else {
                    texts.concat()
                };
                (format!("{path}[{operator}]"), value)
            }
        }
    }

    /// Returns repeated parameters of one name, if the filter is a list of values of a field.
    pub(crate) fn repeated(&self) -> Option<Vec<(String, String)>> {
        match self {
            Self::Test(path, ty, "in", values) => {
                let parameter = |value| ((*path).to_owned(), text(value, *ty));
                Some(values.iter().map(parameter).collect())
            }
            _ => None,
        }
    }

    fn member(&self) -> String {
        let (name, value) = self.written();
        match self {
            Self::Test(..) => {
                let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
                format!("{name}=\"{quoted}\"")
            }
            _ => format!("{name}{value}"),
        }
    }
}

/// Formats a value for a query. Strings that look like another type are quoted in documents.
fn text(value: &Value, ty: Type) -> String {
    match (value, ty) {
        (Value::String(text), Type::Document) if serde_json::from_str::<Value>(text).is_ok() => {
            value.to_string()
        }
        (Value::String(text), _) => text.clone(),
        (other, _) => other.to_string(),
    }
}

/// Returns all values at a path: one per object of a to-many relation, or the item of a document.
fn lookup<'o>(object: &'o Value, path: &str, ty: Type) -> Vec<&'o Value> {
    let mut found = vec![object];
    for step in path.split('.') {
        found = found
            .into_iter()
            .flat_map(|value| match (value, step.parse::<usize>()) {
                (Value::Array(items), Ok(place)) if ty == Type::Document => {
                    items.get(place).into_iter().collect()
                }
                (Value::Array(items), _) if ty != Type::Document => {
                    items.iter().filter_map(|item| item.get(step)).collect()
                }
                (Value::Object(members), Err(_)) => members.get(step).into_iter().collect::<Vec<_>>(),
                _ => Vec::new(),
            })
            .collect();
    }
    match ty {
        Type::Document => found,
        _ => found
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(items) => items.iter().collect(),
                one => vec![one],
            })
            .collect(),
    }
}

pub(crate) fn compare(one: &Value, other: &Value, ty: Type) -> Option<Ordering> {
    let number = |value: &Value| match value {
        Value::String(text) => text.parse().ok(),
        value => value.as_f64(),
    };
    match ty {
        Type::Number | Type::Decimal => number(one)?.partial_cmp(&number(other)?),
        Type::Text => one.as_str()?.partial_cmp(other.as_str()?),
        Type::Bool => one.as_bool()?.partial_cmp(&other.as_bool()?),
        Type::Opaque => (one == other).then_some(Ordering::Equal),
        Type::Document => match (one, other) {
            (Value::Number(_), Value::Number(_)) => compare(one, other, Type::Number),
            (Value::String(_), Value::String(_)) => compare(one, other, Type::Text),
            (Value::Bool(_), Value::Bool(_)) => compare(one, other, Type::Bool),
            _ => None,
        },
    }
}

fn holds(found: &Value, ty: Type, operator: &str, values: &[Value]) -> bool {
    let order = |value: &Value| compare(found, value, ty);
    let same = |value: &Value| order(value) == Some(Ordering::Equal);
    let wanted = values.first().and_then(Value::as_str).unwrap_or_default();
    let text = found.as_str();
    let folded = text.map(str::to_ascii_lowercase);
    match operator {
        "eq" => same(&values[0]),
        "ne" => !same(&values[0]),
        "in" => values.iter().any(same),
        "nin" => !values.iter().any(same),
        "gt" => order(&values[0]) == Some(Ordering::Greater),
        "gte" => order(&values[0]).is_some_and(Ordering::is_ge),
        "lt" => order(&values[0]) == Some(Ordering::Less),
        "lte" => order(&values[0]).is_some_and(Ordering::is_le),
        "between" => {
            order(&values[0]).is_some_and(Ordering::is_ge) && order(&values[1]).is_some_and(Ordering::is_le)
        }
        "contains" => text.is_some_and(|text| text.contains(wanted)),
        "icontains" => folded.is_some_and(|text| text.contains(&wanted.to_ascii_lowercase())),
        "startswith" => text.is_some_and(|text| text.starts_with(wanted)),
        "endswith" => text.is_some_and(|text| text.ends_with(wanted)),
        "like" => text.is_some_and(|text| matches(text, wanted)),
        "ilike" => folded.is_some_and(|text| matches(&text, &wanted.to_ascii_lowercase())),
        other => panic!("no operator {other}"),
    }
}

/// `%` matches any string, `_` any character, and `\` escapes.
fn matches(text: &str, pattern: &str) -> bool {
    let mut characters = pattern.chars();
    let mut rest = text.chars();
    match characters.next() {
        None => text.is_empty(),
        Some('%') => text
            .char_indices()
            .map(|(place, _)| place)
            .chain([text.len()])
            .any(|place| matches(&text[place..], characters.as_str())),
        Some('_') => rest.next().is_some() && matches(rest.as_str(), characters.as_str()),
        Some('\\') => {
            let literal = characters.next().unwrap_or('\\');
            rest.next() == Some(literal) && matches(rest.as_str(), characters.as_str())
        }
        Some(literal) => rest.next() == Some(literal) && matches(rest.as_str(), characters.as_str()),
    }
}
