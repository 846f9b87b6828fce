//! Fields for the inputs of an object: the control that fits the type, with its constraints and its value.

use std::borrow::Cow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{InputSchema, ObjectSchema};

use crate::description::{ActionDescription, first_sentence};
use crate::pages::form::form_field::FormField;
use crate::pages::format::decoded_length;
use crate::pages::labels::Labels;
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::reference::ReferenceSearch;
use crate::pages::site::{self, Site};

/// Values that a form begins with.
pub(crate) struct InitialValues<'a> {
    /// Object that the form changes.
    pub(crate) object: Option<&'a PageJson<'a>>,
    /// Object that a new one begins as a copy of, without unique values and bytes.
    pub(crate) copied: Option<&'a PageJson<'a>>,
    /// Relations of either that its response does not show.
    pub(crate) related: Option<&'a PageJson<'a>>,
    /// Values of a new object, from the query of the URL.
    pub(crate) query: &'a [(String, String)],
    pub(crate) labels: &'a Labels,
}

impl InitialValues<'_> {
    /// Objects of a relation.
    pub(crate) fn relation(&self, name: &str) -> Option<&PageJson<'_>> {
        let related = || self.related.and_then(|related| related.get(name));
        let shown = self.object.or(self.copied);
        shown.and_then(|object| object.get(name)).or_else(related)
    }
}

/// Fields of a form for an input, without those that the server sets.
pub(crate) fn form_fields(
    site: &Site<'_>,
    action: &ActionDescription,
    schema: &ObjectSchema,
    values: &InitialValues<'_>,
) -> Vec<FormField> {
    let inputs = schema.input.iter().filter(|input| input.preset.is_none());
    let fields = inputs.map(|input| labelled_field(site, Some(action), input, values));
    fields.collect()
}

/// Field for an input of a resource, if it has one, with its label and help.
pub(super) fn labelled_field(
    site: &Site<'_>,
    action: Option<&ActionDescription>,
    input: &InputSchema,
    values: &InitialValues<'_>,
) -> FormField {
    let mut field = form_field(site, input, values);
    field.label = match action {
        Some(action) => site.field_label(action, &input.name, &input.label, input.references),
        None => naming::field_words(&input.name, &input.label, input.references),
    };
    if let Some(options) = action.and_then(|action| site.options(action)) {
        field.help = options.help_of(&field.name).map_or(field.help, str::to_owned);
    }
    add_constraint_help(&mut field, input);
    field
}

fn form_field(site: &Site<'_>, input: &InputSchema, values: &InitialValues<'_>) -> FormField {
    let mut field = FormField {
        name: input.name.clone(),
        help: help(input),
        is_required: input.is_required,
        nullable: input.nullable,
        autocomplete: "off",
        ..FormField::default()
    };
    add_control(&mut field, input);
    if let Some(model) = input.references {
        field.reference = ReferenceSearch::of(site, model);
        if field.reference.is_some() {
            field.control = "reference";
        }
    }
    add_value(&mut field, input, values);
    field
}

/// Documentation of a field, unless it only repeats the name.
fn help(input: &InputSchema) -> String {
    let sentence = first_sentence(input.description);
    let said = sentence.trim_end_matches('.').to_lowercase();
    let mut articles = ["the ", "a ", "an "].iter();
    let said = articles
        .find_map(|article| said.strip_prefix(article))
        .unwrap_or(&said);
    let name = naming::reference_words(&input.name).to_lowercase();
    if said == name || said == input.label.to_lowercase() {
        String::new()
    } else {
        sentence
    }
}

/// Sets the control and its constraints.
fn add_control(field: &mut FormField, input: &InputSchema) {
    let constraints = &input.constraints;
    field.min = constraints.min.clone().unwrap_or_default();
    field.max = constraints.max.clone().unwrap_or_default();
    (field.control, field.json_type) = match input.data_type {
        DataType::Bool if input.nullable => ("select", "boolean"),
        DataType::Bool => ("checkbox", "boolean"),
        DataType::I16 | DataType::I32 | DataType::I64 => ("number", "number"),
        DataType::F32 | DataType::F64 => ("number", "number"),
        DataType::Decimal { .. } => ("text", "string"),
        DataType::Date => ("date", "string"),
        DataType::Time => ("time", "string"),
        DataType::Timestamp => ("datetime-local", "string"),
        DataType::Uuid => ("text", "string"),
        DataType::Json => ("json", "json"),
        DataType::Bytes => ("file", "bytes"),
        DataType::Enum(_) => ("select", "string"),
        DataType::Text if !constraints.choices.is_empty() => ("select", "string"),
        DataType::Text if constraints.is_email => ("email", "string"),
        DataType::Text if input.name.to_lowercase().contains("password") => ("password", "string"),
        DataType::Text if input.is_long_text => ("textarea", "string"),
        DataType::Text => ("text", "string"),
    };
    match input.data_type {
        DataType::Bool => field.options = vec!["true".to_owned(), "false".to_owned()],
        DataType::Enum(names) => field.options = names.iter().map(|name| (*name).to_owned()).collect(),
        DataType::Text => add_text_constraints(field, input),
        DataType::F32 | DataType::F64 => field.step = "any".to_owned(),
        DataType::Decimal { precision, scale } => {
            let digits = precision.saturating_sub(scale);
            field.pattern = format!("-?[0-9]{{1,{digits}}}(\\.[0-9]{{1,{scale}}})?");
            field.pattern_message = format!("Enter a number with at most {scale} decimals, such as 12.5.");
        }
        DataType::Time | DataType::Timestamp => field.step = "1".to_owned(),
        DataType::Uuid => {
            "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}".clone_into(&mut field.pattern);
            "Enter a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057."
                .clone_into(&mut field.pattern_message);
        }
        DataType::I16 | DataType::I32 | DataType::I64 | DataType::Date | DataType::Json | DataType::Bytes => {
        }
    }
    let is_long_line = field.control == "text" && field.max_length.is_some_and(|max| max > 100);
    field.is_wide = is_long_line || matches!(field.control, "textarea" | "json");
}

/// Adds the constraints that an input does not show by itself.
fn add_constraint_help(field: &mut FormField, input: &InputSchema) {
    match input.data_type {
        DataType::Decimal { scale, .. } => field.add_help(&format!("At most {scale} decimals.")),
        DataType::Timestamp => field.add_help("In UTC."),
        _ => {}
    }
    field.add_length_help();
    field.add_range_help();
}

/// Whether a field of an existing object must keep a value. The description says so for new objects only, since a change
/// may leave out every field. An empty text that the api has accepted may stay.
fn needs_value(field: &FormField, input: &InputSchema, current: &PageJson<'_>) -> bool {
    let constraints = &input.constraints;
    let is_limited =
        constraints.is_email || constraints.pattern.is_some() || constraints.min_length > Some(0);
    let takes_empty = match input.data_type {
        DataType::Text => {
            let is_optional = input.default.is_some() || site::key_text(current).as_deref() == Some("");
            field.options.is_empty() && !is_limited && is_optional
        }
        DataType::Json => *current == PageJson::Null,
        DataType::Bool | DataType::Bytes => true,
        _ => false,
    };
    !input.nullable && !takes_empty
}

fn add_text_constraints(field: &mut FormField, input: &InputSchema) {
    let constraints = &input.constraints;
    field.options = constraints
        .choices
        .iter()
        .map(|choice| (*choice).to_owned())
        .collect();
    field.min_length = constraints.min_length;
    field.max_length = constraints.max_length;
    if let Some(pattern) = constraints.pattern.filter(|_| field.control == "text") {
        pattern.clone_into(&mut field.pattern);
    }
    field.autocomplete = match (field.control, input.name.as_str()) {
        ("password", "password") => "current-password",
        ("password", _) => "new-password",
        ("email", _) => "username",
        _ => "off",
    };
}

/// Sets the current value, or that of a new object.
fn add_value(field: &mut FormField, input: &InputSchema, values: &InitialValues<'_>) {
    let current = values.object.and_then(|object| object.get(&input.name));
    if let Some(current) = current {
        field.original = current.to_string();
        field.is_required |= needs_value(field, input, current);
    }
    let given = values.query.iter().find(|(name, _)| *name == input.name);
    let is_copied = given.is_none() && !input.is_unique && input.data_type != DataType::Bytes;
    let copied = values.copied.filter(|_| is_copied);
    let copied = copied.and_then(|copied| copied.get(&input.name));
    let text = match (current.or(copied), given) {
        (Some(PageJson::Null), _) => String::new(),
        (Some(value), _) if input.data_type == DataType::Json => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        (Some(value), _) => site::key_text(value).map_or_else(|| value.to_string(), Cow::into_owned),
        (None, Some((_, given))) => given.clone(),
        (None, None) if values.object.is_none() => input.default.unwrap_or_default().to_owned(),
        (None, None) => String::new(),
    };
    let text = limit_states(field, input, values, text);
    field.value = match field.control {
        "datetime-local" | "time" => {
            let (time, has_fraction) = input_time(&text);
            if has_fraction {
                field.step = "0.001".to_owned();
            }
            time.to_owned()
        }
        "file" if !text.is_empty() => naming::size(decoded_length(&text)),
        _ => text,
    };
    if let Some(model) = input.references {
        let label = values.labels.label(model, &field.value);
        field.shown = label.unwrap_or(&field.value).to_owned();
        field.link = values.labels.link(model, &field.value).unwrap_or_default();
    }
}

/// Leaves the values that the current one may become, or those that a new object may have. Returns the value that the field
/// begins with: a copied one that a new object may not have is left out.
fn limit_states(
    field: &mut FormField,
    input: &InputSchema,
    values: &InitialValues<'_>,
    text: String,
) -> String {
    let transitions = input.transitions;
    if values.object.is_some() {
        if !text.is_empty() {
            field.options.retain(|option| transitions.allow(&text, option));
        }
        return text;
    }
    field.options.retain(|option| transitions.allow_initial(option));
    if transitions.allow_initial(&text) {
        text
    } else {
        input.default.unwrap_or_default().to_owned()
    }
}

/// Time as an input takes it, without a zone and with milliseconds at most, and whether it has a fraction of a second. A
/// browser drops the whole value otherwise.
fn input_time(text: &str) -> (&str, bool) {
    let text = text.trim_end_matches('Z');
    match text.find('.') {
        Some(point) => (text.get(..point + 4).unwrap_or(text), true),
        None => (text, false),
    }
}
