//! Pages with a form that creates or changes an object.

use std::borrow::Cow;

use futures_util::future::{join, join3};
use model_resource_schema::serializer::ObjectSchema;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::{Fetch, FetchedResponse};
use crate::pages::form::after_write::AfterWrite;
use crate::pages::form::field::{InitialValues, form_fields};
use crate::pages::form::form_field::FormField;
use crate::pages::form::relation::{add_related_keys, fetch_related, relation_fields};
use crate::pages::frame::Frame;
use crate::pages::labels::{Labels, ReferencedKeys, contained};
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::required_headers::requires_key;
use crate::pages::row_permission::RowPermission;
use crate::pages::settings::CompiledPages;
use crate::pages::site::{self, Site};
use crate::pages::urls::push_segment;

/// Page with a form.
#[derive(Serialize)]
pub(crate) struct FormPage {
    frame: Frame,
    form: PageForm,
}

/// Form that a script sends as JSON.
#[derive(Debug, Serialize, Default)]
pub(crate) struct PageForm {
    pub(crate) heading: String,
    pub(crate) method: String,
    pub(crate) url: String,
    /// Envelope of the object; empty if there is none.
    pub(crate) envelope: String,
    /// Whether it calls a view, whose response is shown.
    pub(crate) is_view: bool,
    /// Whether only changed fields are sent.
    pub(crate) is_partial: bool,
    /// Whether it is sent with an `Idempotency-Key`.
    pub(crate) is_keyed: bool,
    /// Version of the object that it is about, if it is not read again; else empty.
    pub(crate) version: String,
    /// Relations that the form writes, and that the object shows only on request; separated by commas.
    pub(crate) expand: String,
    pub(crate) groups: Vec<FormGroup>,
    pub(crate) submit: String,
    pub(crate) cancel_url: String,
    /// Page to open afterwards; empty for the one of the written object.
    pub(crate) next_url: String,
    pub(crate) after: AfterWrite,
}

/// Fields under a heading.
#[derive(Debug, Serialize)]
pub(crate) struct FormGroup {
    pub(crate) title: String,
    pub(crate) fields: Vec<FormField>,
}

/// Makes the form that changes an object. `None` if the caller cannot change it.
pub(crate) async fn edit_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    object: &PageJson<'_>,
    label: &str,
    fetch: &dyn Fetch,
) -> Option<FormPage> {
    let request = site.request;
    let action = request.action_of("PATCH").or_else(|| request.action_of("PUT"))?;
    let schema = action.request.as_deref()?;
    let response = request.action.as_ref().and_then(|action| action.response.clone());
    let (permission, frozen, related) = join3(
        RowPermission::to_change(site, fetch),
        fetch.frozen_fields(site.path().to_owned()),
        fetch_related(site.path(), response.as_deref(), &schema.nested, fetch),
    )
    .await;
    if permission != RowPermission::Granted {
        return None;
    }
    let related = related.as_ref().map(FetchedResponse::json);
    let related = related
        .as_ref()
        .and_then(|related| site::single_object(related, response.as_deref()));
    let unlabelled = InitialValues {
        object: Some(object),
        copied: None,
        related,
        query: &[],
        labels: &Labels::default(),
    };
    let labels = load_labels(site, schema, response.as_deref(), &unlabelled, fetch).await;
    let values = InitialValues {
        labels: &labels,
        ..unlabelled
    };
    let title = format!("Edit {label}");
    let is_partial = action.route.method == "PATCH";
    let mut fields = all_fields(site, action, schema, &values);
    let is_frozen = |field: &&mut FormField| is_partial && frozen.contains(&field.name);
    fields.iter_mut().filter(is_frozen).for_each(FormField::fix);
    let form = PageForm {
        heading: title.clone(),
        method: action.route.method.clone(),
        url: request.path.clone(),
        envelope: one_envelope(Some(schema)),
        is_partial,
        is_keyed: requires_key(action),
        expand: expanded(schema, related),
        groups: form_groups(site, action, fields),
        submit: "Save".to_owned(),
        cancel_url: request.next.clone().unwrap_or_else(|| request.path.clone()),
        next_url: request.next.clone().unwrap_or_default(),
        after: AfterWrite::changed(site, object),
        ..PageForm::default()
    };
    let frame = Frame::new(pages, site, title).of_object(label).of_form("Edit");
    Some(FormPage { frame, form })
}

/// Makes the form that creates an object in a list. `None` if the caller cannot create one.
pub(crate) async fn new_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    list: &ActionDescription,
    fetch: &dyn Fetch,
) -> Option<FormPage> {
    let request = site.request;
    let action = request.action_of("POST")?;
    let schema = action.request.as_deref()?;
    let item = site.item_of_list(list);
    let response = item.and_then(|item| item.response.as_deref());
    let source = source(site, response, schema, fetch).await;
    let (source, related) = source
        .map(|(source, related)| (Some(source), related))
        .unwrap_or_default();
    let source = source.as_ref().map(FetchedResponse::json);
    let copied = source
        .as_ref()
        .and_then(|source| site::single_object(source, response));
    let related = related.as_ref().map(FetchedResponse::json);
    let related = related
        .as_ref()
        .and_then(|related| site::single_object(related, response));
    let unlabelled = InitialValues {
        object: None,
        copied,
        related,
        query: &request.query,
        labels: &Labels::default(),
    };
    let labels = load_labels(site, schema, response, &unlabelled, fetch).await;
    let values = InitialValues {
        labels: &labels,
        ..unlabelled
    };
    let model = naming::words(schema.model).to_lowercase();
    let title = format!("New {model}");
    let form = PageForm {
        heading: title.clone(),
        method: "POST".to_owned(),
        url: request.path.clone(),
        envelope: one_envelope(Some(schema)),
        is_keyed: requires_key(action),
        groups: form_groups(site, action, all_fields(site, action, schema, &values)),
        submit: "Create".to_owned(),
        cancel_url: request.next.clone().unwrap_or_else(|| request.path.clone()),
        next_url: request.next.clone().unwrap_or_default(),
        after: AfterWrite::created(site, list, action),
        ..PageForm::default()
    };
    let frame = Frame::new(pages, site, title).of_form("New");
    Some(FormPage { frame, form })
}

/// Fields of an object and of its relations.
fn all_fields(
    site: &Site<'_>,
    action: &ActionDescription,
    schema: &ObjectSchema,
    values: &InitialValues<'_>,
) -> Vec<FormField> {
    let mut fields = form_fields(site, action, schema, values);
    fields.extend(relation_fields(site, action, schema, values));
    fields
}

/// Relations that a form writes, of those that were read on request.
fn expanded(schema: &ObjectSchema, related: Option<&PageJson<'_>>) -> String {
    let names = schema.nested.iter().map(|nested| nested.name);
    let names = names.filter(|name| related.is_some_and(|related| related.get(name).is_some()));
    names.collect::<Vec<_>>().join(",")
}

/// Object that a new one begins as a copy of, if the caller can read it, and its relations.
async fn source(
    site: &Site<'_>,
    response: Option<&ObjectSchema>,
    schema: &ObjectSchema,
    fetch: &dyn Fetch,
) -> Option<(FetchedResponse, Option<FetchedResponse>)> {
    let key = site.request.from.as_deref()?;
    let mut path = format!("{}/", site.path().trim_end_matches('/'));
    push_segment(&mut path, key);
    let related = fetch_related(&path, response, &schema.nested, fetch);
    let (source, related) = join(fetch.get(path.clone()), related).await;
    source.status.is_success().then_some((source, related))
}

/// Name of the envelope of one object; empty if there is none.
pub(crate) fn one_envelope(schema: Option<&ObjectSchema>) -> String {
    let envelope = schema.and_then(|schema| schema.envelope.as_ref());
    envelope.map(|envelope| envelope.one.clone()).unwrap_or_default()
}

/// Puts the fields under the headings of the resource's options.
pub(crate) fn form_groups(
    site: &Site<'_>,
    action: &ActionDescription,
    fields: Vec<FormField>,
) -> Vec<FormGroup> {
    let grouped = match site.options(action) {
        Some(options) => options.grouped(fields, |field| &field.name),
        None => vec![(String::new(), fields)],
    };
    let groups = grouped.into_iter();
    groups
        .map(|(title, fields)| FormGroup { title, fields })
        .collect()
}

/// Labels of the objects that the values of a form reference.
async fn load_labels(
    site: &Site<'_>,
    schema: &ObjectSchema,
    response: Option<&ObjectSchema>,
    values: &InitialValues<'_>,
    fetch: &dyn Fetch,
) -> Labels {
    let mut keys = ReferencedKeys::new();
    let object = values.object.or(values.copied);
    for input in &schema.input {
        let given = values.query.iter().find(|(name, _)| *name == input.name);
        let given = given.map(|(_, key)| Cow::Borrowed(key.as_str()));
        let current = || site::key_text(object?.get(&input.name)?);
        if let Some((model, key)) = input.references.zip(given.or_else(current)) {
            keys.entry(model).or_default().insert(key.into_owned());
        }
    }
    for nested in &schema.nested {
        if let Some(objects) = values.relation(nested.name) {
            add_related_keys(site, nested, objects, &mut keys);
        }
    }
    let shown = object.into_iter().chain(values.related);
    let known: Vec<_> = shown
        .zip(std::iter::repeat(response))
        .filter_map(|(object, schema)| Some(contained(std::slice::from_ref(object), schema?)))
        .flatten()
        .collect();
    Labels::load(site, fetch, keys, &known).await
}
