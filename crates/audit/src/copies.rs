//! Copies of the prepared database, with the application on each.

use model_resource::schema::query::AnyQuery;
use model_resource::{ApiService, Sql, Store};

use crate::audit::Audited;
use crate::error::BoxError;
use crate::fixture::FixtureRow;

/// Source of copies for one thread.
pub(crate) struct Copies<'a, A> {
    pub(crate) application: &'a A,
    /// Database that is copied.
    pub(crate) prepared: &'a Store,
    last: Option<AppCopy>,
}

/// Application on a copy of the database.
struct AppCopy {
    service: ApiService,
    store: Store,
    /// Number of rows that were written when the copy was new.
    changes: i64,
}

impl<'a, A: Audited> Copies<'a, A> {
    pub(crate) fn new(application: &'a A, prepared: &'a Store) -> Self {
        Self {
            application,
            prepared,
            last: None,
        }
    }

    /// Returns the application on a new copy.
    pub(crate) async fn fresh(&mut self) -> Result<ApiService, BoxError> {
        let store = self.prepared.copy_to_memory().await?;
        let changes = changes(&store).await?;
        let service = self.application.service(store.clone());
        self.last = Some(AppCopy {
            service: service.clone(),
            store,
            changes,
        });
        Ok(service)
    }

    /// Returns the application on the last copy, if no request has written to it since it was made.
    pub(crate) async fn unchanged(&mut self) -> Result<Option<ApiService>, BoxError> {
        if let Some(last) = &self.last
            && changes(&last.store).await? == last.changes
        {
            return Ok(Some(last.service.clone()));
        }
        self.last = None;
        Ok(None)
    }

    /// Returns the application on a new copy without these rows.
    pub(crate) async fn without(&mut self, rows: &[FixtureRow]) -> Result<ApiService, BoxError> {
        let service = self.fresh().await?;
        if let Some(copy) = &self.last {
            for row in rows {
                let all = AnyQuery::from(row.table);
                copy.store.delete_any(&all, row.key().clone()).await?;
            }
        }
        Ok(service)
    }

    /// Leaves the last copy to nobody else.
    pub(crate) fn discard(&mut self) {
        self.last = None;
    }
}

/// Number of rows that were written, also if they were rolled back. A database in memory has one connection, which
/// counts all of them.
async fn changes(store: &Store) -> Result<i64, BoxError> {
    let rows = store.fetch(Sql::new("SELECT total_changes() AS changes")).await?;
    let row = rows.first().ok_or("SQLite counts no changes")?;
    Ok(row.get("changes")?)
}
