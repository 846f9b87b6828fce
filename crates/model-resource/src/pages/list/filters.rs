//! Form of a list's filters: for each field the inputs that fit its type.

use model_resource_schema::data_type::DataType;
use serde::Serialize;

use crate::description::{ActionDescription, FilterDescription};
use crate::pages::format::ValueKind;
use crate::pages::labels::Labels;
use crate::pages::list::columns::ListColumn;
use crate::pages::list::filter_names::{filter_name, is_filter, split_name};
use crate::pages::naming;
use crate::pages::reference::ReferenceSearch;
use crate::pages::site::Site;
use crate::pages::urls::{POSITION_PARAMETERS, PageQuery};
use crate::query::DELETED;

/// Inputs for the filters of one field.
#[derive(Debug, Serialize)]
pub(crate) struct FilterControl {
    pub(crate) field: String,
    pub(crate) label: String,
    /// Type of the inputs: `text`, `number`, `date`, `time`, `datetime-local`, `select` or `reference`.
    pub(crate) input: &'static str,
    /// Type of an input for one value of the field.
    pub(crate) value_input: &'static str,
    /// Name of the parameter for the operator `eq`.
    pub(crate) equal_name: String,
    /// Operators that a script may offer, separated by spaces.
    pub(crate) operators: String,
    /// Operator of the inputs; `range` for two inputs with `gte` and `lte`.
    pub(crate) operator: String,
    pub(crate) inputs: Vec<FilterInput>,
    /// Values of a `select`.
    pub(crate) options: Vec<FilterOption>,
    /// Search for the object that a foreign key references.
    pub(crate) reference: Option<ReferenceSearch>,
    /// Whether a filter of the request is in the inputs.
    pub(crate) is_active: bool,
}

/// Input of a filter.
#[derive(Debug, Serialize)]
pub(crate) struct FilterInput {
    /// Name of the query parameter.
    pub(crate) name: String,
    /// Label beside that of the field; empty for a single input.
    pub(crate) label: &'static str,
    pub(crate) value: String,
    /// Label of the referenced object.
    pub(crate) shown: String,
}

/// Choice of a `select`.
#[derive(Debug, Serialize)]
pub(crate) struct FilterOption {
    pub(crate) value: String,
    pub(crate) label: String,
}

/// Form of a list's filters.
#[derive(Debug, Serialize, Default)]
pub(crate) struct FilterForm {
    pub(crate) controls: Vec<FilterControl>,
    /// Parameters of the request that no input has.
    pub(crate) hidden: Vec<(String, String)>,
    /// Whether the list can be searched.
    pub(crate) has_search: bool,
    pub(crate) search: String,
    /// Labels of the searched fields.
    pub(crate) searched: String,
    /// Own parameters of the list, with their values.
    pub(crate) own: Vec<(String, String)>,
}

impl FilterForm {
    pub(crate) fn new(
        site: &Site<'_>,
        action: &ActionDescription,
        columns: &[ListColumn],
        query: &PageQuery,
        labels: &Labels,
    ) -> Self {
        let Some(list) = &action.list else {
            return Self::default();
        };
        let filters = list.filters.iter().filter(|filter| !filter.operators.is_empty());
        let controls = filters.map(|filter| {
            let column = columns.iter().find(|column| column.name == filter.field);
            control(site, filter, column, query, labels)
        });
        let deleted = list.shows_deleted.then(|| deleted_control(query));
        let controls: Vec<FilterControl> = controls.chain(deleted).collect();
        let is_own = |name: &str| list.own_parameters.contains(&name);
        // The form has an input for the search, and leads to the first page of another result.
        let is_dropped = |name: &str| name == "q" || POSITION_PARAMETERS.contains(&name);
        let mut used: Vec<&str> = Vec::new();
        let inputs = controls.iter().flat_map(|control| &control.inputs);
        used.extend(inputs.map(|input| input.name.as_str()));
        let mut hidden = Vec::new();
        for (position, (name, value)) in query.0.iter().enumerate() {
            let is_first = query.0.iter().position(|(known, _)| known == name) == Some(position);
            let is_shown = used.contains(&name.as_str()) && is_first;
            if !is_shown && !is_dropped(name) && !is_own(name) {
                hidden.push((name.clone(), value.clone()));
            }
        }
        let searched = list.search.iter().map(|name| naming::words(name).to_lowercase());
        let own = list.own_parameters.iter();
        Self {
            hidden,
            has_search: !list.search.is_empty(),
            search: query.get("q").unwrap_or_default().to_owned(),
            searched: searched.collect::<Vec<_>>().join(", "),
            own: own
                .map(|name| ((*name).to_owned(), query.get(name).unwrap_or_default().to_owned()))
                .collect(),
            controls,
        }
    }
}

fn control(
    site: &Site<'_>,
    filter: &FilterDescription,
    column: Option<&ListColumn>,
    query: &PageQuery,
    labels: &Labels,
) -> FilterControl {
    let kind = column.map_or(ValueKind::Column(filter.data_type), |column| column.kind);
    let reference = match kind {
        ValueKind::Reference(model) => ReferenceSearch::of(site, model),
        _ => None,
    };
    let (value_input, default) = match kind {
        ValueKind::Reference(_) if reference.is_some() => ("reference", "eq"),
        _ => input_of(filter.data_type),
    };
    let active = active_operator(filter, query);
    let operator = match active {
        Some(operator) if !(default == "range" && matches!(operator, "gte" | "lte")) => operator,
        _ => default,
    };
    let input = input_of_operator(operator, value_input);
    let shown = |value: &str| match kind {
        ValueKind::Reference(model) => labels.label(model, value).unwrap_or(value).to_owned(),
        _ => String::new(),
    };
    let input_named = |name: String, label| {
        let value = query.get(&name).unwrap_or_default().to_owned();
        FilterInput {
            label,
            shown: shown(&value),
            value: if input == "datetime-local" {
                value.trim_end_matches('Z').to_owned()
            } else {
                value
            },
            name,
        }
    };
    FilterControl {
        field: filter.field.clone(),
        label: column.map_or_else(|| naming::words(&filter.field), |column| column.label.clone()),
        input,
        value_input,
        equal_name: filter_name(&filter.field, "eq"),
        operators: filter.operators.join(" "),
        operator: operator.to_owned(),
        inputs: match operator {
            "range" => vec![
                input_named(filter_name(&filter.field, "gte"), "from"),
                input_named(filter_name(&filter.field, "lte"), "to"),
            ],
            operator => vec![input_named(filter_name(&filter.field, operator), "")],
        },
        options: options(filter.data_type, operator),
        reference,
        is_active: active.is_some(),
    }
}

/// Inputs for the parameter that shows deleted rows.
fn deleted_control(query: &PageQuery) -> FilterControl {
    let value = query.get(DELETED).unwrap_or_default().to_owned();
    let option = |value: &str, label: &str| FilterOption {
        value: value.to_owned(),
        label: label.to_owned(),
    };
    FilterControl {
        field: DELETED.to_owned(),
        label: naming::words(DELETED),
        input: "select",
        value_input: "select",
        equal_name: DELETED.to_owned(),
        operators: "eq".to_owned(),
        operator: "eq".to_owned(),
        is_active: !value.is_empty(),
        inputs: vec![FilterInput {
            name: DELETED.to_owned(),
            label: "",
            value,
            shown: String::new(),
        }],
        options: vec![option("include", "Included"), option("only", "Only deleted")],
        reference: None,
    }
}

/// Operator of the request's first filter on a field.
fn active_operator<'q>(filter: &FilterDescription, query: &'q PageQuery) -> Option<&'q str> {
    query.0.iter().find_map(|(name, _)| {
        let (field, operator) = split_name(name);
        let is_known = filter.operators.contains(&operator);
        (field == filter.field && is_filter(name) && is_known).then_some(operator)
    })
}

/// Type of the inputs for an operator. Several values are a text with commas, which no other input takes.
fn input_of_operator(operator: &str, value_input: &'static str) -> &'static str {
    match operator {
        "isnull" => "select",
        "in" | "nin" | "between" => "text",
        _ => value_input,
    }
}

/// Type of the inputs for values, and the operator that they have without a script.
fn input_of(data_type: DataType) -> (&'static str, &'static str) {
    match data_type {
        DataType::Bool | DataType::Enum(_) => ("select", "eq"),
        DataType::I16 | DataType::I32 | DataType::I64 | DataType::F32 | DataType::F64 => ("number", "range"),
        DataType::Decimal { .. } => ("number", "range"),
        DataType::Date => ("date", "range"),
        DataType::Time => ("time", "range"),
        DataType::Timestamp => ("datetime-local", "range"),
        DataType::Text => ("text", "icontains"),
        DataType::Bytes | DataType::Uuid => ("text", "eq"),
        DataType::Json => ("select", "isnull"),
    }
}

fn options(data_type: DataType, operator: &str) -> Vec<FilterOption> {
    let option = |value: &str, label: &str| FilterOption {
        value: value.to_owned(),
        label: label.to_owned(),
    };
    match data_type {
        _ if operator == "isnull" => vec![option("true", "Empty"), option("false", "Not empty")],
        DataType::Bool => vec![option("true", "Yes"), option("false", "No")],
        DataType::Enum(names) => names.iter().map(|name| option(name, name)).collect(),
        _ => Vec::new(),
    }
}
