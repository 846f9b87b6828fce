//! Page of an object.

use std::borrow::Cow;

use futures_util::future::join3;
use minijinja::Value as Html;
use model_resource_schema::data_type::DataType;
use model_resource_schema::serializer::{ObjectSchema, OutputValue};
use serde::Serialize;

use crate::description::{ActionDescription, PolicySentence};
use crate::pages::content::{Fetch, FetchedResponse, PageView};
use crate::pages::form::{creates_siblings, one_envelope};
use crate::pages::format::{ValueKind, push_value};
use crate::pages::frame::{Frame, account_url, password_url};
use crate::pages::labels::{Labels, ReferencedKeys, contained, text_of};
use crate::pages::naming;
use crate::pages::object::children::{ChildList, child_lists};
use crate::pages::object::joined::{ShownObject, fetch_joined, is_joined};
use crate::pages::object::related_tables::{
    RelatedTable, add_table_references, related_tables, table_fields,
};
use crate::pages::object::states::StateChanges;
use crate::pages::page_json::PageJson;
use crate::pages::row_permission::{RowPermission, RowPermissions};
use crate::pages::settings::CompiledPages;
use crate::pages::site::{self, Site};
use crate::pages::urls::PageQuery;

/// Page of an object.
#[derive(Serialize)]
pub(crate) struct ObjectPage {
    frame: Frame,
    model: String,
    /// Envelope of the object; empty if there is none.
    envelope: String,
    groups: Vec<ValueGroup>,
    /// Related objects without pages of their own.
    related: Vec<RelatedTable>,
    children: Vec<ChildList>,
    states: Option<StateChanges>,
    edit_url: Option<String>,
    delete_url: Option<String>,
    restore_url: Option<String>,
    /// Forms of the list for a new object, and for one that begins as a copy of this one.
    new_url: Option<String>,
    duplicate_url: Option<String>,
    /// Sentences about what the policy does not let the caller do with this object; empty if it allows everything.
    refusal: Vec<String>,
    /// Whether a login may let the caller change the object.
    offers_login: bool,
    /// Views at URLs below the object that a form calls.
    views: Vec<crate::pages::frame::PageLink>,
}

/// Values under a heading.
#[derive(Serialize)]
struct ValueGroup {
    title: String,
    values: Vec<ShownValue>,
}

/// Value with its label.
#[derive(Serialize)]
struct ShownValue {
    name: String,
    label: String,
    value: Html,
    /// Whether it takes a whole line, whatever its length is, so that objects of a model look alike.
    is_wide: bool,
    /// Whether the value is bytes, which can be saved to a file.
    is_file: bool,
}

/// Makes the page of an object.
pub(crate) async fn object_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    action: &ActionDescription,
    object: &PageJson<'_>,
    version: String,
    fetch: &dyn Fetch,
) -> Option<ObjectPage> {
    let schema = action.response.as_deref()?;
    let request = site.request;
    let (joined, children, permissions) = join3(
        fetch_joined(site, schema, fetch),
        child_lists(site, action, object, fetch),
        RowPermissions::of(site, fetch),
    )
    .await;
    let joined = joined.as_ref().map(FetchedResponse::json);
    let joined = joined
        .as_ref()
        .and_then(|joined| site::single_object(joined, Some(schema)));
    let shown = ShownObject { object, joined };
    let labels = object_labels(site, schema, shown, fetch).await;
    let form_url = |view: &str| {
        let query = PageQuery::default().with("_view", view);
        let next = request.next.clone().map(|next| query.with("_next", next));
        next.unwrap_or(query).url(&request.path)
    };
    let is_own = account_url(pages, site).as_deref() == Some(request.path.as_str());
    let password = password_url(pages, site).filter(|_| is_own);
    let password = password.map(|url| crate::pages::frame::PageLink {
        label: "Change password".to_owned(),
        url,
        is_current: false,
    });
    let title = object_label(site, action, object);
    let model = naming::words(schema.model);
    let mut frame = Frame::new(pages, site, title.clone()).of_object(&title);
    if let Some(notice) = notice(request.view, &permissions) {
        frame.notice = notice;
    }
    Some(ObjectPage {
        envelope: one_envelope(Some(schema)),
        groups: groups(site, action, values(site, action, shown, &labels)),
        related: related_tables(site, action, shown, &labels),
        children,
        states: StateChanges::of(site, action, object, version, &permissions),
        edit_url: (permissions.change == RowPermission::Granted).then(|| form_url("edit")),
        delete_url: (permissions.delete == RowPermission::Granted).then(|| form_url("delete")),
        restore_url: permissions.restore.then(|| restore_url(&request.path)),
        duplicate_url: new_url(site, action, Copied::This),
        new_url: new_url(site, action, Copied::Nothing),
        offers_login: offers_login(site, &permissions),
        refusal: refusal(&permissions, &model, &request.policy_sentences),
        views: views(site, action).into_iter().chain(password).collect(),
        model,
        frame,
    })
}

/// Form that restores a deleted object and leads back to its page.
fn restore_url(path: &str) -> String {
    let query = PageQuery::default().with("_next", path);
    query.url(&format!("{}/restore", path.trim_end_matches('/')))
}

/// Values that the form of a new object begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    /// Values of the object of the page.
    This,
    /// No values.
    Nothing,
}

/// Form of the list above the object for a new one, if the caller may create one.
fn new_url(site: &Site<'_>, item: &ActionDescription, copied: Copied) -> Option<String> {
    if !creates_siblings(site, item) {
        return None;
    }
    let (list, key) = site.request.path.trim_end_matches('/').rsplit_once('/')?;
    let query = PageQuery::default().with("_view", "new");
    if copied == Copied::Nothing {
        return Some(query.url(list));
    }
    let key = percent_encoding::percent_decode_str(key).decode_utf8().ok()?;
    Some(query.with("_from", key).url(list))
}

fn offers_login(site: &Site<'_>, permissions: &RowPermissions) -> bool {
    let request = site.request;
    let granted = RowPermission::Granted;
    request.is_writable
        && !request.caller.is_authenticated()
        && site.pages.login.is_some()
        && permissions.change != granted
        && permissions.delete != granted
}

/// Sentences about what the policy refuses, with its sentences about changes, or all if it is explained in other words.
fn refusal(permissions: &RowPermissions, model: &str, sentences: &[PolicySentence]) -> Vec<String> {
    if permissions.restore {
        return vec![format!("This {} is deleted.", model.to_lowercase())];
    }
    let verbs = permissions.refused();
    if verbs.is_empty() {
        return Vec::new();
    }
    let has_such = sentences.iter().any(|sentence| sentence.is_about_changes);
    let reasons = sentences
        .iter()
        .filter(|sentence| !has_such || sentence.is_about_changes);
    let refused = format!("You may not {verbs} this {}.", model.to_lowercase());
    let reasons = reasons.map(|sentence| sentence.text.clone());
    std::iter::once(refused).chain(reasons).collect()
}

/// Reason why the policy does not give the caller the form that the view asks for.
fn notice(view: PageView, permissions: &RowPermissions) -> Option<&'static str> {
    let refused = RowPermission::Refused;
    match view {
        PageView::Edit if permissions.change == refused => Some("You may not change this."),
        PageView::Delete if permissions.delete == refused => Some("You may not delete this."),
        _ => None,
    }
}

/// Name of an object: the value of its label, or its model and key.
pub(crate) fn object_label(site: &Site<'_>, action: &ActionDescription, object: &PageJson<'_>) -> String {
    let Some(schema) = action.response.as_deref() else {
        return String::new();
    };
    let label = site.label_name(action, schema).and_then(|name| object.get(name));
    if let Some(label) = label.and_then(text_of) {
        return label.into_owned();
    }
    let key = site.primary_key_name(schema).and_then(|name| object.get(name));
    let key = key.and_then(site::key_text).unwrap_or_default();
    format!("{} {key}", naming::words(schema.model))
        .trim_end()
        .to_owned()
}

async fn object_labels(
    site: &Site<'_>,
    schema: &ObjectSchema,
    shown: ShownObject<'_>,
    fetch: &dyn Fetch,
) -> Labels {
    let mut keys = ReferencedKeys::new();
    for field in &schema.output {
        if let ValueKind::Reference(model) | ValueKind::References(model) = ValueKind::of(field)
            && let Some(value) = shown.get(&field.name)
        {
            let found = site::key_texts(value).map(Cow::into_owned);
            keys.entry(model).or_default().extend(found);
        }
    }
    add_table_references(site, schema, shown, &mut keys);
    keys.retain(|_, keys| !keys.is_empty());
    let objects = std::iter::once(shown.object).chain(shown.joined);
    let known: Vec<_> = objects
        .flat_map(|object| contained(std::slice::from_ref(object), schema))
        .collect();
    Labels::load(site, fetch, keys, &known).await
}

/// Values that the response has, without the objects that stand for a foreign key and those in tables.
fn values(
    site: &Site<'_>,
    action: &ActionDescription,
    shown: ShownObject<'_>,
    labels: &Labels,
) -> Vec<ShownValue> {
    let Some(schema) = action.response.as_deref() else {
        return Vec::new();
    };
    let fields = schema.output.iter().filter(|field| {
        let is_reference = matches!(field.value, OutputValue::Related { .. }) && field.is_expandable;
        let is_own = !is_reference || is_joined(site, field);
        is_own && table_fields(site, field).is_none() && shown.get(&field.name).is_some()
    });
    let values = fields.map(|field| {
        let kind = ValueKind::of(field);
        let mut out = String::new();
        push_value(
            &mut out,
            shown.get(&field.name).unwrap_or(&PageJson::Null),
            kind,
            labels,
        );
        ShownValue {
            name: field.name.clone(),
            label: site.field_label(action, &field.name, &field.label, site::reference(field)),
            value: Html::from_safe_string(out),
            is_wide: matches!(
                field.value,
                OutputValue::Column {
                    is_long_text: true,
                    ..
                }
            ),
            is_file: kind == ValueKind::Column(DataType::Bytes)
                && shown.get(&field.name) != Some(&PageJson::Null),
        }
    });
    values.collect()
}

/// Puts the values under the headings of the resource's options.
fn groups(site: &Site<'_>, action: &ActionDescription, values: Vec<ShownValue>) -> Vec<ValueGroup> {
    let grouped = match site.options(action) {
        Some(options) => options.grouped(values, |value| &value.name),
        None => vec![(String::new(), values)],
    };
    let groups = grouped.into_iter();
    groups
        .map(|(title, values)| ValueGroup { title, values })
        .collect()
}

/// Views directly below the object, such as `POST /users/7/disable`.
fn views(site: &Site<'_>, item: &ActionDescription) -> Vec<crate::pages::frame::PageLink> {
    let below = site.api.actions.iter().filter(|action| {
        let parent = action.route.url.rsplit_once('/').map(|(parent, _)| parent);
        action.route.operation.is_none()
            && !action.restores
            && action.route.method == "POST"
            && parent.is_some_and(|parent| crate::pages::urls::same_shape(parent, &item.route.url))
    });
    let links = below.map(|action| crate::pages::frame::PageLink {
        label: site::url_title(&action.route.url),
        url: format!(
            "{}/{}",
            site.request.path.trim_end_matches('/'),
            action.route.url.rsplit('/').next().unwrap_or_default()
        ),
        is_current: false,
    });
    links.collect()
}
