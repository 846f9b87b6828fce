//! Reset of connections that an application's own code has used.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::cancel::{CancelOnDrop, Cancellations};
use super::held_connection::HeldConnection;
use super::pool::PooledConnection;

/// Time after which what still runs on a connection is cancelled: a statement whose future was dropped.
const GRACE: Duration = Duration::from_millis(250);

/// Lets the connection be reset before others can use it, in the background.
pub(super) fn reset_before_return(connection: &mut PooledConnection, cancellations: &Arc<Cancellations>) {
    let (cancellations, runtime) = (Arc::clone(cancellations), Handle::current());
    connection.set_before_return(Box::new(move |connection| {
        // Closed, if the runtime ends before.
        let held = HeldConnection::new(connection);
        let pending = cancellations.register();
        runtime.spawn(async move {
            reset(held, &cancellations).await;
            drop(pending);
        });
    }));
}

/// Resets a connection, or closes it if something remains.
async fn reset(held: HeldConnection, cancellations: &Arc<Cancellations>) {
    match tokio::time::timeout(GRACE, held.connection().reset()).await {
        Ok(Ok(true)) => drop(held.into_connection()),
        Ok(Ok(false)) => tracing::warn!(
            "closed a connection to the database: the client of `Store::postgres` was dropped with an open \
             transaction, which is rolled back, or with a statement of PREPARE; begin transactions by `Store::begin`"
        ),
        Ok(Err(error)) => tracing::debug!(%error, "closed a connection to the database that cannot be reset"),
        Err(_) => drop(CancelOnDrop::new(held.into_connection(), cancellations)),
    }
}

/// Rolls a transaction back, and cancels a statement that still runs in it.
pub(super) async fn undo_or_cancel(connection: PooledConnection, cancellations: &Arc<Cancellations>) {
    let held = HeldConnection::new(connection);
    let connection = held.connection();
    match tokio::time::timeout(GRACE, connection.batch(connection.rollback_sql())).await {
        Ok(Ok(())) => drop(held.into_connection()),
        Ok(Err(_)) => {}
        Err(_) => drop(CancelOnDrop::new(held.into_connection(), cancellations)),
    }
}
