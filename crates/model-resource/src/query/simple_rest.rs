//! Translates the query syntax of `ra-data-simple-rest` into the native one, before any parameter is parsed.

use model_resource_schema::naming::{Quoted, shortened};
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::list::MAX_OFFSET;
use crate::pipeline::Result;
use crate::query::filter::Operator;
use crate::query::parameters::{PAGE, Parameters, invalid_parameter};

/// Translates `sort`, `range` and `filter`, except for the `foreign` ones.
pub(super) fn translate(parameters: &mut Parameters<'_>, foreign: &[&str]) -> Result<()> {
    let mut take = |name| {
        if foreign.contains(&name) {
            return Ok(None);
        }
        parameters.take(name)
    };
    let (sort, range, filter) = (take("sort")?, take("range")?, take("filter")?);
    if let Some(sort) = sort {
        parameters.push("sort", read_sort(&sort)?);
    }
    if let Some(range) = range {
        let (offset, limit) = read_range(&range)?;
        if let Some(other) = PAGE.into_iter().find(|name| parameters.has(name)) {
            return Err(invalid_parameter(
                "range",
                format!("It does not go together with {other:?}."),
            ));
        }
        parameters.push("offset", offset.to_string());
        parameters.push("limit", limit.to_string());
        if !parameters.has("count") {
            parameters.push("count", "exact".to_owned());
        }
    }
    if let Some(filter) = filter {
        let members = read_json::<Option<Map<_, _>>>("filter", &filter, FILTER)?;
        // Only now, because parsing has limited the nesting.
        check_unique_members(&filter)?;
        for (name, value) in members.unwrap_or_default() {
            match name.as_str() {
                "q" => parameters.push("q", scalar("q", &value)?),
                _ => add_filter(parameters, &name, value)?,
            }
        }
    }
    Ok(())
}

const SORT: &str = "Write a field and its order, such as [\"title\",\"ASC\"].";
const RANGE: &str = "Write the places of the first and the last object, such as [0,24].";
const FILTER: &str = "Write an object, such as {\"title\":\"Rust\"}.";

fn read_json<T: DeserializeOwned>(name: &str, text: &str, remedy: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|_| invalid_parameter(name, remedy))
}

/// Rejects an object with a duplicate member, because one of the two would be ignored.
fn check_unique_members(json: &str) -> Result<()> {
    let Ok(Members(members)) = serde_json::from_str(json) else {
        return Ok(());
    };
    for (position, (name, value)) in members.iter().enumerate() {
        if members[..position].iter().any(|(other, _)| other == name) {
            let message = format!("{} stands in it twice.", Quoted(name));
            return Err(invalid_parameter("filter", message));
        }
        check_unique_members(value.get())?;
    }
    Ok(())
}

/// Members of an object, including duplicates.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Translates a sort order; text that does not look like JSON is in the native syntax already.
fn read_sort(text: &str) -> Result<String> {
    if !text.starts_with('[') {
        return Ok(text.to_owned());
    }
    let (field, order): (String, String) = read_json("sort", text, SORT)?;
    match order.to_ascii_uppercase().as_str() {
        // A comma or a leading `-` has a meaning in the native syntax.
        _ if field.contains(',') || field.starts_with('-') => Err(invalid_parameter("sort", SORT)),
        "ASC" => Ok(field),
        "DESC" => Ok(format!("-{field}")),
        _ => Err(invalid_parameter("sort", SORT)),
    }
}

/// Returns the offset and the number of rows.
fn read_range(text: &str) -> Result<(u64, u64)> {
    let (first, last): (u64, u64) = read_json("range", text, RANGE)?;
    if first <= last && last < MAX_OFFSET {
        Ok((first, last - first + 1))
    } else {
        Err(invalid_parameter("range", RANGE))
    }
}

/// Adds each filter with an explicit operator, so that no field name is taken for another parameter.
fn add_filter(parameters: &mut Parameters<'_>, name: &str, value: Value) -> Result<()> {
    if let Some(operator) = name.strip_suffix(']').and_then(|name| name.split_once('[')) {
        let value = match operator.1 {
            "in" | "nin" | "between" => several(name, value)?,
            _ => scalar(name, &value)?,
        };
        parameters.push(name, value);
        return Ok(());
    }
    match value {
        Value::Object(members) if members.is_empty() => {
            Err(invalid_parameter(name, "There is nothing in it."))
        }
        Value::Object(members) => members.into_iter().try_for_each(|(inner, value)| {
            let inner = match Operator::read(&inner) {
                Ok(_) => format!("{name}[{inner}]"),
                Err(_) => format!("{name}.{inner}"),
            };
            add_filter(parameters, &inner, value)
        }),
        Value::Array(_) => add_filter(parameters, &format!("{name}[in]"), value),
        Value::Null => add_filter(parameters, &format!("{name}[isnull]"), Value::Bool(true)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            add_filter(parameters, &format!("{name}[eq]"), value)
        }
    }
}

/// Formats a value for a URL.
fn scalar(name: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Bool(_) | Value::Number(_) => Ok(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let value = value.to_string();
            let message = format!("{} is no text, no number and no boolean.", shortened(&value));
            Err(invalid_parameter(name, message))
        }
    }
}

/// Formats comma-separated values.
fn several(name: &str, value: Value) -> Result<String> {
    let values = match value {
        Value::Array(values) if values.is_empty() => {
            return Err(invalid_parameter(name, "There is no value in the list."));
        }
        Value::Array(values) => values,
        single => vec![single],
    };
    let texts: Vec<String> = values
        .iter()
        .map(|value| Ok(scalar(name, value)?.replace('\\', "\\\\").replace(',', "\\,")))
        .collect::<Result<_>>()?;
    Ok(texts.join(","))
}
