//! Bringing the database's tables to what the models say, and finding out where they differ.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;
use tokio_postgres::Client;

use super::ddl;
use super::fault::fault;
use super::session::Session;
use super::statement::Statement;
use crate::error::{Error, Result};
use crate::tables;

/// Whoever changes tables holds this, so that several processes can start at once. It ends with the connection.
const LOCK: &str = "SELECT pg_advisory_lock(7163271884905)";

/// The columns of a table that the search path leads to.
const COLUMNS: &str = "SELECT attname::text FROM pg_attribute \
    WHERE attrelid = to_regclass(quote_ident($1)) AND attnum > 0 AND NOT attisdropped";

/// Applies the migrations that are missing.
pub(super) async fn migrate(mut client: Client, runner: &refinery::Runner) -> Result<()> {
    client.batch_execute(LOCK).await.map_err(|error| fault(&error))?;
    let report = runner.run_async(&mut client).await;
    report
        .map(drop)
        .map_err(|error| Error::Failed(format!("migrating: {}", Error::with_causes(&error))))
}

/// Creates the tables that are missing, all of them or none.
pub(super) async fn create(client: Client, tables: &[&'static Table]) -> Result<()> {
    tables::check(tables)?;
    let mut sql = format!("{LOCK}; BEGIN; ");
    for table in tables {
        sql.push_str(&ddl::create_table_sql(table));
    }
    sql.push_str("COMMIT");
    client.batch_execute(&sql).await.map_err(|error| fault(&error))
}

/// Fails with the tables and columns that are missing, and with those that make no sense.
pub(super) async fn verify(session: &Session, tables: &[&'static Table]) -> Result<()> {
    tables::check(tables)?;
    let mut missing = Vec::new();
    for table in tables {
        let statement = Statement::ready(COLUMNS).bind_one(ValueRef::Text(table.name));
        let rows = session.read(&statement).await?;
        let present: Vec<String> = rows.iter().filter_map(|row| row.try_get(0).ok()).collect();
        tables::note_missing(&mut missing, table, &present);
    }
    tables::report(&missing)
}
