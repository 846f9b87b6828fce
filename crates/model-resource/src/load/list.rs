//! `list_loader`: selects the rows of a collection URL.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use model_resource_schema::column::Table;
use model_resource_schema::model::Model;
use model_resource_schema::serializer::Projection;
use model_resource_store::{AnyQuery, QueryPlan};
use serde_json::json;

use crate::access::DeletedRows;
use crate::handle::{Data, Reply};
use crate::http::client_network;
use crate::list::{CallerSearches, DefaultPage, ListRequest, PageStats};
use crate::pipeline::{Context, Decorator, Next, Result};
use crate::query::{
    ExplainRequested, ExportRequested, ListOptions, ListSettings, PriceLimit, read_aggregate, read_list,
};
use crate::routing::{LIST, Operations};

/// Loads the instances of `M` that the request asks for, below the parent in a nested URL. The rows are read only when
/// they are used.
pub fn list_loader<M: Model>() -> impl Decorator {
    ListLoader {
        table: M::table(),
        options: Arc::default(),
    }
}

pub(crate) struct ListLoader {
    pub(crate) table: &'static Table,
    pub(crate) options: Arc<ListOptions>,
}

impl Decorator for ListLoader {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let (table, options) = (self.table, Arc::clone(&self.options));
        Box::pin(async move {
            let access = cx.access(table);
            let deleted = if options.custom_query {
                None
            } else {
                access.listed_deleted()?
            };
            let rows = access.scoped_with(deleted.unwrap_or(DeletedRows::Excluded))?;
            let parents = access.require_parents().await?;
            let by_parent = |rows: AnyQuery, (column, key)| rows.filter(column, key);
            let rows = parents.into_iter().fold(rows, by_parent);
            let projection = access.list_projection()?;
            let services = cx.services();
            let default_page = match cx.extension::<ExportRequested>() {
                Some(_) => DefaultPage::AllRows,
                None => DefaultPage::Page,
            };
            let settings = ListSettings {
                options: &options,
                default_page,
                takes_deleted: deleted.is_some(),
                cursor_key: &services.cursor_key,
                syntax: services.query_syntax,
                path: cx.uri().path(),
                price_limit: price_limit(&cx, &options),
            };
            if options.asks_for_groups(cx.query_string().pairs()) {
                return aggregate_reply(&cx, rows, &projection, &settings).await;
            }
            let mut rows = read_list(
                cx.query_string(),
                || cx.external_path(),
                rows,
                &projection,
                settings,
            )?;
            if rows.list.may_be_long() {
                rows.list = rows.list.of_small_table(cx.store_unchecked().is_small(table));
                // Only policies and the URL limit the rows, and those of a parent have an index or are many.
                if !rows.is_filtered {
                    rows.list = rows.list.expect_dense();
                }
            }
            rows.searches = caller_searches(&cx, &rows);
            let rows = Arc::new(rows);
            if cx.extension::<ExplainRequested>().is_some() {
                return Ok(plan_reply(
                    &cx.store_unchecked().explain(&rows.list_to_read()).await?,
                ));
            }
            let seen = Arc::clone(&cx.loaded_mut().page_stats);
            cx.loaded_mut().rows = Some(Arc::clone(&rows));
            let reply = next.run(cx).await?;
            Ok(with_page_headers(reply, &rows, seen.get()))
        })
    }

    fn is_transactional(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "list_loader"
    }

    fn loads(&self, table: &'static Table) -> Operations {
        if self.table.id() == table.id() {
            LIST.into()
        } else {
            Operations::NONE
        }
    }
}

/// Replies with the groups of these rows that the request asks for. The handler is the default one, which does not run.
async fn aggregate_reply(
    cx: &Context,
    rows: AnyQuery,
    projection: &Projection,
    settings: &ListSettings<'_>,
) -> Result<Reply> {
    let groups = read_aggregate(
        cx.query_string(),
        || cx.external_path(),
        rows,
        projection,
        settings,
    )?;
    let store = cx.store_unchecked();
    if cx.extension::<ExplainRequested>().is_some() {
        return Ok(plan_reply(&store.explain(&groups.rows()).await?));
    }
    let (objects, seen) = groups.read(store, searches_of(cx)).await?;
    let mut reply = Reply::data(Data::Json(objects));
    let mut status = reply.status();
    groups
        .page()
        .write_headers(&groups.rows(), &seen, &mut status, reply.headers_mut());
    Ok(reply.with_status(status))
}

/// Maximum price of the caller's query. The plan of an expensive query is still explained.
fn price_limit<'a>(cx: &'a Context, options: &ListOptions) -> Option<PriceLimit<'a>> {
    if cx.extension::<ExplainRequested>().is_some() {
        return None;
    }
    let max = cx.services().query_budget.of(options.query_budget, cx.caller())?;
    Some(PriceLimit {
        store: cx.store_unchecked(),
        max,
    })
}

/// Searches of the caller that this list has to wait for, if it is a search too.
fn caller_searches(cx: &Context, rows: &ListRequest) -> Option<CallerSearches> {
    if rows.is_search() { searches_of(cx) } else { None }
}

/// Searches of the caller, if they are limited.
fn searches_of(cx: &Context) -> Option<CallerSearches> {
    let limiter = cx.services().searches.as_ref()?;
    Some(match cx.caller().key_text() {
        Some(key) => limiter.of(&key),
        None => limiter.of(&cx.client_address().map(client_network)),
    })
}

fn plan_reply(explanation: &QueryPlan) -> Reply {
    let QueryPlan {
        sql, plan, unindexed, ..
    } = explanation;
    Reply::data(Data::Json(
        json!({ "sql": sql, "plan": plan, "unindexed": unindexed }),
    ))
}

/// Adds the page's headers and the requested projection to a handler's reply.
fn with_page_headers(mut reply: Reply, rows: &ListRequest, seen: Option<&PageStats>) -> Reply {
    if let (Some(page), Some(seen)) = (&rows.page, seen) {
        let mut status = reply.status();
        page.write_headers(&rows.list, seen, &mut status, reply.headers_mut());
        reply = reply.with_status(status);
    }
    if let Some(payload) = reply.payload_mut() {
        payload.data.set_projection(&rows.projection);
    }
    reply
}
