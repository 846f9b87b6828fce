//! Bulk writes of the objects that filters select, as those of a list: `PATCH /articles?published=false`.

use std::future::ready;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use http::StatusCode;
use model_resource_schema::column::{Column, Table};
use model_resource_schema::json::url_text;
use model_resource_schema::model::Row;
use model_resource_schema::naming::Quoted;
use model_resource_schema::query::AnyWhere;
use model_resource_schema::relation::Related;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, ListQuery, RowSink, Store};
use serde_json::value::RawValue;

use crate::bulk::bulk_url::{Bulk, BulkTarget, ItemRequest};
use crate::bulk::outcome::require_success;
use crate::handle::{Data, ProjectionChoice, Reply, Return, max_affected};
use crate::list::ListRequest;
use crate::pipeline::{Chain, Context, Error, Result};
use crate::query::{DELETED, QuerySyntax, is_about_groups, is_about_page};
use crate::routing::Operation;

/// Maximum keys of one statement, so that SQLite can bind them.
const MAX_KEYS: usize = 10_000;

/// Objects that a filter selects.
pub(super) struct Filtered {
    /// Rows that match the filter and exist for the caller.
    pub(super) rows: AnyQuery,
    /// Keys of those that matched when the request began.
    pub(super) keys: Vec<FilteredKey>,
}

/// Keys of one row.
#[derive(Clone)]
pub(super) struct FilteredKey {
    primary: Value,
    /// Value that identifies the row in its URL.
    url: Value,
}

/// Slot for the rows that the list of the request would have.
#[derive(Clone, Default)]
struct SelectedRows(Arc<OnceLock<Arc<ListRequest>>>);

/// Chain of a list that leaves its rows to a write, and reads none.
pub(crate) fn selection(list: &Chain) -> Arc<Chain> {
    Arc::new(Chain {
        name: list.name.clone(),
        decorators: list.decorators.clone(),
        handler: Arc::new(|mut cx| {
            if let (Some(rows), Some(slot)) = (cx.loaded_mut().rows.take(), cx.extension::<SelectedRows>()) {
                slot.0.set(rows).ok();
            }
            Box::pin(ready(Ok(Reply::no_content())))
        }),
        is_automatic: true,
    })
}

impl Bulk {
    /// Finds the objects that the filters of a request select. Nothing is locked yet.
    pub(super) async fn select(&self, chain: &Chain, cx: &Context) -> Result<Filtered> {
        let max = self.max_selected(cx)?;
        let foreign: Vec<&str> = foreign_parameters(chain).collect();
        let rows = self.selected_rows(cx.list_request(&foreign)).await?;
        if !rows.is_filtered {
            return Err(Error::bad_parameter(
                "There is no filter in the query, which would select every object: send at least one.",
            ));
        }
        let table = rows.list.table();
        let list = ListQuery::of(rows.list.select().clone()).limit(max as u64 + 1);
        let list = if list.may_be_long() {
            list.of_small_table(cx.store_unchecked().is_small(table))
        } else {
            list
        };
        let keys = rows
            .read_rows(cx.store_unchecked(), &list, self.sink(table))
            .await?;
        if keys.keys.len() > max {
            return Err(Error::malformed(format!(
                "The filter selects more than the {max} objects of the preference max-affected. Nothing was changed."
            )));
        }
        Ok(Filtered {
            rows: rows.list.select().clone(),
            keys: keys.keys,
        })
    }

    /// Maximum objects that the request may write, which the client has to say.
    fn max_selected(&self, cx: &Context) -> Result<usize> {
        let max = self.options.max_items;
        match max_affected(cx.headers()) {
            Some(wanted) if wanted <= max => Ok(wanted),
            Some(_) => Err(Error::malformed(format!(
                "The preference max-affected is at most {max}, since no request writes more objects."
            ))),
            None => Err(Error::malformed(format!(
                "Say how many objects the filter selects at most, from 0 to {max}, as in `Prefer: max-affected=10`. If there are more, nothing is changed."
            ))),
        }
    }

    /// Rows of the list that the query selects, as the caller may read it.
    async fn selected_rows(&self, mut cx: Context) -> Result<Arc<ListRequest>> {
        let Some(chain) = &self.options.selection else {
            return Err(Error::internal("a resource without a list has filtered writes"));
        };
        let is_simple = cx.services().query_syntax == QuerySyntax::SimpleRest;
        let names = cx.query_string().pairs().iter().map(|(name, _)| name.as_str());
        let has_deleted = self.options.update.table().soft_delete.is_some();
        let is_other = |name: &str| {
            is_about_page(name)
                || is_about_groups(name)
                || is_simple && name == "range"
                || has_deleted && name == DELETED
        };
        let mut others = names.filter(|name| is_other(name));
        if let Some(name) = others.next() {
            return Err(Error::bad_parameter(format!(
                "The parameter {} is no filter: leave it out.",
                Quoted(name)
            )));
        }
        let slot = SelectedRows::default();
        cx.insert_extension(slot.clone());
        let reply = require_success(chain.run(cx).await?)?;
        match slot.0.get() {
            Some(rows) => Ok(Arc::clone(rows)),
            // A decorator has answered for the list.
            None => Err(Error::named(
                "ErrorReply",
                StatusCode::CONFLICT,
                format!(
                    "The objects cannot be selected: their list is answered with {}.",
                    reply.status()
                ),
            )),
        }
    }

    fn sink(&self, table: &'static Table) -> KeySink {
        KeySink {
            columns: (table.primary_key, self.key_column()),
            keys: Vec::new(),
        }
    }

    /// Rows that still match the filter, after they were locked.
    pub(super) async fn still_selected(
        &self,
        filtered: &Filtered,
        store: &Store,
    ) -> Result<Vec<FilteredKey>> {
        let table = filtered.rows.table();
        let mut selected = Vec::with_capacity(filtered.keys.len());
        for keys in filtered.keys.chunks(MAX_KEYS) {
            let keys = keys.iter().map(|key| key.primary.clone()).collect();
            let list = ListQuery::of(filtered.rows.clone().restrict(AnyWhere::key_in(table, keys)));
            let found = store.scan(&list, Arc::new([]), self.sink(table)).await?;
            selected.extend(found.sink.keys);
        }
        Ok(selected)
    }
}

impl Filtered {
    /// Requests of the selected objects, each with this body, in the order of their primary keys.
    pub(super) fn targets(&self, body: &str, column: &Column) -> Vec<BulkTarget> {
        let body: Arc<str> = body.into();
        // A URL cannot name a value in another form than that in which new values are stored.
        let is_in_url = |url: &Value| !url.is_null() && column.normalize(url.clone()) == *url;
        let target = |(position, key): (usize, &FilteredKey)| BulkTarget {
            position,
            request: Ok(ItemRequest {
                // A row that no URL identifies is not found.
                key: Some(if is_in_url(&key.url) {
                    url_text(key.url.borrow())
                } else {
                    String::new()
                }),
                body: Arc::clone(&body),
                version: None,
            }),
        };
        self.keys.iter().enumerate().map(target).collect()
    }

    /// Keeps the requests of these rows, as far as their URLs still identify them.
    pub(super) fn keep(&self, targets: &mut Vec<BulkTarget>, selected: &[FilteredKey]) {
        // Both are in the order of the primary key.
        let mut selected = selected.iter().peekable();
        targets.retain(|target| {
            let Some(key) = self.keys.get(target.position) else {
                return false;
            };
            let next = selected.next_if(|next| next.primary == key.primary);
            next.is_some_and(|next| next.url == key.url)
        });
    }
}

/// Query parameters that decorators read.
pub(super) fn foreign_parameters(chain: &Chain) -> impl Iterator<Item = &'static str> {
    let decorators = chain.decorators.iter();
    decorators.flat_map(|decorator| decorator.query_parameters())
}

/// Rejects a body that is not one JSON object, also if no object is selected.
pub(super) fn require_object(body: &str) -> Result<()> {
    let is_object =
        body.trim_ascii_start().starts_with('{') && serde_json::from_str::<&RawValue>(body).is_ok();
    if is_object { Ok(()) } else { Err(not_one_object()) }
}

/// Error for a body that has not one object for all that the filters select.
pub(super) fn not_one_object() -> Error {
    Error::malformed(
        "Expected one JSON object, whose members are set in every object that the filters select.",
    )
}

/// Reply to a request whose filter selects nothing.
pub(super) fn nothing_selected(operation: Operation, table: &'static Table, cx: &Context) -> Reply {
    let preferred = Return::preferred(cx.headers());
    let is_shown = match operation {
        Operation::Delete => preferred == Some(Return::Representation),
        _ => preferred != Some(Return::Minimal),
    };
    if is_shown {
        Reply::data(Data::Many(ProjectionChoice::Default(table), Vec::new()))
    } else {
        Reply::no_content()
    }
}

/// Collects the keys of rows: the primary one, and the one in the URL.
struct KeySink {
    columns: (usize, usize),
    keys: Vec<FilteredKey>,
}

impl RowSink for KeySink {
    fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
        let (primary, url) = self.columns;
        self.keys.push(FilteredKey {
            primary: row.value(primary).to_value(),
            url: row.value(url).to_value(),
        });
        ControlFlow::Continue(())
    }
}
