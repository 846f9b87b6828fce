//! Pages with a form that creates or changes an object.

use std::borrow::Cow;

use futures_util::future::join;
use model_resource_schema::serializer::ObjectSchema;
use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::content::{Fetch, FetchedResponse};
use crate::pages::form::after_write::AfterWrite;
use crate::pages::form::field::{FormField, InitialValues, form_fields};
use crate::pages::frame::Frame;
use crate::pages::labels::{Labels, ReferencedKeys, contained};
use crate::pages::naming;
use crate::pages::page_json::PageJson;
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
    let labels = labels_of(site, action, object, fetch);
    let (permission, labels) = join(RowPermission::to_change(site, fetch), labels).await;
    if permission != RowPermission::Granted {
        return None;
    }
    let values = InitialValues {
        object: Some(object),
        copied: None,
        query: &[],
        labels: &labels,
    };
    let title = format!("Edit {label}");
    let form = PageForm {
        heading: title.clone(),
        method: action.route.method.clone(),
        url: request.path.clone(),
        envelope: one_envelope(Some(schema)),
        is_view: false,
        is_partial: action.route.method == "PATCH",
        groups: form_groups(site, action, form_fields(site, action, schema, &values)),
        submit: "Save".to_owned(),
        cancel_url: request.next.clone().unwrap_or_else(|| request.path.clone()),
        next_url: request.next.clone().unwrap_or_default(),
        after: AfterWrite::changed(site, object),
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
    let source = source(site, fetch).await;
    let source = source.as_ref().map(FetchedResponse::json);
    let item = site.item_of_list(list);
    let copied = source.as_ref().and_then(|source| {
        let schema = item.and_then(|item| item.response.as_deref());
        site::single_object(source, schema)
    });
    let mut keys = ReferencedKeys::new();
    for input in &schema.input {
        let given = request.query.iter().find(|(name, _)| *name == input.name);
        let given = given.map(|(_, key)| key.clone());
        let copied = copied.and_then(|copied| site::key_text(copied.get(&input.name)?));
        let key = given.or_else(|| copied.map(Cow::into_owned));
        if let Some((model, key)) = input.references.zip(key) {
            keys.entry(model).or_default().insert(key);
        }
    }
    let labels = Labels::load(site, fetch, keys, &[]).await;
    let values = InitialValues {
        object: None,
        copied,
        query: &request.query,
        labels: &labels,
    };
    let model = naming::words(schema.model).to_lowercase();
    let title = format!("New {model}");
    let form = PageForm {
        heading: title.clone(),
        method: "POST".to_owned(),
        url: request.path.clone(),
        envelope: one_envelope(Some(schema)),
        is_view: false,
        is_partial: false,
        groups: form_groups(site, action, form_fields(site, action, schema, &values)),
        submit: "Create".to_owned(),
        cancel_url: request.next.clone().unwrap_or_else(|| request.path.clone()),
        next_url: request.next.clone().unwrap_or_default(),
        after: AfterWrite::created(site, list, action),
    };
    let frame = Frame::new(pages, site, title).of_form("New");
    Some(FormPage { frame, form })
}

/// Object that a new one begins as a copy of, if the caller can read it.
async fn source(site: &Site<'_>, fetch: &dyn Fetch) -> Option<FetchedResponse> {
    let key = site.request.from.as_deref()?;
    let mut path = format!("{}/", site.path().trim_end_matches('/'));
    push_segment(&mut path, key);
    let source = fetch.get(path).await;
    source.status.is_success().then_some(source)
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

/// Labels of the objects that an object references.
async fn labels_of(
    site: &Site<'_>,
    action: &ActionDescription,
    object: &PageJson<'_>,
    fetch: &dyn Fetch,
) -> Labels {
    let mut keys = ReferencedKeys::new();
    for input in action.request.iter().flat_map(|schema| &schema.input) {
        let key = object.get(&input.name).and_then(site::key_text);
        if let Some((model, key)) = input.references.zip(key) {
            keys.entry(model).or_default().insert(key.into_owned());
        }
    }
    let rows = std::slice::from_ref(object);
    let response = site
        .request
        .action
        .as_ref()
        .and_then(|action| action.response.clone());
    let known = response.as_deref().map(|schema| contained(rows, schema));
    Labels::load(site, fetch, keys, &known.unwrap_or_default()).await
}
