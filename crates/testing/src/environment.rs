//! Environment variables of tests.

/// Kind of the database, or the URL of a PostgreSQL server.
pub(crate) const DATABASE: &str = "TEST_DATABASE";
