//! Connections of open transactions.

use super::error::{is_lost, map_error};
use super::pool::PooledConnection;
use crate::error::Result;

/// A connection that returns to the pool only after its transaction ended properly.
pub(super) struct HeldConnection(Option<PooledConnection>);

impl HeldConnection {
    pub(super) fn new(connection: PooledConnection) -> Self {
        Self(Some(connection))
    }

    pub(super) fn connection(&self) -> &PooledConnection {
        self.0
            .as_ref()
            .expect("only `into_connection` and `drop` take the connection, and both end `self`")
    }

    pub(super) fn connection_mut(&mut self) -> &mut PooledConnection {
        self.0
            .as_mut()
            .expect("only `into_connection` and `drop` take the connection, and both end `self`")
    }

    pub(super) fn into_connection(mut self) -> PooledConnection {
        self.0
            .take()
            .expect("only `into_connection` and `drop` take the connection, and both end `self`")
    }

    /// Rolls the transaction back.
    pub(super) async fn undo(self) -> Result<()> {
        let connection = self.connection();
        match connection.batch(connection.rollback_sql()).await {
            Ok(()) => {
                drop(self.into_connection());
                Ok(())
            }
            // The server also rolls back when the connection is lost.
            Err(error) if is_lost(&error) => Ok(()),
            Err(error) => Err(map_error(&error)),
        }
    }
}

impl Drop for HeldConnection {
    fn drop(&mut self) {
        // Closing the connection is the most reliable way to roll back.
        if let Some(connection) = self.0.take() {
            connection.close();
        }
    }
}
