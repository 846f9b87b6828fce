//! Query parameters of lists and objects.

use std::borrow::Cow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{ObjectSchema, OutputSchema};
use serde_json::{Value, json};

use crate::description::{ActionDescription, ListDescription};
use crate::openapi::groups::{self, write_groups};
use crate::openapi::json_writer::JsonArrayWriter;
use crate::openapi::names_parameter::NamesParameter;
use crate::openapi::shared_parts::SharedParts;
use crate::query::{COUNT_SUFFIX, DELETED, QUERY_LIMITS};

/// Parameters of every automatic list that are the same everywhere.
const SHARED: [&str; 9] = [
    "page", "pageSize", "limit", "offset", "cursor", "count", "or", "and", "not",
];

/// Largest number of a page with the usual size.
const MAX_PAGE_NUMBER: u64 = QUERY_LIMITS.max_number / QUERY_LIMITS.default_page;

/// Writes the query parameters of a list.
pub(super) fn write_of_list(
    action: &ActionDescription,
    list: &ListDescription,
    object: &ObjectSchema,
    shared: &mut SharedParts,
    parameters: &mut JsonArrayWriter<'_>,
) {
    // A list without filters finds its rows itself, so that a sort order or a page would have no effect.
    if !list.filters.is_empty() {
        shared.filters.write(list, parameters);
        shared.filters.write_relations(list, parameters);
        write_sort(list, shared, parameters);
        if !list.search.is_empty() {
            parameters.item(&search(&list.search));
        }
        for name in SHARED {
            match name {
                "count" if !list.groups.is_empty() => parameters.item(&groups::count()),
                name => parameters.item(&shared.parameter(name, shared_parameter)),
            }
        }
        if !list.groups.is_empty() {
            write_groups(list, shared, parameters);
        }
    }
    if list.shows_deleted {
        parameters.item(&shared.parameter(DELETED, deleted));
    }
    write_of_object(object, parameters);
    if let Some(format) = format(action) {
        parameters.item(&format);
    }
    for name in &list.own_parameters {
        parameters.item(&own(name));
    }
}

/// Writes the query parameters that select the members of an object.
pub(super) fn write_of_object(object: &ObjectSchema, parameters: &mut JsonArrayWriter<'_>) {
    let names = |is_expandable: bool| {
        let members = object.output.iter();
        let members = members.filter(|member: &&OutputSchema| member.is_expandable == is_expandable);
        members
            .map(|member| Cow::Borrowed(member.name.as_str()))
            .collect()
    };
    let text =
        "Members of the response; all by default. `relation.member` names one of an expanded relation.";
    NamesParameter::new("fields", text, names(false), QUERY_LIMITS.fields).write(parameters);
    let text =
        "Relations that are written as objects. `comments.author` expands a relation of a related object.";
    NamesParameter::new("expand", text, names(true), QUERY_LIMITS.relations).write(parameters);
}

/// Parameter that all lists share.
fn shared_parameter(name: &str) -> Value {
    let number = |min: u64, text: &str| {
        let max = QUERY_LIMITS.max_number;
        let schema = json!({"type": "integer", "format": "int64", "minimum": min, "maximum": max});
        (schema, text.to_owned())
    };
    let names = |names: &[&str], text: &str| (json!({"type": "string", "enum": names}), text.to_owned());
    let (schema, text) = match name {
        "page" => {
            let schema =
                json!({"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_PAGE_NUMBER});
            let text = "Number of the page, from 1, with `pageSize`. All objects are counted.";
            (schema, text.to_owned())
        }
        "pageSize" => {
            let default = QUERY_LIMITS.default_page;
            number(
                1,
                &format!("Objects per page, with `page`; usually {default} by default."),
            )
        }
        "limit" => number(1, "Maximum number of objects, with `offset` or `cursor`."),
        "offset" => number(0, "Number of objects to skip, with `limit`."),
        "cursor" => {
            let text = "Place to continue from, with `limit`: empty for the first page, then from a `Link`.";
            (json!({"type": "string"}), text.to_owned())
        }
        "count" => {
            let text = "Whether all objects are counted, for `X-Total-Count`. It needs a page.";
            names(&["exact", "estimated", "none"], text)
        }
        "nulls" => names(
            &["first", "last"],
            "Place of objects without a value in the order of `sort`.",
        ),
        "or" => group("at least one of them holds", "(title=Rust,rating[gte]=4)"),
        "and" => group(
            "all of them hold",
            "(rating[gte]=4,or(published=true,featured=true))",
        ),
        _ => group("not all of them hold", "(published=true)"),
    };
    json!({"name": name, "in": "query", "description": text, "schema": schema})
}

fn group(meaning: &str, example: &str) -> (Value, String) {
    let schema = json!({"type": "string", "pattern": "^\\(.+\\)$"});
    let text = format!("Conditions in parentheses, separated by commas: {meaning}. Such as `{example}`.");
    (schema, text)
}

/// Writes the sort order, if there is a field with ordered values, and the place of nulls.
fn write_sort(list: &ListDescription, shared: &mut SharedParts, parameters: &mut JsonArrayWriter<'_>) {
    let sortable = list
        .filters
        .iter()
        .filter(|filter| filter.data_type != DataType::Json);
    let counted = list.relations.iter().filter(|relation| relation.is_counted);
    let counts = counted.map(|relation| Cow::Owned(format!("{}{COUNT_SUFFIX}", relation.field)));
    let sortable = sortable.map(|filter| Cow::Borrowed(filter.field.as_str()));
    let mut fields: Vec<Cow<'_, str>> = sortable.chain(counts).collect();
    if fields.is_empty() {
        return;
    }
    for value in &list.groups {
        if fields.iter().all(|field| *field != value.member) {
            fields.push(Cow::Borrowed(&value.member));
        }
    }
    let both = |field: Cow<'_, str>| [field.to_string(), format!("-{field}")];
    let names = fields.into_iter().flat_map(both).map(Cow::Owned).collect();
    let text = "Order of the objects; `-` sorts in descending order. A field of a related object is `relation.field`.";
    let text = match list.order.as_slice() {
        [] => Cow::Borrowed(text),
        order => Cow::Owned(format!("{text} Without it `{}`.", order.join(","))),
    };
    NamesParameter::new("sort", text, names, QUERY_LIMITS.sort_keys).write(parameters);
    parameters.item(&shared.parameter("nulls", shared_parameter));
}

fn search(fields: &[String]) -> Value {
    let text = format!(
        "Words that the objects contain, in any of the fields {}.",
        fields.join(", ")
    );
    let schema = json!({"type": "string", "maxLength": QUERY_LIMITS.search_text, "pattern": "^[^\\u0000]*$"});
    json!({"name": "q", "in": "query", "description": text, "schema": schema})
}

/// Format of the list, if the client can choose one by name.
fn format(action: &ActionDescription) -> Option<Value> {
    let formats = [
        ("json", "application/json"),
        ("csv", "text/csv"),
        ("ndjson", "application/x-ndjson"),
    ];
    let is_offered = |media_type: &str| action.media_types.iter().any(|known| known == media_type);
    let offered = formats.iter().filter(|(_, media_type)| is_offered(media_type));
    let names: Vec<&str> = offered.map(|(name, _)| *name).collect();
    let files = if names.contains(&"csv") {
        "CSV and NDJSON have"
    } else {
        "NDJSON has"
    };
    let text =
        format!("Format of the list, before `Accept`. {files} all objects unless a page is asked for.");
    let schema = json!({"type": "string", "enum": names});
    (!names.is_empty())
        .then(|| json!({"name": "format", "in": "query", "description": text, "schema": schema}))
}

/// Parameter that shows deleted objects.
fn deleted(name: &str) -> Value {
    let text = "Deleted objects: `include` shows them among the others, and `only` without the others.";
    let schema = json!({"type": "string", "enum": ["include", "only"]});
    json!({"name": name, "in": "query", "description": text, "schema": schema})
}

/// Parameter that the application itself reads.
fn own(name: &str) -> Value {
    json!({"name": name, "in": "query", "schema": {"type": "string"}})
}
