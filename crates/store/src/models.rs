//! Typed store methods for handlers.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use model_resource_schema::column_type::{ColumnType, TypeMismatch};
use model_resource_schema::draft::Draft;
use model_resource_schema::model::{Model, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::value::Value;

use crate::error::{Error, Result};
use crate::list_query::ListQuery;
use crate::sink::RowSink;
use crate::store::Store;
use crate::update::{Precondition, Updated};
use model_resource_schema::query::{AnyQuery, Query};

impl Store {
    /// Returns the first instance of a query.
    pub async fn first<M: Model>(&self, query: &Query<M>) -> Result<Option<M>> {
        Ok(self.all_of(&ListQuery::from(query).limit(1)).await?.pop())
    }

    /// Returns all instances of a query, in its order.
    pub async fn all<M: Model>(&self, query: &Query<M>) -> Result<Vec<M>> {
        self.all_of(&ListQuery::from(query)).await
    }

    /// Returns the instance with this primary key.
    pub async fn get<M: Model>(&self, key: impl ColumnType) -> Result<Option<M>> {
        let key = key.to_value().to_value();
        let found = self
            .find_any_with(AnyQuery::from(M::table()), key, read_model)
            .await?;
        found.transpose()
    }

    /// Returns the instance whose primary key has this text, as in URLs; none if the text is not a valid key.
    pub async fn get_by_text<M: Model>(&self, key: &str) -> Result<Option<M>> {
        let Ok(key) = M::table().key().data_type.parse(key) else {
            return Ok(None);
        };
        let found = self
            .find_any_with(AnyQuery::from(M::table()), key, read_model)
            .await?;
        found.transpose()
    }

    /// Returns the instances with these primary keys by one statement, in the order of their keys.
    ///
    /// It is a short read like [`Store::get`], so that the keys should be no more than a hundred.
    pub async fn get_many<M: Model>(&self, keys: Vec<Value>) -> Result<Vec<M>> {
        let table = M::table();
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        // The statement of one key has a plan that does not depend on the number of keys.
        match <[Value; 1]>::try_from(keys) {
            Ok([key]) => {
                let found = self.find_any_with(AnyQuery::from(table), key, read_model).await?;
                found.into_iter().collect()
            }
            Err(keys) => {
                let found = self.all_of_again(&ListQuery::of_keys(table, keys)).await;
                found.map_err(Error::of_row_read)
            }
        }
    }

    /// Returns all instances of a list. It is read again if the connection is lost after some of its rows, which nobody
    /// has seen; a connection that is lost before them is replaced where statements run.
    async fn all_of_again<M: Model>(&self, list: &ListQuery) -> Result<Vec<M>> {
        let has_rows = Arc::new(AtomicBool::new(false));
        let sink = NoticeRows {
            sink: CollectModels::default(),
            has_rows: Arc::clone(&has_rows),
        };
        match self.scan(list, Arc::from([]), sink).await {
            Err(Error::Unavailable(_)) if has_rows.load(Ordering::Relaxed) => self.all_of(list).await,
            scanned => scanned?.sink.sink.found(),
        }
    }

    /// Returns all instances of a query of the framework itself that finds a few rows by an index. It is a short read like
    /// [`Store::get_many`], which waits for no search.
    #[doc(hidden)]
    pub async fn all_short<M: Model>(&self, query: &Query<M>) -> Result<Vec<M>> {
        let list = ListQuery::from(query).of_small_table(true);
        self.all_of(&list).await.map_err(Error::of_row_read)
    }

    /// Saves a new instance and returns it as it was saved.
    pub async fn create<M: Model>(&self, draft: Draft<M>) -> Result<M> {
        self.insert_any_with(draft.into_any(), read_model).await?
    }

    /// Returns the first instance of a query, or creates one from the draft if there is none.
    ///
    /// Concurrent calls create one instance only if a unique constraint of the model says so; all of them return it.
    pub async fn find_or_create<M: Model>(&self, query: &Query<M>, draft: Draft<M>) -> Result<M> {
        if let Some(found) = self.first(query).await? {
            return Ok(found);
        }
        match self.create(draft).await {
            Err(Error::Invalid(errors)) => self.first(query).await?.ok_or(Error::Invalid(errors)),
            created => created,
        }
    }

    /// Saves the changes of an instance and returns it as it was saved.
    ///
    /// # Errors
    /// [`StoreError::Missing`](crate::StoreError::Missing) if the row no longer exists.
    pub async fn save<M: Model>(&self, draft: Draft<M>) -> Result<M> {
        let (select, draft) = (AnyQuery::from(M::table()), draft.into_any());
        match self
            .update_any_with(&select, &draft, Precondition::Exists, read_model)
            .await?
        {
            Updated::Row(instance) => instance,
            Updated::Missing | Updated::Stale(_) => Err(Error::Missing),
        }
    }

    /// Deletes the instances that a query matches by one statement; returns their number.
    ///
    /// # Errors
    /// If the query has an offset or a limit, which a deletion does not honour.
    pub async fn delete_all<M: Model>(&self, query: &Query<M>) -> Result<u64> {
        if query.skipped() > 0 || query.max_rows().is_some() {
            let message = "a query with an offset or a limit cannot be deleted: delete by a filter instead";
            return Err(Error::Failed(message.to_owned()));
        }
        self.delete_all_any(query.as_any()).await
    }

    /// Deletes an instance; returns whether it existed.
    pub async fn remove<M: Model>(&self, instance: &M) -> Result<bool> {
        let table = M::table();
        let key = instance.value(table.primary_key).to_value();
        self.delete_any(&AnyQuery::from(table), key).await
    }

    /// Returns all rows of a list as instances of the model, whose table must be that of the list.
    pub async fn all_of<M: Model>(&self, list: &ListQuery) -> Result<Vec<M>> {
        if list.table().id() != M::table().id() {
            let (table, model) = (list.table().name, M::table().model);
            return Err(Error::Failed(format!(
                "the rows of table {table} are not instances of {model}"
            )));
        }
        let scanned = self.scan(list, Arc::from([]), CollectModels::default()).await?;
        scanned.sink.found()
    }
}

/// A sink that builds instances directly from rows.
#[derive(Debug)]
pub struct CollectModels<M> {
    found: Vec<M>,
    mismatch: Option<TypeMismatch>,
}

impl<M: Model> CollectModels<M> {
    /// Returns the instances; fails if a row was not a valid instance.
    pub fn found(self) -> Result<Vec<M>> {
        match self.mismatch {
            None => Ok(self.found),
            Some(mismatch) => Err(unreadable::<M>(&mismatch)),
        }
    }
}

impl<M> Default for CollectModels<M> {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            mismatch: None,
        }
    }
}

/// A sink that remembers whether a row has arrived, also if the scan fails and drops it.
struct NoticeRows<S> {
    sink: S,
    has_rows: Arc<AtomicBool>,
}

impl<S: RowSink> RowSink for NoticeRows<S> {
    fn row(&mut self, row: &dyn Row, related: &Related) -> ControlFlow<()> {
        self.has_rows.store(true, Ordering::Relaxed);
        self.sink.row(row, related)
    }

    fn is_chunked(&self) -> bool {
        self.sink.is_chunked()
    }

    fn bytes(&self) -> usize {
        self.sink.bytes()
    }
}

impl<M: Model> RowSink for CollectModels<M> {
    fn row(&mut self, row: &dyn Row, _: &Related) -> ControlFlow<()> {
        match M::from_row(row) {
            Ok(instance) => self.found.push(instance),
            Err(mismatch) => self.mismatch = Some(mismatch),
        }
        if self.mismatch.is_some() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// Maps a row to an instance of its model. Fails if a value does not have the type of its column.
pub fn read_model<M: Model>(row: &dyn Row) -> Result<M> {
    M::from_row(row).map_err(|mismatch| unreadable::<M>(&mismatch))
}

fn unreadable<M: Model>(mismatch: &TypeMismatch) -> Error {
    Error::Failed(format!(
        "a row of table {} is not a valid {}: {mismatch}",
        M::table().name,
        M::table().model
    ))
}
