//! Page of a view or of a URL without GET.

use std::sync::Arc;

use minijinja::Value as Html;
use serde::Serialize;
use serde_json::Value;

use crate::description::ActionDescription;
use crate::pages::content::{Fetch, PageContent, PageRequest};
use crate::pages::form::{FormField, FormGroup, InitialValues, PageForm, form_fields, one_envelope};
use crate::pages::format::push_json;
use crate::pages::frame::{Frame, account_url, endpoint, password_url};
use crate::pages::labels::Labels;
use crate::pages::required_headers::{requires_key, requires_version};
use crate::pages::settings::CompiledPages;
use crate::pages::site::{self, Site};
use crate::pages::view::schema_fields::schema_fields;

const PASSWORD_TITLE: &str = "Change password";

/// Page of a view.
#[derive(Serialize)]
pub(crate) struct ViewPage {
    frame: Frame,
    is_login: bool,
    description: String,
    /// Response of GET.
    json: Option<Html>,
    forms: Vec<PageForm>,
}

/// Makes the page of a view. `None` if the caller can neither read it nor send anything to it.
pub(crate) async fn view_page(
    pages: &CompiledPages,
    site: &Site<'_>,
    content: &PageContent<'_>,
    fetch: &dyn Fetch,
) -> Option<ViewPage> {
    let request = site.request;
    let login = pages.login.as_ref().map(|login| endpoint(site, login));
    let is_login = login.as_deref() == Some(request.path.as_str());
    let mut forms: Vec<PageForm> = writes_of(request)
        .map(|action| view_form(site, action, is_login))
        .collect();
    for (form, action) in forms.iter_mut().zip(writes_of(request)) {
        form.version = restored_version(site, action, fetch).await;
    }
    let is_password = password_url(pages, site).as_deref() == Some(request.path.as_str());
    if let Some(form) = forms.first_mut().filter(|_| is_password) {
        PASSWORD_TITLE.clone_into(&mut form.submit);
        form.next_url = account_url(pages, site).unwrap_or_default();
    }
    let is_read = content.status.is_success();
    if forms.is_empty() && !is_read {
        return None;
    }
    let first = request.action.as_ref().or_else(|| request.actions.first())?;
    let title = if is_login {
        "Log in".to_owned()
    } else if is_password {
        PASSWORD_TITLE.to_owned()
    } else {
        site::url_title(&first.route.url)
    };
    Some(ViewPage {
        is_login,
        description: if is_login {
            String::new()
        } else {
            first.summary.clone()
        },
        json: is_read.then(|| {
            let mut out = String::new();
            push_json(&mut out, &content.json);
            Html::from_safe_string(out)
        }),
        forms,
        frame: Frame::new(pages, site, title),
    })
}

/// Actions of a URL that have a form.
fn writes_of(request: &PageRequest) -> impl Iterator<Item = &ActionDescription> {
    let actions = request.actions.iter().map(Arc::as_ref);
    actions.filter(|action| !matches!(action.route.method.as_str(), "GET" | "HEAD"))
}

/// Version of the deleted object that a form restores, if it needs one; else empty.
async fn restored_version(site: &Site<'_>, action: &ActionDescription, fetch: &dyn Fetch) -> String {
    let object = site.path().trim_end_matches('/').rsplit_once('/');
    match object {
        Some((object, _)) if action.restores && requires_version(action) => {
            fetch.get(object.to_owned()).await.version()
        }
        _ => String::new(),
    }
}

fn view_form(site: &Site<'_>, action: &ActionDescription, is_login: bool) -> PageForm {
    let request = site.request;
    let fields = match action.request.as_deref() {
        Some(schema) => {
            let values = InitialValues {
                object: None,
                copied: None,
                related: None,
                query: &request.query,
                labels: &Labels::default(),
            };
            form_fields(site, action, schema, &values)
        }
        None => schema_fields(body_schema(action), is_login),
    };
    let mut fields = if fields.is_empty() {
        body_field(action)
    } else {
        fields
    };
    repeat_new_password(&mut fields);
    if let Some(account) = account_field(site, &fields) {
        fields.insert(0, account);
    }
    let next = request.next.clone();
    let next = if is_login {
        next.or_else(|| Some(site.href(&site.overview())))
    } else {
        next
    };
    PageForm {
        heading: if is_login {
            String::new()
        } else {
            action.summary.clone()
        },
        method: action.route.method.clone(),
        url: request.path.clone(),
        envelope: one_envelope(action.request.as_deref()),
        is_view: true,
        is_keyed: requires_key(action),
        submit: if is_login {
            "Log in".to_owned()
        } else {
            submit(action)
        },
        groups: vec![FormGroup {
            title: String::new(),
            fields,
        }],
        next_url: next.unwrap_or_default(),
        ..PageForm::default()
    }
}

/// Schema of a view's body, if it has one.
fn body_schema(action: &ActionDescription) -> Option<&Value> {
    action.handler.as_ref()?.body.as_ref()
}

/// Field for the whole body, if its members are unknown.
fn body_field(action: &ActionDescription) -> Vec<FormField> {
    let Some(schema) = body_schema(action).filter(|schema| schema.get("properties").is_none()) else {
        return Vec::new();
    };
    let help = schema.get("description").and_then(Value::as_str);
    vec![FormField {
        label: "Body".to_owned(),
        help: help.unwrap_or("A JSON document.").to_owned(),
        control: "json",
        json_type: "whole",
        is_wide: true,
        ..FormField::default()
    }]
}

/// Adds a field that repeats a new password, which nobody sees while typing.
fn repeat_new_password(fields: &mut Vec<FormField>) {
    let is_password = |field: &FormField| field.control == "password";
    let is_new = |field: &FormField| is_password(field) && field.name.to_lowercase().contains("new");
    let Some(position) = fields.iter().position(is_new) else {
        return;
    };
    for field in fields.iter_mut().filter(|field| is_password(field)) {
        if is_new(field) {
            field.autocomplete = "new-password";
        } else if field.name == "password" {
            "Current password".clone_into(&mut field.label);
        }
    }
    let new = &fields[position];
    let repeated = FormField {
        name: format!("{}-repeated", new.name),
        label: format!("{} again", new.label),
        control: "repeat",
        value: new.name.clone(),
        ..FormField::default()
    };
    fields.insert(position + 1, repeated);
}

/// Name of the account that a new password belongs to, for the browser's password manager.
fn account_field(site: &Site<'_>, fields: &[FormField]) -> Option<FormField> {
    let has_password = fields.iter().any(|field| field.control == "password");
    let name = site.request.caller.name().filter(|_| has_password)?;
    Some(FormField {
        control: "account",
        value: name.to_owned(),
        ..FormField::default()
    })
}

fn submit(action: &ActionDescription) -> String {
    match action.route.method.as_str() {
        "POST" if action.request.is_some() => "Create".to_owned(),
        "DELETE" => "Delete".to_owned(),
        _ => "Send".to_owned(),
    }
}
