//! Groups of a list: the parameters that ask for them, and the schema of the response.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::description::{GroupValueDescription, ListDescription};
use crate::openapi::data_type::{accept_null, schema_of};
use crate::openapi::json_writer::JsonArrayWriter;
use crate::openapi::names_parameter::NamesParameter;
use crate::openapi::shared_parts::SharedParts;
use crate::query::QUERY_LIMITS;

/// Writes the parameters of groups: their keys, aggregates and conditions. The parameter `count` is written with those of
/// lists.
pub(super) fn write_groups(
    list: &ListDescription,
    shared: &mut SharedParts,
    parameters: &mut JsonArrayWriter<'_>,
) {
    let keys = list.groups.iter().filter(|value| value.is_key);
    let keys = keys.map(|value| Cow::Borrowed(value.parameter.as_str()));
    let text = "Keys by which the objects are grouped. The response has groups instead of objects.";
    NamesParameter::new("group", text, keys.collect(), QUERY_LIMITS.group_values).write(parameters);
    for value in list.groups.iter().filter(|value| !value.is_key) {
        if value.parameter != "count" {
            parameters.item(&aggregate(value));
        }
        let name = format!("having[{}]", value.member);
        shared
            .filters
            .write_field(&name, false, &value.operators, value.data_type, parameters);
    }
}

/// Parameter that asks for an aggregate.
fn aggregate(value: &GroupValueDescription) -> Value {
    let text = format!(
        "Adds the member `{}` to each group; it takes no value.",
        value.member
    );
    json!({
        "name": value.parameter,
        "in": "query",
        "description": text,
        "allowEmptyValue": true,
        "schema": {"type": "string", "enum": [""]},
    })
}

/// Parameter `count` of a list with groups: the total of objects, or the number of each group.
pub(super) fn count() -> Value {
    let text = "Without a value, adds the number of objects to each group. With a value, whether all objects are counted, \
                for `X-Total-Count`; it needs a page.";
    json!({
        "name": "count",
        "in": "query",
        "description": text,
        "allowEmptyValue": true,
        "schema": {"type": "string", "enum": ["", "exact", "estimated", "none"]},
    })
}

/// Schema of an array of groups.
pub(super) fn schema(groups: &[GroupValueDescription]) -> Value {
    let property = |value: &GroupValueDescription| {
        let mut schema = schema_of(value.data_type);
        if value.is_nullable {
            accept_null(&mut schema);
        }
        (value.member.clone(), Value::from(schema))
    };
    let properties: Map<String, Value> = groups.iter().map(property).collect();
    json!({
        "type": "array",
        "description": "Groups, if the query asks for them.",
        "items": {
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
            "minProperties": 1,
        },
    })
}
