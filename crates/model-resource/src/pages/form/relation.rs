//! Relations that a form writes with their object: chosen objects of a many-to-many relation, and lines.

use std::borrow::Cow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{
    InputSchema, NestedObjects, NestedSchema, NestedValue, ObjectSchema,
};

use crate::description::{ActionDescription, first_sentence};
use crate::pages::content::{Fetch, FetchedResponse};
use crate::pages::form::field::{InitialValues, labelled_field};
use crate::pages::form::form_field::{
    ChosenLink, FormField, FormLine, LineHeading, LineTable, RelationAccess,
};
use crate::pages::labels::ReferencedKeys;
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::reference::ReferenceSearch;
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;

/// Maximum fields of a line that are shown beside each other.
const MAX_BESIDE: usize = 6;

/// Fields of the relations that a body may have. Those of an existing object that could not be read are left out.
pub(crate) fn relation_fields(
    site: &Site<'_>,
    action: &ActionDescription,
    schema: &ObjectSchema,
    values: &InitialValues<'_>,
) -> Vec<FormField> {
    let fields = schema.nested.iter().filter_map(|nested| {
        let objects = match (values.relation(nested.name), values.object) {
            (_, None) if !nested.can_add => return None,
            (Some(objects), _) => objects.as_array()?,
            (None, None) => &[],
            (None, Some(_)) => return None,
        };
        let mut field = FormField {
            name: nested.name.to_owned(),
            label: site.field_label(action, nested.name, &naming::words(nested.name), None),
            help: first_sentence(nested.description),
            is_wide: true,
            access: RelationAccess {
                can_add: nested.can_add,
                can_remove: nested.can_remove,
            },
            ..FormField::default()
        };
        match &nested.value {
            NestedValue::Links(input) => add_links(&mut field, site, nested, input, objects, values),
            NestedValue::Objects(lines) => add_lines(&mut field, site, nested, lines, objects, values)?,
            _ => return None,
        }
        Some(field)
    });
    fields.collect()
}

/// Makes a field for the links of a many-to-many relation.
fn add_links(
    field: &mut FormField,
    site: &Site<'_>,
    nested: &NestedSchema,
    input: &InputSchema,
    objects: &[PageJson<'_>],
    values: &InitialValues<'_>,
) {
    let is_number = matches!(input.data_type, DataType::I16 | DataType::I32 | DataType::I64);
    field.control = "links";
    field.json_type = if is_number { "number" } else { "string" };
    field.reference = ReferenceSearch::by(site, nested.model, &input.name);
    let linked: Vec<&PageJson<'_>> = objects
        .iter()
        .filter_map(|object| link_value(object, input))
        .collect();
    if values.object.is_some() {
        field.original = format!("[{}]", texts(&linked).join(","));
    }
    let chosen = linked.into_iter().map(|value| {
        let text = site::key_text(value).unwrap_or_default();
        ChosenLink {
            value: value.to_string(),
            label: values
                .labels
                .label(nested.model, &text)
                .unwrap_or(&text)
                .to_owned(),
            link: values.labels.link(nested.model, &text).unwrap_or_default(),
        }
    });
    field.links = chosen.collect();
}

fn texts(values: &[&PageJson<'_>]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

/// Value that names a linked object: its own, or a member of the object that is shown instead.
fn link_value<'v>(object: &'v PageJson<'v>, input: &InputSchema) -> Option<&'v PageJson<'v>> {
    if object.is_object() {
        object.get(&input.name)
    } else {
        Some(object)
    }
}

/// Makes a field for the objects of a relation. `None` if existing ones have no visible key.
fn add_lines(
    field: &mut FormField,
    site: &Site<'_>,
    nested: &NestedSchema,
    schema: &NestedObjects,
    objects: &[PageJson<'_>],
    values: &InitialValues<'_>,
) -> Option<()> {
    let key = schema.update.iter().find(|input| input.is_required)?;
    let own = site.collection(nested.model);
    let line = |inputs: &[InputSchema], line: &InitialValues<'_>, key: String| {
        let inputs = inputs.iter().filter(|input| input.preset.is_none());
        let fields = inputs.map(|input| labelled_field(site, own, input, line));
        let fields = fields.collect();
        FormLine { key, fields }
    };
    let new = |copied| InitialValues {
        object: None,
        copied,
        related: None,
        query: &[],
        labels: values.labels,
    };
    let changes: Vec<InputSchema> = others(&schema.update, &key.name).cloned().collect();
    let mut blank = line(&schema.create, &new(None), String::new());
    let mut lines = Vec::with_capacity(objects.len());
    for object in objects {
        lines.push(if values.object.is_some() {
            let existing = InitialValues {
                object: Some(object),
                ..new(None)
            };
            line(&changes, &existing, object.get(&key.name)?.to_string())
        } else {
            object.is_object().then_some(())?;
            line(&schema.create, &new(Some(object)), String::new())
        });
    }
    let headings = headings(&mut blank, &mut lines);
    if values.object.is_some() && !nested.can_change {
        let fields = lines.iter_mut().flat_map(|line| &mut line.fields);
        fields.for_each(|field| field.control = "fixed");
    }
    let is_document = |field: &FormField| field.control == "json";
    field.control = "lines";
    field.lines = Some(LineTable {
        key: key.name.clone(),
        is_stacked: headings.len() > MAX_BESIDE || blank.fields.iter().any(is_document),
        headings,
        lines,
        blank,
    });
    number(field);
    Some(())
}

fn others<'i>(inputs: &'i [InputSchema], key: &'i str) -> impl Iterator<Item = &'i InputSchema> {
    inputs.iter().filter(move |input| input.name != key)
}

/// Takes the help of the fields, which one heading has for all lines. A line without a field that others have gets an
/// empty one.
fn headings(blank: &mut FormLine, lines: &mut [FormLine]) -> Vec<LineHeading> {
    let headings = blank.fields.iter().map(|field| LineHeading {
        label: field.label.clone(),
        help: field.help.clone(),
        is_required: field.is_required,
    });
    let headings = headings.collect();
    for line in lines.iter_mut() {
        let mut own = std::mem::take(&mut line.fields);
        let names = blank.fields.iter().map(|field| &field.name);
        let fields = names.map(|name| {
            let position = own.iter().position(|field| field.name == *name);
            position.map_or_else(FormField::default, |position| own.swap_remove(position))
        });
        line.fields = fields.collect();
    }
    let all = lines.iter_mut().chain([blank]);
    for field in all.flat_map(|line| &mut line.fields) {
        field.help.clear();
        field.is_wide = false;
    }
    headings
}

/// Gives the fields of all lines ids of their own. A script puts the number of an added line in place of `new`.
fn number(field: &mut FormField) {
    let Some(table) = &mut field.lines else {
        return;
    };
    for (position, line) in table.lines.iter_mut().enumerate() {
        for cell in &mut line.fields {
            cell.id = format!("{}-{position}-{}", field.name, cell.name);
        }
    }
    for cell in &mut table.blank.fields {
        cell.id = format!("{}-new-{}", field.name, cell.name);
    }
}

/// Reads the relations of the object at a path that a body may have and that its response does not show.
pub(crate) async fn fetch_related(
    path: &str,
    response: Option<&ObjectSchema>,
    nested: &[NestedSchema],
    fetch: &dyn Fetch,
) -> Option<FetchedResponse> {
    let shown = response.into_iter().flat_map(|schema| &schema.output);
    let expandable = shown.filter(|field| field.is_expandable);
    let names = expandable.map(|field| field.name.as_str());
    let names: Vec<&str> = names
        .filter(|name| nested.iter().any(|nested| nested.name == *name))
        .collect();
    if names.is_empty() {
        return None;
    }
    let names = names.join(",");
    let query = PageQuery::default()
        .with("expand", names.as_str())
        .with("fields", names.as_str());
    let related = fetch.get(query.url(path)).await;
    related.status.is_success().then_some(related)
}

/// Adds the keys of the objects that a relation links, and of those that its lines reference.
pub(crate) fn add_related_keys(
    site: &Site<'_>,
    nested: &NestedSchema,
    objects: &PageJson<'_>,
    keys: &mut ReferencedKeys,
) {
    let mut add = |model, key: Option<Cow<'_, str>>| {
        if let Some(key) = key {
            keys.entry(model).or_default().insert(key.into_owned());
        }
    };
    for object in objects.as_array().unwrap_or_default() {
        match &nested.value {
            NestedValue::Links(input) => {
                let model = site.api.model(nested.model);
                if model.and_then(|model| model.key.as_deref()) == Some(input.name.as_str()) {
                    add(
                        nested.model,
                        link_value(object, input).and_then(|value| site::key_text(value)),
                    );
                }
            }
            NestedValue::Objects(lines) => {
                for input in &lines.create {
                    if let Some(model) = input.references {
                        add(model, object.get(&input.name).and_then(site::key_text));
                    }
                }
            }
            _ => {}
        }
    }
}
