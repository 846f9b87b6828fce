//! Inserts of several rows.

use model_resource_schema::column::Table;
use model_resource_schema::draft::AnyDraft;

use crate::backend::Backend as _;
use crate::database::call_async;
use crate::error::{Error, Result};
use crate::store::{Store, require_valid};

impl Store {
    /// Inserts the drafts of one table, with few statements. If one fails, returns its position, and those before it may
    /// be inserted: roll the transaction back.
    ///
    /// # Errors
    /// Outside of a transaction.
    pub async fn insert_all_any(
        &self,
        table: &'static Table,
        drafts: Vec<AnyDraft>,
    ) -> Result<(), (usize, Error)> {
        if !self.is_in_transaction() {
            return Err((0, Error::Failed("no transaction is open".to_owned())));
        }
        let mut rows = Vec::with_capacity(drafts.len());
        for (place, draft) in drafts.into_iter().enumerate() {
            let row = require_valid(draft.check())
                .and_then(|()| draft.insert_values(&self.clock).map_err(Error::Invalid))
                .map_err(|error| (place, error))?;
            rows.push(row);
        }
        let timer = self.slow.start();
        let database = self.writes_to().await.map_err(|error| (0, error))?;
        let _change = self.changes().insert(table);
        let outcome = call_async!(*database, backend => backend.insert_rows(table, rows));
        timer.end("insert", table);
        outcome
    }
}
