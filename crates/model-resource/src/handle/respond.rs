//! Response helpers of custom handlers, which the default handlers use too.

use std::sync::Arc;

use http::{HeaderValue, StatusCode, header};
use model_resource_schema::column::Table;
use model_resource_schema::draft::{AnyDraft, Draft};
use model_resource_schema::errors::Errors;
use model_resource_schema::json::url_text;
use model_resource_schema::model::{Model, Record, Row};
use model_resource_schema::serializer::Projection;
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{MapRow, RowKey};

use crate::conditional::{Preconditions, RowTag};
use crate::handle::into_reply::IntoReply;
use crate::handle::payload::{Data, Payload};
use crate::handle::payload::{ReplyObject, Wants};
use crate::handle::prefer::{PREFERENCE_APPLIED, Return};
use crate::handle::reply::Reply;
use crate::pipeline::{Context, Result};
use crate::routing::ItemUrl;

/// Result of an insert, as a reply needs it.
struct Inserted {
    object: Result<ReplyObject>,
    /// Value that identifies the object in its URL.
    key: Option<Value>,
    /// Tag of its version, unless it is one of several objects.
    tag: Option<RowTag>,
}

impl Context {
    /// Saves a new object, and replies with status 201, the object, and its URL in `Location`. The policy applies in every
    /// handler and view; writes of the application itself use [`Context::store_unchecked`].
    pub async fn created<M: Model>(&self, draft: Draft<M>) -> Result<Reply> {
        self.reply_created(draft.into_any()).await
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

    /// Saves the changes of an object, and replies with status 200 and the object. The policy applies.
    pub async fn updated<M: Model>(&self, draft: Draft<M>) -> Result<Reply> {
        self.reply_updated(draft.into_any()).await
    }

    /// Deletes an object, and replies with status 204 and no body, or with 200 and the deleted object if the client prefers
    /// that (`Prefer: return=representation`). The policy applies.
    pub async fn deleted<M: Model>(&self, instance: M) -> Result<Reply> {
        let key = instance.value(M::table().primary_key).to_value();
        let record = Record::copy(&instance, M::table());
        self.reply_deleted(M::table(), RowKey::Primary(key), Some(&record))
            .await
    }

    /// Rejects the request with these errors: status 400 and the single key `errors`.
    pub fn errors(&self, errors: Errors) -> Result<Reply> {
        Reply::errors(errors)
    }

    pub(crate) async fn reply_created(&self, draft: AnyDraft) -> Result<Reply> {
        let table = draft.table();
        let projection = self.written_projection(&draft)?;
        let keep = self.keep(&projection);
        let item = self.item_url(table);
        let column = item.map(|item| item.column);
        let keep = move |row: &dyn Row| {
            let (object, tag) = keep(row);
            let key = column.map(|column| row.value(column).to_value());
            Inserted { object, key, tag }
        };
        let inserted = self.insert_permitted(draft, keep, |row| row.object.is_ok());
        let Inserted { object, key, tag } = inserted.await?;
        let location = item.zip(key.as_ref());
        let location = location.and_then(|(item, key)| self.location(item, key.borrow()));
        Ok(created(self.written(object?, projection, tag), location))
    }

    pub(crate) async fn reply_updated(&self, draft: AnyDraft) -> Result<Reply> {
        let projection = self.written_projection(&draft)?;
        let keep = self.keep(&projection);
        let preconditions = Preconditions::of_write(self)?;
        let (object, tag) = self.update_permitted(draft, preconditions, keep).await?;
        Ok(self.written(object?, projection, tag))
    }

    /// Projection of the reply to a write: with the related objects that are written, and then with those that the
    /// request selects.
    fn written_projection(&self, draft: &AnyDraft) -> Result<Arc<Projection>> {
        let access = self.access(draft.table());
        if draft.children().is_empty() {
            return access.written_projection();
        }
        let relations: Vec<&str> = draft.children().iter().map(|children| children.name).collect();
        access.expanded_projection(&relations)
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

    /// Item URL of this model, if the api has one whose column the caller sees.
    pub(crate) fn item_url(&self, table: &'static Table) -> Option<&ItemUrl> {
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
