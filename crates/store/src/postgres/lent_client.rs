//! Clients of the driver that an application's own code uses.

use std::sync::Arc;

use tokio_postgres::Client;

use super::cancel::Cancellations;
use super::lending::LentInTransaction;
use super::pool::{ConnectionPool, Lane, PooledConnection};
use super::reset::reset_before_return;
use super::url::Prepare;
use super::violation;
use crate::error::{Error, Result};

/// A client of the driver, lent until this is dropped.
pub(crate) struct LentClient(Origin);

/// Connection that a client belongs to.
enum Origin {
    /// A connection that nobody else uses.
    Pool(Box<PooledConnection>),
    Transaction(LentInTransaction),
}

impl LentClient {
    /// Takes a connection from those for transactions, so that the others remain for single statements.
    pub(super) async fn of_pool(
        pool: &Arc<ConnectionPool>,
        cancellations: &Arc<Cancellations>,
    ) -> Result<Self> {
        if pool.server().options.prepare == Prepare::Unnamed {
            return Err(Error::Failed(
                "with `?prepare=off` a session of PostgreSQL is shared between its transactions: begin one by \
                 `Store::begin`, and use the client of the transaction"
                    .to_owned(),
            ));
        }
        let mut connection = pool.acquire(Lane::Transactions, None).await?;
        reset_before_return(&mut connection, cancellations);
        Ok(Self(Origin::Pool(Box::new(connection))))
    }

    pub(super) fn of_transaction(lent: LentInTransaction) -> Self {
        Self(Origin::Transaction(lent))
    }

    pub(crate) fn client(&self) -> &Client {
        match &self.0 {
            Origin::Pool(connection) => connection.lend(),
            Origin::Transaction(lent) => lent.client(),
        }
    }
}

/// Maps an error of an application's own statement as one of raw SQL: a violated constraint is
/// [`StoreError::Invalid`](crate::StoreError::Invalid), for the object as a whole.
impl From<tokio_postgres::Error> for Error {
    fn from(error: tokio_postgres::Error) -> Self {
        violation::of_raw_sql(&error)
    }
}
