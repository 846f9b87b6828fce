//! Reads and writes of handlers and views under the policies of the caller, which return rows instead of replies.

use model_resource_schema::column::Table;
use model_resource_schema::column_type::ColumnType;
use model_resource_schema::draft::Draft;
use model_resource_schema::model::{Model, Record, Row};
use model_resource_schema::query::Query;
use model_resource_store::{ListQuery, RowKey, StoreResult, read_model};

use crate::access::DeletedRows;
use crate::conditional::Preconditions;
use crate::handle::delete_row::Deletion;
use crate::pipeline::{Context, Error, Result};
use crate::routing::Operation;

impl Context {
    /// Returns the row with this primary key, if it exists for the caller. Of the URL's own model, only rows below the
    /// parents in the URL exist. Soft-deleted rows are never returned.
    pub async fn find<M: Model>(&self, key: impl ColumnType) -> Result<Option<M>> {
        let rows = self.access(M::table()).scoped_with(DeletedRows::Excluded)?;
        let key = key.to_value().to_value();
        let found = self
            .store_unchecked()
            .find_any_with(rows, key, read_model)
            .await?;
        Ok(found.transpose()?)
    }

    /// Returns the rows of a query that exist for the caller, in its order. Of the URL's own model, only rows below the
    /// parents in the URL exist. Soft-deleted rows are never returned.
    pub async fn list<M: Model>(&self, query: &Query<M>) -> Result<Vec<M>> {
        let rows = self.access(M::table()).scoped_with(DeletedRows::Excluded)?;
        let list = ListQuery::from(query).restrict(rows.into_where());
        Ok(self.store_unchecked().all_of(&list).await?)
    }

    /// Saves a new row with the presets of the caller, and returns it as it was saved.
    ///
    /// It is subject to the same policy as [`Context::created`], which replies with the object.
    ///
    /// ```
    /// use model_resource::{Context, Draft, Model, Result};
    ///
    /// #[derive(Model)]
    /// struct Loan {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     copy_id: i64,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Fee {
    ///     #[column(primary_key)]
    ///     id: i64,
    ///     loan_id: i64,
    ///     amount: i64,
    /// }
    ///
    /// async fn charge(cx: &Context, loan: &Loan, amount: i64) -> Result<Fee> {
    ///     let fee = Draft::new().with(Fee::LOAN_ID, loan.id).with(Fee::AMOUNT, amount);
    ///     cx.create(fee).await
    /// }
    /// ```
    pub async fn create<M: Model>(&self, draft: Draft<M>) -> Result<M> {
        let saved = self.insert_permitted(draft.into_any(), read_model, StoreResult::is_ok);
        Ok(saved.await??)
    }

    /// Saves the changes of a row, and returns it as it was saved.
    ///
    /// It is subject to the same policy as [`Context::updated`]. `If-Match` and the other preconditions of the request
    /// apply to the row of its URL.
    pub async fn save<M: Model>(&self, draft: Draft<M>) -> Result<M> {
        let draft = draft.into_any();
        let preconditions = match draft.original() {
            Some(row) => self.preconditions_of(draft.table(), row)?,
            None => Preconditions::default(),
        };
        let saved = self.update_permitted(draft, preconditions, read_model);
        Ok(saved.await??)
    }

    /// Deletes a row, or marks it as deleted if its model has `#[column(soft_delete)]`. It is subject to the same policy
    /// as [`Context::deleted`].
    pub async fn remove<M: Model>(&self, row: &M) -> Result<()> {
        let (table, access) = (M::table(), self.access(M::table()));
        let key = RowKey::Primary(row.value(table.primary_key).to_value());
        let permitted = access.permitted_for(Operation::Delete)?;
        let preconditions = self.preconditions_of(table, row)?;
        let deletion = if preconditions.is_empty() {
            Deletion::Any(key.clone())
        } else {
            preconditions.check_row(self, table, row)?;
            Deletion::Unchanged(Record::copy(row, table))
        };
        if self.delete_selected(&permitted, deletion).await? {
            return Ok(());
        }
        let store = self.store_unchecked();
        if !preconditions.is_empty() && store.exists_any(&permitted, key.clone()).await? {
            return Err(Error::stale());
        }
        Err(access.why_not_permitted(access.scoped()?, key).await)
    }

    /// Preconditions that the request has for a row: those of its headers for the row of its URL, and none for others.
    fn preconditions_of(&self, table: &'static Table, row: &dyn Row) -> Result<Preconditions> {
        if self.access(table).is_url_row(row) {
            Preconditions::of_write(self)
        } else {
            Ok(Preconditions::default())
        }
    }
}
