//! Advisory locks of tables.

use model_resource_schema::column::Table;
use model_resource_schema::value::ValueRef;

use super::executor::Executor;
use super::statement::PostgresStatement;
use crate::error::Result;
use crate::sql::SqlWriter as _;

/// Waits for the advisory lock of a table and holds it until the transaction ends.
pub(super) async fn lock(executor: &Executor, table: &'static Table) -> Result<()> {
    let key = ValueRef::Int(lock_key(table.name));
    let statement = PostgresStatement::ready("SELECT pg_advisory_xact_lock($1)").bind_one(key);
    // Sent as a write, so that it is cancelled if the request is dropped while it waits.
    executor.write(&statement).await?;
    Ok(())
}

/// Key of a table's lock: FNV-1a, so that all processes and versions agree on it.
fn lock_key(table: &str) -> i64 {
    let bytes = b"model-resource:".iter().chain(table.as_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::lock_key;

    #[test]
    fn tables_have_keys_of_their_own_that_do_not_change() {
        assert_eq!(lock_key("tickets"), lock_key("tickets"));
        assert_ne!(lock_key("tickets"), lock_key("trips"));
    }
}
