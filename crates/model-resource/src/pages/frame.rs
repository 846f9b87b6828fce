//! Frame of every page: navigation, the caller, and how to get the same as JSON.

use std::sync::Arc;

use model_resource_schema::query::RowScope;
use serde::Serialize;

use crate::access::ActionAccess;
use crate::description::ActionDescription;
use crate::pages::content::{PageRequest, PageView};
use crate::pages::naming;
use crate::pages::settings::CompiledPages;
use crate::pages::site::Site;
use crate::pages::snippets::{Snippet, snippets, snippets_with_token};
use crate::pages::urls::{self, PageQuery};

/// Maximum resources in the navigation; the overview lists all.
const MAX_NAVIGATION: usize = 30;

/// Frame of a page.
#[derive(Debug, Serialize)]
pub(crate) struct Frame {
    pub(crate) app_title: String,
    pub(crate) title: String,
    /// Reason why the page is not the one that was asked for; empty if it is.
    pub(crate) notice: &'static str,
    pub(crate) stylesheet: String,
    pub(crate) script: String,
    pub(crate) csrf_header: String,
    pub(crate) csrf_token: String,
    pub(crate) overview_url: String,
    pub(crate) is_overview: bool,
    pub(crate) navigation: Vec<PageLink>,
    /// Whether the overview has more resources than the navigation.
    pub(crate) has_more: bool,
    pub(crate) crumbs: Vec<Breadcrumb>,
    pub(crate) user: Option<PageUser>,
    pub(crate) login_url: Option<String>,
    pub(crate) logout_url: Option<String>,
    /// URL of this page with its parameters.
    pub(crate) url: String,
    pub(crate) json_url: String,
    pub(crate) snippets: Vec<Snippet>,
    /// Documents that describe the api.
    pub(crate) documents: Vec<PageLink>,
    pub(crate) rules: Vec<String>,
    pub(crate) permissions: Vec<Permission>,
}

/// Link with its label.
#[derive(Debug, Serialize, Clone)]
pub(crate) struct PageLink {
    pub(crate) label: String,
    pub(crate) url: String,
    pub(crate) is_current: bool,
}

/// List or object above a page.
#[derive(Debug, Serialize)]
pub(crate) struct Breadcrumb {
    label: String,
    url: String,
    is_current: bool,
    /// Whether it is an object, which may not exist for the caller.
    #[serde(skip)]
    is_object: bool,
}

/// Caller as the frame shows it.
#[derive(Debug, Serialize)]
pub(crate) struct PageUser {
    pub(crate) name: String,
    pub(crate) roles: String,
    /// Link to the account; empty if there is none that the caller can read.
    pub(crate) url: String,
}

/// Method that the caller may use at this URL.
#[derive(Debug, Serialize)]
pub(crate) struct Permission {
    pub(crate) method: String,
    pub(crate) what: String,
    pub(crate) access: &'static str,
}

impl Frame {
    pub(crate) fn new(pages: &CompiledPages, site: &Site<'_>, title: String) -> Self {
        let request = site.request;
        let query = PageQuery(request.query.clone());
        let url = query.url(&request.path);
        let overview_url = site.href(&site.overview());
        let mut navigation: Vec<PageLink> = navigation(site).collect();
        let has_more = navigation.len() > MAX_NAVIGATION;
        navigation.truncate(MAX_NAVIGATION);
        let absolute_url = format!("{}{}", request.origin, json_source(request));
        Self {
            app_title: pages.title.clone(),
            title,
            notice: notice(request),
            stylesheet: site.href(&asset_path(site, &pages.stylesheet)),
            script: site.href(&asset_path(site, &pages.script)),
            csrf_header: request
                .csrf
                .as_ref()
                .map(|csrf| csrf.header.to_string())
                .unwrap_or_default(),
            csrf_token: request
                .csrf
                .as_ref()
                .map(|csrf| csrf.token.clone())
                .unwrap_or_default(),
            overview_url,
            is_overview: request.is_overview,
            navigation,
            has_more,
            crumbs: crumbs(site),
            user: user(pages, site),
            login_url: pages.login.as_ref().map(|login| login_url(site, login, &url)),
            logout_url: pages.logout.as_ref().map(|logout| endpoint(site, logout)),
            json_url: with_view(&query, "json").url(&request.path),
            snippets: if request.caller.is_authenticated() {
                snippets_with_token(&absolute_url)
            } else {
                snippets(&absolute_url)
            },
            documents: documents(site),
            rules: policy_texts(request),
            permissions: permissions(request),
            url,
        }
    }

    /// Frame of the page of an object, whose label takes the place of its key above the page.
    pub(crate) fn of_object(mut self, label: &str) -> Self {
        if let Some(own) = self.crumbs.last_mut() {
            label.clone_into(&mut own.label);
        }
        self
    }

    /// Frame of a form, which is below the page that it belongs to.
    pub(crate) fn of_form(mut self, label: &str) -> Self {
        self.crumbs.push(Breadcrumb {
            label: label.to_owned(),
            url: String::new(),
            is_current: true,
            is_object: false,
        });
        self
    }

    /// Frame without links to objects, for an error: the objects above the page may not exist for the caller.
    pub(crate) fn without_objects(mut self) -> Self {
        let end = self.crumbs.iter().position(|crumb| crumb.is_object);
        self.crumbs.truncate(end.unwrap_or(self.crumbs.len()));
        self
    }
}

/// URL with every parameter of the page, at which JSON has the same rows and relations.
fn json_source(request: &PageRequest) -> String {
    let mut query = request.query.clone();
    query.extend(request.defaults.iter().cloned());
    PageQuery(query).url(&request.path)
}

/// Path of a static file below the prefix.
fn asset_path(site: &Site<'_>, name: &str) -> String {
    format!("{}{name}", site.overview().trim_end_matches('/'))
}

/// Link to an endpoint that the settings name, with or without the prefix of the api.
pub(crate) fn endpoint(site: &Site<'_>, url: &str) -> String {
    site.href(&endpoint_path(site, url))
}

fn endpoint_path(site: &Site<'_>, url: &str) -> String {
    let prefix = site.overview();
    let prefix = prefix.trim_end_matches('/');
    if url.starts_with(&format!("{prefix}/")) {
        url.to_owned()
    } else {
        format!("{prefix}{url}")
    }
}

fn login_url(site: &Site<'_>, login: &str, next: &str) -> String {
    let request = site.request;
    let login = endpoint(site, login);
    // The page of the login itself leads to where it was called from.
    let next = match &request.next {
        Some(next) if request.path == login => next.as_str(),
        _ if request.path == login => return login,
        _ => next,
    };
    PageQuery(vec![("_next".to_owned(), next.to_owned())]).url(&login)
}

/// Query with a view of the page.
pub(crate) fn with_view(query: &PageQuery, view: &str) -> PageQuery {
    query.with("_view", view)
}

/// Links to the documents that describe the api.
fn documents(site: &Site<'_>) -> Vec<PageLink> {
    let documents = site.request.documents.iter().rev();
    let links = documents.filter_map(|(name, rule)| {
        Some(PageLink {
            label: match *name {
                "docs" => "API documentation".to_owned(),
                "openapi" => "OpenAPI document".to_owned(),
                name => naming::words(name),
            },
            url: site.href(&site.fill(rule, &[])?),
            is_current: false,
        })
    });
    links.collect()
}

fn navigation(site: &Site<'_>) -> impl Iterator<Item = PageLink> {
    let path = site.path();
    site.shown_collections().filter_map(move |action| {
        let own = site.fill(&action.route.url, &[])?;
        let below = path.strip_prefix(&own);
        Some(PageLink {
            label: site.list_title(action),
            url: site.href(&own),
            is_current: below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        })
    })
}

/// Lists and objects above this page.
fn crumbs(site: &Site<'_>) -> Vec<Breadcrumb> {
    let path = site.path();
    let prefix = site.overview();
    let Some(rest) = path.strip_prefix(prefix.trim_end_matches('/')) else {
        return Vec::new();
    };
    let mut at = prefix.trim_end_matches('/').to_owned();
    let mut links = Vec::new();
    for segment in rest.split('/').filter(|segment| !segment.is_empty()) {
        at.push('/');
        at.push_str(segment);
        let is_read = |action: &&Arc<ActionDescription>| {
            action.route.method == "GET" && urls::values(&action.route.url, &at).is_some()
        };
        let Some(action) = site.api.actions.iter().find(is_read) else {
            continue;
        };
        let decoded = percent_encoding::percent_decode_str(segment).decode_utf8_lossy();
        let is_object = action.route.url.ends_with('>');
        links.push(Breadcrumb {
            label: if is_object {
                format!("#{decoded}")
            } else {
                site.list_title(action)
            },
            url: site.href(&at),
            is_current: at == path && site.request.view == PageView::Show,
            is_object,
        });
    }
    links
}

fn user(pages: &CompiledPages, site: &Site<'_>) -> Option<PageUser> {
    let caller = &site.request.caller;
    let key = caller.key_text()?;
    Some(PageUser {
        name: caller.name().map_or_else(|| format!("User {key}"), str::to_owned),
        roles: caller.roles().join(", "),
        url: account_url(pages, site).unwrap_or_default(),
    })
}

/// Page of the caller's account, if they can read it.
pub(crate) fn account_url(pages: &CompiledPages, site: &Site<'_>) -> Option<String> {
    let rule = endpoint_path(site, pages.account.as_ref()?);
    let path = urls::fill(&rule, &[site.request.caller.key_text()?])?;
    answers(site, "GET", &path).then(|| site.href(&path))
}

/// View that changes the caller's password, if they can use it.
pub(crate) fn password_url(pages: &CompiledPages, site: &Site<'_>) -> Option<String> {
    let path = endpoint_path(site, pages.password.as_ref()?);
    answers(site, "POST", &path).then(|| site.href(&path))
}

/// Whether the caller may use a method at a path.
fn answers(site: &Site<'_>, method: &str, path: &str) -> bool {
    let mut actions = site.api.actions.iter();
    actions.any(|action| action.route.method == method && urls::values(&action.route.url, path).is_some())
}

/// Reason why the caller does not get the form that the view asks for.
fn notice(request: &PageRequest) -> &'static str {
    let has = |method: &str| request.action_of(method).is_some();
    match request.view {
        PageView::Edit if !has("PATCH") && !has("PUT") => "You may not change this.",
        PageView::Delete if !has("DELETE") => "You may not delete this.",
        PageView::New if !has("POST") => "You may not create anything here.",
        PageView::Import if !has("POST") => "You may not import anything here.",
        _ => "",
    }
}

fn policy_texts(request: &PageRequest) -> Vec<String> {
    let sentences = request.policy_sentences.iter();
    sentences.map(|sentence| sentence.text.clone()).collect()
}

fn permissions(request: &PageRequest) -> Vec<Permission> {
    let actions = request
        .actions
        .iter()
        .filter(|action| action.route.method != "HEAD");
    actions.map(|action| permission(action)).collect()
}

fn permission(action: &ActionDescription) -> Permission {
    use crate::routing::Operation;
    let what = match action.route.operation {
        Some(Operation::List) => "list".to_owned(),
        Some(Operation::Create) if action.max_bulk.is_some() => "create one or several".to_owned(),
        Some(Operation::Create) => "create".to_owned(),
        Some(Operation::Get) => "read".to_owned(),
        Some(Operation::Put) if action.route.bulk => "replace several".to_owned(),
        Some(Operation::Put) => "replace".to_owned(),
        Some(Operation::Patch) if action.route.bulk || action.route.filtered => "change several".to_owned(),
        Some(Operation::Patch) => "change".to_owned(),
        Some(Operation::Delete) if action.route.bulk || action.route.filtered => "delete several".to_owned(),
        Some(Operation::Delete) => "delete".to_owned(),
        None => action.route.handler.clone(),
    };
    Permission {
        method: action.route.method.clone(),
        what,
        access: access(action),
    }
}

/// Rows that the caller may use an action on.
fn access(action: &ActionDescription) -> &'static str {
    match (action.route.access, action.rows) {
        (ActionAccess::Denied, _) => "nothing",
        (_, Some(RowScope::Some)) => "the rows that the policy of the model allows you",
        (ActionAccess::Guard, Some(RowScope::All)) => "every row (allowed by a guard)",
        (_, Some(RowScope::All)) => "every row",
        (_, Some(RowScope::None)) => "no row",
        (ActionAccess::Guard, None) => "allowed by a guard",
        (ActionAccess::Policy, None) => "the policy of the model allows it",
        (ActionAccess::Open | ActionAccess::PublicWrite, None) => "open to everyone",
    }
}
