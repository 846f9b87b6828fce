//! Overview of the api: its resources with counts, what the caller may do, and the state of the application.

use futures_util::future::join_all;
use minijinja::Value as Html;
use model_resource_schema::query::RowScope;
use serde::Serialize;
use serde_json::Value;

use crate::description::{ActionDescription, first_sentence};
use crate::pages::content::Fetch;
use crate::pages::escape::push_text;
use crate::pages::frame::{Frame, PageLink, endpoint};
use crate::pages::naming;
use crate::pages::settings::CompiledPages;
use crate::pages::site::{Site, count_query};
use crate::pages::urls::PageQuery;
use crate::routing::Operation;

/// Maximum resources that are counted.
const MAX_COUNTED: usize = 40;

/// Overview of an api.
#[derive(Serialize)]
pub(crate) struct OverviewPage {
    frame: Frame,
    resources: Vec<ResourceSummary>,
    views: Vec<ViewSummary>,
    health: Option<Health>,
    errors: Vec<RecentLine>,
    slow: Vec<RecentLine>,
    has_diagnostics: bool,
}

/// Resource of the overview.
#[derive(Serialize)]
struct ResourceSummary {
    title: String,
    description: String,
    url: String,
    count: Option<String>,
    new_url: Option<String>,
    /// Access to each operation: `yes`, `some` or `no`.
    access: Vec<&'static str>,
}

/// View of the overview.
#[derive(Serialize)]
struct ViewSummary {
    link: PageLink,
    methods: String,
    description: String,
}

/// Health of the application.
#[derive(Serialize)]
struct Health {
    status: String,
    is_good: bool,
}

/// Recent request.
#[derive(Serialize)]
struct RecentLine {
    time: Html,
    method: String,
    url: String,
    what: String,
    id: String,
}

/// Makes the overview.
pub(crate) async fn overview_page(pages: &CompiledPages, site: &Site<'_>, fetch: &dyn Fetch) -> OverviewPage {
    let collections: Vec<&ActionDescription> = site.shown_collections().collect();
    let counts = collections
        .iter()
        .enumerate()
        .map(|(position, action)| count(site, action, position, fetch));
    let counts = join_all(counts).await;
    let resources = collections
        .iter()
        .zip(counts)
        .filter_map(|(action, count)| resource(site, action, count));
    let diagnostics = site.request.diagnostics.as_ref();
    let health = diagnostics.and_then(|state| state.get("health")?.get("status")?.as_str());
    OverviewPage {
        resources: resources.collect(),
        views: views(site),
        health: health.map(|status| Health {
            status: status.to_owned(),
            is_good: status == "ok",
        }),
        errors: lines(diagnostics, "errors"),
        slow: lines(diagnostics, "slow"),
        has_diagnostics: diagnostics.is_some(),
        frame: Frame::new(pages, site, "Overview".to_owned()),
    }
}

async fn count(
    site: &Site<'_>,
    action: &ActionDescription,
    position: usize,
    fetch: &dyn Fetch,
) -> Option<u64> {
    let can_count = action.list.as_ref().is_some_and(|list| !list.filters.is_empty());
    if position >= MAX_COUNTED || !can_count {
        return None;
    }
    let path = site.fill(&action.route.url, &[])?;
    let query = count_query(action, &PageQuery::default());
    fetch.get(query.url(&path)).await.total()
}

fn resource(site: &Site<'_>, list: &ActionDescription, count: Option<u64>) -> Option<ResourceSummary> {
    let path = site.href(&site.fill(&list.route.url, &[])?);
    let create = site.action(&list.route.url, "POST");
    let item = site.item_of_list(list).map(|item| item.route.url.as_str());
    let scope = |method: &str| {
        let action = item.and_then(|rule| site.action(rule, method));
        action.map_or("no", |action| scope_word(action.rows))
    };
    let update = match scope("PATCH") {
        "no" => scope("PUT"),
        found => found,
    };
    let create_access = if create.is_some() { "yes" } else { "no" };
    Some(ResourceSummary {
        title: site.list_title(list),
        description: first_sentence(site.description(list)),
        count: count.map(naming::grouped),
        new_url: create.map(|_| format!("{path}?_view=new")),
        access: vec![
            scope_word(list.rows),
            create_access,
            scope("GET"),
            update,
            scope("DELETE"),
        ],
        url: path,
    })
}

fn scope_word(rows: Option<RowScope>) -> &'static str {
    match rows {
        None | Some(RowScope::All) => "yes",
        Some(RowScope::Some) => "some",
        Some(RowScope::None) => "no",
    }
}

/// Views without parameters, and collections without a list.
fn views(site: &Site<'_>) -> Vec<ViewSummary> {
    let mut found: Vec<ViewSummary> = Vec::new();
    // The top of the page has them.
    let of_session = [&site.pages.login, &site.pages.logout].map(Option::as_ref);
    let of_session = of_session.into_iter().flatten();
    let of_session: Vec<String> = of_session.map(|view| endpoint(site, view)).collect();
    for action in site
        .api
        .actions
        .iter()
        .filter(|action| action.route.method != "HEAD")
    {
        let is_list = site
            .action(&action.route.url, "GET")
            .is_some_and(|get| get.route.operation == Some(Operation::List));
        let url = site.fill(&action.route.url, &[]).map(|path| site.href(&path));
        let (0, false, Some(url)) = (site.own_parameters(action), is_list, url) else {
            continue;
        };
        if of_session.contains(&url) {
            continue;
        }
        if let Some(known) = found.iter_mut().find(|view| view.link.url == url) {
            known.methods.push_str(", ");
            known.methods.push_str(&action.route.method);
            continue;
        }
        found.push(ViewSummary {
            link: PageLink {
                label: crate::pages::site::url_title(&action.route.url),
                url,
                is_current: false,
            },
            methods: action.route.method.clone(),
            description: action.summary.clone(),
        });
    }
    found
}

fn lines(diagnostics: Option<&Value>, name: &str) -> Vec<RecentLine> {
    let list = diagnostics.and_then(|state| state.get(name)?.as_array());
    let lines = list.into_iter().flatten().map(|line| {
        let text = |name: &str| match line.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let milliseconds = text("milliseconds");
        let mut time = String::from("<time datetime=\"");
        crate::pages::escape::push_exact(&mut time, &text("time"));
        time.push_str("\">");
        push_text(
            &mut time,
            &text("time").get(..19).unwrap_or_default().replace('T', " "),
        );
        time.push_str("</time>");
        RecentLine {
            time: Html::from_safe_string(time),
            method: text("method"),
            url: text("url"),
            what: if milliseconds.is_empty() {
                format!("{} {}", text("status"), text("message"))
            } else {
                format!("{milliseconds} ms")
            },
            id: text("requestId"),
        }
    });
    lines.collect()
}
