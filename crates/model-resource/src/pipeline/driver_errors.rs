//! Errors of an application's own statements, which use the drivers directly.

use model_resource_store::StoreError;

use crate::pipeline::error::Error;

/// Maps an error of a statement as one of raw SQL: a violated constraint is a 400 for the object as a whole.
#[cfg(feature = "postgres")]
impl From<model_resource_store::tokio_postgres::Error> for Error {
    fn from(error: model_resource_store::tokio_postgres::Error) -> Self {
        StoreError::from(error).into()
    }
}

/// Maps an error of a statement as one of raw SQL: a violated constraint is a 400 for the object as a whole.
#[cfg(feature = "sqlite")]
impl From<model_resource_store::rusqlite::Error> for Error {
    fn from(error: model_resource_store::rusqlite::Error) -> Self {
        StoreError::from(error).into()
    }
}
