//! POST of an object that exists, which changes it (`Prefer: resolution=merge-duplicates`).

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::Uri;
use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::json::url_text;
use model_resource_schema::model::Row as _;
use model_resource_schema::query::AnyColumns;
use model_resource_store::ListQuery;

use crate::conditional::Preconditions;
use crate::handle::{MERGES_DUPLICATES, PREFERENCE_APPLIED, Reply, merges_duplicates};
use crate::pipeline::{Chain, Context, Decorator, Error, ErrorKind, Next, Result, SubRequest};
use crate::routing::Operation;
use crate::upsert::{MAX_ATTEMPTS, is_duplicate};

/// Name of the decorator.
pub(crate) const MERGE_DUPLICATES: &str = "merge_duplicates";

/// Changes the object that has the unique values of a new one, if the client prefers that: by patch, at its own URL. For
/// resources with `MERGE_DUPLICATES`, around the other decorators of create.
pub(crate) struct MergeDuplicates {
    pub(crate) table: &'static Table,
    /// Chain of patch.
    pub(crate) patch: Arc<Chain>,
}

/// Finds the object that has the unique values of a loaded draft, for [`MergeDuplicates`].
pub(crate) struct FindDuplicate {
    pub(crate) table: &'static Table,
    /// Columns that are unique together.
    pub(crate) columns: AnyColumns,
}

/// Slot for the object that was found: the value that identifies it in its URL.
#[derive(Clone, Default)]
struct Duplicate(Arc<OnceLock<String>>);

impl Decorator for MergeDuplicates {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        // Among several objects, each is created.
        if !merges_duplicates(cx.headers()) || !cx.is_outside_transaction() {
            return next.run(cx);
        }
        Box::pin(create_or_patch(cx, next, self.table, Arc::clone(&self.patch)))
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn is_transactional(&self) -> bool {
        // A repeated creation finds the object and may write nothing, so that its commit would not recognize it.
        false
    }

    fn name(&self) -> &'static str {
        MERGE_DUPLICATES
    }
}

async fn create_or_patch(cx: Context, next: Next, table: &'static Table, patch: Arc<Chain>) -> Result<Reply> {
    if Preconditions::has_header(cx.headers()) {
        let message = "The preference merge-duplicates changes an object whose version is unknown: send it without preconditions.";
        return Err(Error::malformed(message));
    }
    let body = cx.body().await?;
    let mut attempt = 1;
    loop {
        let mut creation = cx.repeat(body.clone());
        let duplicate = Duplicate::default();
        creation.insert_extension(duplicate.clone());
        let created = next.again().run(creation).await;
        let Some(key) = duplicate.0.get() else {
            return created.map(applied);
        };
        match patch.run(at_item(&cx, table, key, &body)?).await {
            // It was deleted meanwhile.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound) && attempt < MAX_ATTEMPTS => {}
            patched => return patched.map(applied),
        }
        attempt += 1;
    }
}

/// Request for the object with this key, at its own URL.
fn at_item(cx: &Context, table: &'static Table, key: &str, body: &Bytes) -> Result<Context> {
    let item = cx.item_url(table).ok_or_else(Error::not_found)?;
    let own = item.rule.key().and_then(|last| item.rule.names().get(last));
    let value = |name: &str| match cx.params().get(name) {
        Some(of_parent) if own.is_none_or(|own| own != name) => of_parent,
        _ => key,
    };
    let path = item.rule.build(|name| Some(value(name)));
    let path = path.map_err(|_| Error::not_found())?;
    let query = cx.uri().query().map(|query| format!("?{query}"));
    let uri = Uri::try_from(path + query.as_deref().unwrap_or_default());
    let values = item.rule.names().iter().map(|name| value(name).to_owned());
    Ok(cx.at_item(SubRequest {
        operation: Operation::Patch,
        uri: uri.map_err(|_| Error::not_found())?,
        params: item.rule.params(values.collect()),
        binding: Arc::clone(&item.binding),
        body: String::from_utf8_lossy(body).into_owned(),
        version: None,
    }))
}

/// Reports the preference.
fn applied(mut reply: Reply) -> Reply {
    reply.headers_mut().append(PREFERENCE_APPLIED, MERGES_DUPLICATES);
    reply
}

impl Decorator for FindDuplicate {
    fn call(&self, mut cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        let draft = cx.loaded_mut().draft.clone();
        let (Some(duplicate), Some(draft)) = (cx.extension::<Duplicate>().cloned(), draft) else {
            return next.run(cx);
        };
        let (table, columns) = (self.table, self.columns);
        Box::pin(async move {
            let spare = cx.repeat(Bytes::new());
            let find = async || find(&spare, table, columns, &draft, &duplicate).await;
            if find().await? {
                return Err(Error::conflict("An object with these values exists."));
            }
            let created = next.run(cx).await;
            if created.as_ref().is_err_and(is_duplicate) {
                // A concurrent request may have created it.
                find().await?;
            }
            created
        })
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "find_duplicate"
    }
}

/// Finds the object that has the values of a draft, among those that the caller sees at this URL. Returns whether it exists.
async fn find(
    cx: &Context,
    table: &'static Table,
    columns: AnyColumns,
    draft: &AnyDraft,
    duplicate: &Duplicate,
) -> Result<bool> {
    let access = cx.access(table);
    let mut rows = access.scoped()?;
    for column in (0..table.columns.len()).filter(|column| columns.contains(*column)) {
        let value = draft.get(column).map(|value| value.to_value());
        let (Some(value), false) = (value, access.hidden().contains(column)) else {
            return Ok(false);
        };
        if value.is_null() {
            return Ok(false);
        }
        rows = access.identified_by(column, rows)?.filter(column, value);
    }
    let Some(item) = cx.item_url(table) else {
        return Ok(false);
    };
    let found = cx
        .store_unchecked()
        .records(&ListQuery::of(rows).limit(1))
        .await?;
    let key = found.first().map(|row| row.value(item.column));
    // Without a value it has no URL.
    let Some(key) = key.filter(|key| !key.is_null()) else {
        return Ok(false);
    };
    duplicate.0.set(url_text(key)).ok();
    Ok(true)
}
