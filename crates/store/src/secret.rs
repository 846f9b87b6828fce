//! The secret that all processes on a database share.

use crate::backend::{Backend as _, ReadLength};
use crate::database::call_async;
use crate::dialect::SqlDialect;
use crate::error::Result;
use crate::raw_sql::Sql;
use crate::store::Store;

/// Table of the secrets, which migrations and `create_tables` create.
const TABLE: &str = "model_resource_secrets";

impl Store {
    /// Secret that signs the cursors of lists, equal in all processes on the database and after a restart. Migrations
    /// and [`Store::create_tables`] create it; `None` before.
    pub fn cursor_secret(&self) -> Option<&[u8]> {
        self.own_tables.secret()
    }

    /// Reads the secret if the database has one.
    pub(crate) async fn read_secret(&self) {
        match self.find_secret().await {
            Ok(Some(secret)) => self.own_tables.set_secret(secret),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "the secret of cursors in table {TABLE} cannot be read"),
        }
    }

    /// Creates the secret if the database has none. Programs on databases that refuse it still work, without cursors
    /// that other processes accept.
    pub(crate) async fn create_secret(&self) {
        self.read_secret().await;
        if self.cursor_secret().is_some() {
            return;
        }
        let sql = create_sql();
        match call_async!(self.database, backend => backend.run_locked(sql)) {
            Ok(()) => self.read_secret().await,
            Err(error) => {
                tracing::warn!(%error, "table {TABLE} for the secret of cursors cannot be created");
            }
        }
    }

    async fn find_secret(&self) -> Result<Option<String>> {
        let exists = match self.dialect() {
            SqlDialect::Sqlite => "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = $1",
            SqlDialect::Postgres => "SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL",
        };
        if self
            .database
            .fetch(Sql::new(exists).bind(TABLE), ReadLength::Long)
            .await?
            .is_empty()
        {
            return Ok(None);
        }
        let select = Sql::new(format!("SELECT secret FROM {TABLE} WHERE name = 'cursors'"));
        let rows = self.database.fetch(select, ReadLength::Long).await?;
        rows.first().map(|row| row.get("secret")).transpose()
    }
}

/// Creates the table and the secret, unless another process was first.
fn create_sql() -> String {
    let secret = [uuid::Uuid::new_v4(), uuid::Uuid::new_v4()].map(|half| half.simple().to_string());
    format!(
        "CREATE TABLE IF NOT EXISTS {TABLE} (name text PRIMARY KEY, secret text NOT NULL); \
         INSERT INTO {TABLE} (name, secret) VALUES ('cursors', '{}') ON CONFLICT (name) DO NOTHING",
        secret.concat()
    )
}
