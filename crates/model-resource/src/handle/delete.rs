//! Deletion of an object, for the default handler and the response helper.

use model_resource_schema::column::Table;
use model_resource_schema::model::{Record, Row};
use model_resource_store::{AnyQuery, RowKey, StoreError};

use crate::access::TableAccess;
use crate::conditional::Preconditions;
use crate::handle::delete_row::Deletion;
use crate::handle::payload::ReplyObject;
use crate::handle::prefer::{PREFERENCE_APPLIED, Return};
use crate::handle::reply::Reply;
use crate::handle::write::MAX_STALE;
use crate::pipeline::{Context, Result};
use crate::routing::Operation;

impl Context {
    /// Deletes the row with this key; `row` is that row, if it was read.
    pub(crate) async fn reply_deleted(
        &self,
        table: &'static Table,
        key: RowKey,
        row: Option<&Record>,
    ) -> Result<Reply> {
        let preconditions = Preconditions::of_write(self)?;
        if !preconditions.is_empty() {
            return Box::pin(self.delete_version(&preconditions, table, key, row)).await;
        }
        let access = self.access(table);
        let permitted = access.at_url(access.permitted_for(Operation::Delete)?, row);
        let deletion = Deletion::Any(key.clone());
        match self.delete_row(&access, &permitted, deletion).await? {
            Some(reply) => Ok(reply),
            None => Err(access
                .why_not_permitted(access.at_url(access.scoped()?, row), key)
                .await),
        }
    }

    /// Deletes a row. Returns nothing if there is no such row.
    async fn delete_row(
        &self,
        access: &TableAccess<'_>,
        permitted: &AnyQuery,
        deletion: Deletion,
    ) -> Result<Option<Reply>> {
        let is_shown = Return::preferred(self.headers()) == Some(Return::Representation);
        let shown = is_shown.then(|| access.written_projection());
        let Some(Ok(projection)) = shown else {
            // Without a serializer the object cannot be shown, and a preference is optional.
            let is_deleted = self.delete_selected(permitted, deletion).await?;
            return Ok(is_deleted.then(Reply::no_content));
        };
        let keep = ReplyObject::of(&projection, self.wants_object());
        let deleted = self.delete_selected_with(permitted, deletion, keep).await?;
        let deleted = deleted.transpose()?;
        Ok(deleted.map(|kept| {
            let reply = self.reply(kept.into_data(projection));
            reply.with_header(PREFERENCE_APPLIED, Return::Representation.header())
        }))
    }

    /// Deletes the row with this key, if its version fulfils the preconditions.
    async fn delete_version(
        &self,
        preconditions: &Preconditions,
        table: &'static Table,
        key: RowKey,
        row: Option<&Record>,
    ) -> Result<Reply> {
        let access = self.access(table);
        let permitted = access.at_url(access.permitted_for(Operation::Delete)?, row);
        let copy = move |row: &dyn Row| Record::copy(row, table);
        for _ in 0..MAX_STALE {
            let found = self
                .store_unchecked()
                .find_any_with(permitted.clone(), key.clone(), copy)
                .await?;
            let Some(found) = found else {
                let seen = access.at_url(access.scoped()?, row);
                return Err(access.why_not_permitted(seen, key).await);
            };
            preconditions.check_row(self, table, &found)?;
            let deletion = Deletion::Unchanged(found);
            if let Some(reply) = self.delete_row(&access, &permitted, deletion).await? {
                return Ok(reply);
            }
        }
        Err(StoreError::Unavailable("the row kept changing".to_owned()).into())
    }
}
