//! Responses of requests that clients may repeat, stored in the transactions that made them.

use std::time::Duration;

use model_resource_schema::column::{Column, ColumnRole, KeyGeneration, Table};
use model_resource_schema::data_type::DataType;
use model_resource_schema::model::Row;
use model_resource_schema::query::AnyQuery;
use model_resource_schema::value::{Value, ValueRef};
use uuid::Uuid;

use crate::backend::Backend as _;
use crate::database::call_async;
use crate::dialect::SqlDialect;
use crate::error::{Error, Result};
use crate::raw_sql::Sql;
use crate::row_key::RowKey;
use crate::store::Store;

/// Table of the responses, which migrations and `create_tables` create.
static RESPONSES: Table = Table::new(
    "model_resource_responses",
    "StoredResponse",
    &[
        Column::new("id", DataType::Uuid).role(ColumnRole::PrimaryKey(KeyGeneration::Client)),
        Column::new("request", DataType::Bytes),
        Column::new("status", DataType::I16),
        Column::new("headers", DataType::Bytes),
        Column::new("body", DataType::Bytes).nullable(true),
        Column::new("expires", DataType::I64),
    ],
);
const EXPIRES: usize = 5;

const INSERT: &str = "INSERT INTO model_resource_responses (id, request, status, headers, body, expires) \
                      VALUES ($1, $2, $3, $4, $5, $6)";

/// Index by which PostgreSQL finds old responses.
const INDEX: &str =
    "CREATE INDEX IF NOT EXISTS model_resource_responses_expires ON model_resource_responses (expires)";

/// Looks the table up in the catalog of PostgreSQL.
const LOOKUP: &str = "SELECT 1 AS found WHERE to_regclass('model_resource_responses') IS NOT NULL";

/// Returns the statement that removes some old responses. SQLite has their order already, by the time when they were
/// stored, so that a write updates one index less.
fn sweep(dialect: SqlDialect) -> &'static str {
    match dialect {
        SqlDialect::Sqlite => {
            "DELETE FROM model_resource_responses WHERE expires < $1 AND rowid IN \
             (SELECT rowid FROM model_resource_responses ORDER BY rowid LIMIT $2)"
        }
        SqlDialect::Postgres => {
            "DELETE FROM model_resource_responses WHERE id IN \
             (SELECT id FROM model_resource_responses WHERE expires < $1 ORDER BY expires LIMIT $2)"
        }
    }
}

/// Response of a request that a client may repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// Digest of the request that it answers.
    pub request: Vec<u8>,
    /// HTTP status.
    pub status: u16,
    /// Headers, in a form that the caller chooses.
    pub headers: Vec<u8>,
    /// Body, unless it was too large to be stored.
    pub body: Option<Vec<u8>>,
}

impl Store {
    /// Creates the table if the database has none. Programs on databases that refuse it still work, but reject requests
    /// that may be repeated.
    pub(crate) async fn create_responses(&self) {
        // An existing table is not locked for the index.
        if self.keeps_responses().await {
            return;
        }
        let created = call_async!(self.database, backend => backend.create_tables(vec![&RESPONSES]));
        let created = match created {
            Ok(()) if self.database.dialect() == SqlDialect::Postgres => {
                call_async!(self.database, backend => backend.run_locked(INDEX.to_owned()))
            }
            outcome => outcome,
        };
        if let Err(error) = created {
            let table = RESPONSES.name;
            tracing::warn!(%error, "table {table} for responses to repeated requests cannot be created");
        }
    }

    /// Whether the database has the table of responses, which migrations and [`Store::create_tables`] create.
    pub async fn keeps_responses(&self) -> bool {
        if self.own_tables.has_responses() {
            return true;
        }
        let has_responses = self.has_table().await && self.find_response(Uuid::nil()).await.is_ok();
        if has_responses {
            self.own_tables.set_responses();
        }
        has_responses
    }

    /// Whether PostgreSQL has the table. A statement about a missing table would be logged as a fault of the database.
    async fn has_table(&self) -> bool {
        match self.database.dialect() {
            SqlDialect::Sqlite => true,
            SqlDialect::Postgres => {
                let found = self.fetch_short(Sql::new(LOOKUP)).await;
                found.is_ok_and(|rows| !rows.is_empty())
            }
        }
    }

    /// Response that is stored with this id. One that has expired is removed, so that the id can be used again.
    pub async fn find_response(&self, id: Uuid) -> Result<Option<StoredResponse>> {
        let key = RowKey::Primary(Value::Uuid(id));
        let found = self
            .find_any_with(AnyQuery::from(&RESPONSES), key, read_response)
            .await?;
        match found.transpose()? {
            Some((response, expires)) if expires > self.now().as_second() => return Ok(Some(response)),
            Some(_) => self.remove_expired(id).await?,
            None => {}
        }
        Ok(None)
    }

    async fn remove_expired(&self, id: Uuid) -> Result<()> {
        let remove = Sql::new("DELETE FROM model_resource_responses WHERE id = $1 AND expires <= $2");
        self.execute(remove.bind(id).bind(self.now().as_second())).await?;
        Ok(())
    }

    /// Stores a response at the commit of the [deferred transaction](Self::defer_keyed) that this store is of.
    ///
    /// If one with its id is stored already, the transaction is rolled back and fails with
    /// [`StoreError::Repeated`](crate::StoreError::Repeated).
    ///
    /// # Errors
    /// If no such transaction is open.
    pub fn record_response(&self, response: StoredResponse, lifetime: Duration) -> Result<()> {
        let deferral = self.deferral.as_ref();
        let open = deferral.filter(|deferral| deferral.open().is_some());
        let Some((deferral, id)) = open.and_then(|open| open.response_id.map(|id| (open, id))) else {
            let message = "no deferred transaction with the id of a response is open";
            return Err(Error::Failed(message.to_owned()));
        };
        let StoredResponse {
            request,
            status,
            headers,
            body,
        } = response;
        let insert = Sql::new(INSERT)
            .bind(id)
            .bind(request)
            .bind(i64::from(status))
            .bind(headers)
            .bind(body)
            .bind(self.now().as_second().saturating_add_unsigned(lifetime.as_secs()));
        deferral.set_response(insert);
        Ok(())
    }

    /// Removes at most this many of the responses that have expired, the oldest ones first. Returns their number.
    pub async fn sweep_responses(&self, limit: u32) -> Result<u64> {
        let sweep = Sql::new(sweep(self.database.dialect()))
            .bind(self.now().as_second())
            .bind(i64::from(limit));
        self.execute(sweep).await
    }
}

/// Reads a response and the time when it expires.
fn read_response(row: &dyn Row) -> Result<(StoredResponse, i64)> {
    let unreadable = || Error::Failed(format!("table {} has other columns", RESPONSES.name));
    let bytes = |column| match row.value(column) {
        ValueRef::Bytes(bytes) => Ok(bytes.to_vec()),
        _ => Err(unreadable()),
    };
    let int = |column| match row.value(column) {
        ValueRef::Int(number) => Ok(number),
        _ => Err(unreadable()),
    };
    let response = StoredResponse {
        request: bytes(1)?,
        status: int(2)?.try_into().map_err(|_| unreadable())?,
        headers: bytes(3)?,
        body: match row.value(4) {
            ValueRef::Null => None,
            _ => Some(bytes(4)?),
        },
    };
    Ok((response, int(EXPIRES)?))
}
