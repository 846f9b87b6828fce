//! Continuation after a write: the message that names the object, and the pages that can be opened next.

use serde::Serialize;

use crate::description::ActionDescription;
use crate::pages::labels::text_of;
use crate::pages::naming;
use crate::pages::page_json::PageJson;
use crate::pages::site::{self, Site};
use crate::pages::urls::{self, PageQuery, same_shape};
use crate::routing::Operation;

/// Continuation after an object is written by a form.
#[derive(Debug, Serialize, Default)]
pub(crate) struct AfterWrite {
    pub(crate) object: WrittenObject,
    /// Field of the response that names the object; empty if there is none.
    pub(crate) label_name: String,
    /// Path of the items before their keys, to open the object; empty if it has no page.
    pub(crate) item_url: String,
    /// Field of the response with the key in the URL.
    pub(crate) key_name: String,
    /// Query of the form that changes the object; empty if the caller cannot change it.
    pub(crate) edit_query: String,
    /// URL of the form for another object; empty if the caller cannot create one.
    pub(crate) another_url: String,
    /// Fields that pages show of a created object, separated by spaces. Other members of the response, such as a secret,
    /// are shown once. Empty if nothing is created.
    pub(crate) known: String,
}

/// Object as a message names it: "Article “Snow”", or "Article #7".
#[derive(Debug, Serialize, Default)]
pub(crate) struct WrittenObject {
    /// Model in words; empty if no object is written.
    pub(crate) model: String,
    pub(crate) label: String,
    pub(crate) key: String,
}

impl WrittenObject {
    /// Names an existing object.
    pub(crate) fn of(site: &Site<'_>, item: &ActionDescription, object: &PageJson<'_>) -> Self {
        let Some(schema) = item.response.as_deref() else {
            return Self::default();
        };
        let label = site.label_name(item, schema).and_then(|name| object.get(name));
        let key = site.key_name(item, schema).and_then(|name| object.get(name));
        Self {
            model: naming::words(schema.model),
            label: label.and_then(text_of).unwrap_or_default().into_owned(),
            key: key.and_then(site::key_text).unwrap_or_default().into_owned(),
        }
    }
}

impl AfterWrite {
    /// Continuation after an object of a list is created.
    pub(crate) fn created(site: &Site<'_>, list: &ActionDescription, create: &ActionDescription) -> Self {
        let request = site.request;
        let query = PageQuery(request.query.clone()).with("_view", "new");
        let mut after = Self {
            another_url: with_next(site, query).url(&request.path),
            ..Self::default()
        };
        after.object.model = naming::words(create.model.unwrap_or("Object"));
        let Some(schema) = create.response.as_deref() else {
            return after;
        };
        after.label_name = site.label_name(create, schema).unwrap_or_default().to_owned();
        let item = site.item_of_list(list);
        let item = item.filter(|item| site.action(&item.route.url, "GET").is_some());
        let readable = item.and_then(|item| item.response.as_deref());
        let readable = readable.or(list.response.as_deref());
        let names = readable.iter().flat_map(|schema| &schema.output);
        let names: Vec<&str> = names.map(|field| field.name.as_str()).collect();
        after.known = names.join(" ");
        if let Some((item, key)) = item.and_then(|item| Some((item, site.key_name(item, schema)?))) {
            after.item_url = format!("{}/", request.path.trim_end_matches('/'));
            key.clone_into(&mut after.key_name);
            let change = ["PATCH", "PUT"].map(|method| site.action(&item.route.url, method));
            if change.iter().any(Option::is_some) {
                after.edit_query = edit_query(site);
            }
        }
        after
    }

    /// Continuation after the object of the request is changed.
    pub(crate) fn changed(site: &Site<'_>, object: &PageJson<'_>) -> Self {
        let request = site.request;
        let Some(item) = request.action.as_deref() else {
            return Self::default();
        };
        let mut after = Self {
            object: WrittenObject::of(site, item, object),
            edit_query: edit_query(site),
            ..Self::default()
        };
        let Some((schema, (list, own))) = item
            .response
            .as_deref()
            .zip(request.path.trim_end_matches('/').rsplit_once('/'))
        else {
            return after;
        };
        after.label_name = site.label_name(item, schema).unwrap_or_default().to_owned();
        // A change of the key moves the object to another URL.
        let mut segment = String::new();
        urls::push_segment(&mut segment, &after.object.key);
        if segment == own {
            after.item_url = format!("{list}/");
            let key = site.key_name(item, schema);
            after.key_name = key.unwrap_or_default().to_owned();
        }
        if creates_siblings(site, item) {
            let query = PageQuery::default().with("_view", "new");
            after.another_url = with_next(site, query).url(list);
        }
        after
    }
}

/// Query of the form that changes an object.
fn edit_query(site: &Site<'_>) -> String {
    with_next(site, PageQuery::default().with("_view", "edit")).url("")
}

/// Query that also leads to where this page leads to.
fn with_next(site: &Site<'_>, query: PageQuery) -> PageQuery {
    match &site.request.next {
        Some(next) => query.with("_next", next.clone()),
        None => query,
    }
}

/// Whether the list above an item has a form for new objects.
pub(crate) fn creates_siblings(site: &Site<'_>, item: &ActionDescription) -> bool {
    let Some((list, _)) = item.route.url.rsplit_once('/') else {
        return false;
    };
    let has = |operation| {
        let mut actions = site.api.actions.iter();
        actions.any(|action| action.route.operation == Some(operation) && same_shape(&action.route.url, list))
    };
    has(Operation::List) && has(Operation::Create)
}
