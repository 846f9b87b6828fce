//! Response helpers of custom handlers, which the default handlers use too. Updates use optimistic concurrency: one
//! that finds a changed row is validated and tried again.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use model_resource_schema::column::Table;
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::model::{Model, Record, Row};
use model_resource_schema::serializer::{CompiledSerializer, Projection, WriteMode};
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, MapRow, Precondition, RowKey, StoreError, Updated};

use crate::conditional::{Preconditions, RowTag};
use crate::handle::into_reply::IntoReply;
use crate::handle::payload::{Data, Payload};
use crate::handle::payload::{ReplyObject, Wants};
use crate::handle::prefer::{PREFERENCE_APPLIED, Return};
use crate::handle::reply::Reply;
use crate::pipeline::{Context, Error, MAX_ATTEMPTS, PatchedRow, Result, WriteStore, pause_before};
use crate::routing::{ItemUrl, Operation};

/// Maximum attempts to update a row that concurrent requests keep changing.
pub(super) const MAX_STALE: usize = 100;

/// Result of an insert, as a reply needs it.
struct Inserted {
    object: Result<ReplyObject>,
    /// Value that identifies the object in its URL.
    key: Option<Value>,
    /// Tag of its version, unless it is one of several objects.
    tag: Option<RowTag>,
}

impl Context {
    /// Saves a new object: status 201, the object, and its URL in `Location`. The policy applies in every handler and
    /// view; writes of the application itself use [`Context::store_unchecked`].
    pub async fn created<M: Model>(&self, draft: Draft<M>) -> Result<Reply> {
        self.create(draft.into_any()).await
    }

    /// Responds like [`Context::created`] with data that is saved already, or never: status 201.
    ///
    /// A model instance is serialized and has its URL in `Location`. Any serializable value is data too:
    /// `cx.created_unsaved(Json(receipt))`.
    pub fn created_unsaved<V>(&self, data: impl IntoReply<V>) -> Result<Reply> {
        let reply = data.into_reply()?.with_status(StatusCode::CREATED);
        let mut reply = reply.in_context(self.render_context());
        let location = match reply.payload_mut() {
            Some(Payload {
                data: Data::One(form, row),
                ..
            }) => {
                let item = self.item_url(form.table());
                item.and_then(|item| self.location(item, row.value(item.column)))
            }
            _ => None,
        };
        Ok(match location {
            Some(url) => reply.with_header(header::LOCATION, url),
            None => reply,
        })
    }

    /// Saves the changes of an object: status 200 and the object. The policy applies.
    pub async fn updated<M: Model>(&self, draft: Draft<M>) -> Result<Reply> {
        self.update(draft.into_any()).await
    }

    /// Deletes an object: status 204 and no body, or 200 and the deleted object if the client prefers that (`Prefer:
    /// return=representation`). The policy applies.
    pub async fn deleted<M: Model>(&self, instance: M) -> Result<Reply> {
        let key = instance.value(M::table().primary_key).to_value();
        let record = Record::copy(&instance, M::table());
        self.delete(M::table(), RowKey::Primary(key), Some(&record)).await
    }

    /// Rejects the request with these errors: status 400 and the single key `errors`.
    pub fn errors(&self, errors: Errors) -> Result<Reply> {
        Reply::errors(errors)
    }

    pub(crate) async fn create(&self, mut draft: AnyDraft) -> Result<Reply> {
        self.check_undecided_errors()?;
        let table = draft.table();
        let access = self.access(table);
        access.require_create()?;
        access.apply_presets(&mut draft).await?;
        access
            .require_visible_references(&mut draft, &AnyQuery::from(table))
            .await?;
        let projection = access.written_projection()?;
        let keep = self.keep(&projection);
        let item = self.item_url(table);
        let column = item.map(|item| item.column);
        let keep = move |row: &dyn Row| {
            let (object, tag) = keep(row);
            let key = column.map(|column| row.value(column).to_value());
            Inserted { object, key, tag }
        };
        let Inserted { object, key, tag } = match self.write_check(table) {
            Some(check) => Box::pin(self.insert_checked(&check, draft, keep)).await?,
            None => self.insert(draft, keep, |row| row.object.is_ok()).await?,
        };
        let location = item.zip(key.as_ref());
        let location = location.and_then(|(item, key)| self.location(item, key.borrow()));
        Ok(created(self.written(object?, projection, tag), location))
    }

    /// Checks and inserts a draft in one transaction, which is repeated if the database undoes it because of a
    /// concurrent one.
    async fn insert_checked<T: Send + 'static>(
        &self,
        check: &CompiledSerializer,
        draft: AnyDraft,
        keep: impl MapRow<T>,
    ) -> Result<T> {
        let mut attempt = 1;
        loop {
            let insert = async {
                let store = self.begin_checked(check, WriteMode::Create, &draft).await?;
                let kept = store.insert_any_with(draft.clone(), keep.clone()).await?;
                store.commit().await?;
                Ok(kept)
            };
            match insert.await {
                Err(error) if self.is_repeatable(&error, attempt) => pause_before(attempt).await,
                inserted => return inserted,
            }
            attempt += 1;
        }
    }

    /// Whether a transaction of one write is repeated after this error. One that a handler has begun is the handler's.
    fn is_repeatable(&self, error: &Error, attempt: u32) -> bool {
        error.is_aborted() && attempt < MAX_ATTEMPTS && !self.store_unchecked().is_in_transaction()
    }

    /// Checks and writes the changes of a draft once.
    async fn update_once<T: Send + 'static>(
        &self,
        check: Option<(&CompiledSerializer, WriteMode)>,
        rows: &AnyQuery,
        draft: &AnyDraft,
        precondition: Precondition,
        keep: impl MapRow<T>,
    ) -> Result<Updated<T>> {
        let store = match check {
            Some((check, mode)) => Box::pin(self.begin_checked(check, mode, draft)).await?,
            None => WriteStore::Request(self.store_unchecked()),
        };
        let updated = store.update_any_with(rows, draft, precondition, keep).await?;
        match &updated {
            Updated::Row(_) => store.commit().await?,
            Updated::Missing | Updated::Stale(_) => store.rollback().await?,
        }
        Ok(updated)
    }

    /// Writes the changes. If the row has changed since it was loaded, checks them against the current row.
    pub(crate) async fn update(&self, mut draft: AnyDraft) -> Result<Reply> {
        self.check_undecided_errors()?;
        let table = draft.table();
        let serializer = self.load_serializer(table)?;
        let mode = match self.operation() {
            Some(Operation::Put) => WriteMode::Replace,
            _ => WriteMode::Update,
        };
        let access = self.access(table);
        let rows = access.at_url(access.permitted_for(Operation::Patch)?, draft.original());
        let rows = access.writable(rows, &draft).await?;
        access.require_visible_references(&mut draft, &rows).await?;
        let projection = access.written_projection()?;
        let keep = self.keep(&projection);
        let preconditions = self.preconditions_of(&draft)?;
        let mut check = self.write_check(table);
        let is_patched = self.extension::<PatchedRow>().is_some();
        let is_whole = serializer.validates_whole() || !preconditions.is_empty() || is_patched;
        let mut aborted = 0;
        for _ in 0..MAX_STALE {
            let precondition = precondition(is_whole || repeats(&draft));
            let checked = check.as_deref().map(|check| (check, mode));
            let update = self.update_once(checked, &rows, &draft, precondition, keep.clone());
            let updated = match update.await {
                Err(error) if self.is_repeatable(&error, aborted + 1) => {
                    aborted += 1;
                    pause_before(aborted).await;
                    continue;
                }
                updated => updated?,
            };
            match updated {
                Updated::Row((object, tag)) => {
                    return Ok(self.written(object?, projection, tag));
                }
                Updated::Missing => {
                    let key = draft.key().cloned().unwrap_or(Value::Null);
                    let seen = access.at_url(access.scoped()?, draft.original());
                    return Err(access.why_not_permitted(seen, RowKey::Primary(key)).await);
                }
                Updated::Stale(record) => {
                    preconditions.check_row(self, table, &record)?;
                    if is_patched {
                        return Err(Error::stale());
                    }
                    draft.rebase(record);
                }
            }
            // A foreign key that had its old value may be a change of the current row.
            access.require_visible_references(&mut draft, &rows).await?;
            let errors = serializer.validate(&mut draft, mode);
            if !errors.is_empty() {
                return Reply::errors(errors);
            }
            check = (!serializer.batch_checks().is_empty()).then(|| Arc::clone(serializer));
        }
        Err(StoreError::Unavailable("the row kept changing".to_owned()).into())
    }

    /// Preconditions of the request, which the row of the draft fulfils.
    fn preconditions_of(&self, draft: &AnyDraft) -> Result<Preconditions> {
        let preconditions = Preconditions::of_write(self)?;
        if let Some(row) = draft.original() {
            preconditions.check_row(self, draft.table(), row)?;
        }
        Ok(preconditions)
    }

    /// Form in which the reply to a write needs a row.
    fn wants(&self) -> Wants {
        match Return::preferred(self.headers()) {
            Some(Return::Minimal) => Wants::Nothing,
            _ => self.wants_object(),
        }
    }

    /// Reply to a write, as the client prefers it.
    fn written(&self, object: ReplyObject, projection: Arc<Projection>, tag: Option<RowTag>) -> Reply {
        let reply = match object {
            ReplyObject::Nothing => Reply::no_content(),
            object => self.reply(object.into_data(projection)),
        };
        let reply = match tag {
            Some(tag) => reply.with_header(header::ETAG, tag.header()),
            None => reply,
        };
        match Return::preferred(self.headers()) {
            Some(preferred) => reply.with_header(PREFERENCE_APPLIED, preferred.header()),
            None => reply,
        }
    }

    /// Form in which the reply needs a row that it shows.
    pub(super) fn wants_object(&self) -> Wants {
        if self.is_sub_request() {
            Wants::Row
        } else {
            Wants::Text
        }
    }

    /// Maps a row for the reply: serialized and with the tag of its version, unless it is one of several.
    fn keep(
        &self,
        projection: &Arc<Projection>,
    ) -> impl MapRow<(Result<ReplyObject>, Option<RowTag>)> + Sync + use<> {
        let tags = (!self.is_sub_request()).then(|| Arc::clone(self.services()));
        let (keep, table) = (ReplyObject::of(projection, self.wants()), projection.table());
        move |row: &dyn Row| {
            let tag = tags.as_ref().map(|services| services.row_tags.tag(table, row));
            (keep(row), tag)
        }
    }

    /// Ends the request if the body has errors that no handler has taken.
    fn check_undecided_errors(&self) -> Result<()> {
        match self.undecided_errors() {
            Some(errors) => Err(Error::invalid(errors.clone())),
            None => Ok(()),
        }
    }

    /// Item URL of this model, if the api has one whose column the caller sees.
    fn item_url(&self, table: &'static Table) -> Option<&ItemUrl> {
        let access = self.access(table);
        let items = self.binding().items.as_slice();
        if items.is_empty() || !access.is_of_url() {
            return None;
        }
        let (hidden, private) = (access.hidden(), access.private());
        let is_private = |column| {
            private
                .as_ref()
                .is_some_and(|private| private.columns.contains(column))
        };
        let is_seen = |item: &&ItemUrl| !hidden.contains(item.column) && !is_private(item.column);
        items.iter().find(is_seen)
    }

    /// URL of the object with this value in the URL's column; `None` for a value that cannot be in a URL.
    fn location(&self, item: &ItemUrl, key: ValueRef<'_>) -> Option<HeaderValue> {
        if key.is_null() {
            return None;
        }
        let key = url_text(key);
        let is_fit = item.rule.key_pattern()?.violation(&key).is_none();
        if !is_fit {
            return None;
        }
        let last = item.rule.key().and_then(|last| item.rule.names().get(last))?;
        let value = |name: &str| {
            if name == last {
                Some(key.as_str())
            } else {
                self.params().get(name)
            }
        };
        let url = item.rule.build(value).ok()?;
        HeaderValue::from_str(&self.external_url(url)).ok()
    }
}

fn created(reply: Reply, location: Option<HeaderValue>) -> Reply {
    let reply = reply.with_status(StatusCode::CREATED);
    match location {
        Some(url) => reply.with_header(header::LOCATION, url),
        None => reply,
    }
}

/// Condition of a write that may be valid for the row as it was read only.
fn precondition(is_about_row: bool) -> Precondition {
    if is_about_row {
        Precondition::Unchanged
    } else {
        Precondition::Exists
    }
}

/// Whether the draft sets a column to its current value. Such a column is not written, so the write has to ensure that
/// it still has the value.
fn repeats(draft: &AnyDraft) -> bool {
    (0..draft.table().columns.len()).any(|column| draft.is_set(column) && !draft.is_changed(column))
}
