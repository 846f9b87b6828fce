//! Numbers of SQL statements.

use model_resource::Store;

/// Numbers of SQL statements that a request or other work has run; see [`assert_statements!`](crate::assert_statements!).
///
/// Statements that begin and end transactions do not count, nor do those that only wait for a lock. The reads by which the
/// store finds the cause of a rejected write count on PostgreSQL alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatementCount {
    /// Number of statements that read.
    pub reads: u64,
    /// Number of statements that wrote.
    pub writes: u64,
}

impl StatementCount {
    /// Number of all statements.
    pub fn total(self) -> u64 {
        self.reads + self.writes
    }

    /// Statements that a store has run up to now.
    pub(crate) fn of(store: &Store) -> Self {
        Self {
            reads: store.read_count(),
            writes: store.writes(),
        }
    }

    /// Statements that the store has run since then.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            reads: self.reads - before.reads,
            writes: self.writes - before.writes,
        }
    }
}

impl std::fmt::Display for StatementCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} ({} reads, {} writes)",
            self.total(),
            self.reads,
            self.writes
        )
    }
}

/// Sends a request and asserts the number of its SQL statements, to detect N+1 queries. Returns the
/// [response](crate::TestResponse).
///
/// ```
/// # use model_resource::{Api, Model, model_resource};
/// # #[derive(Model)]
/// # struct Book {
/// #     #[column(primary_key)]
/// #     id: i64,
/// #     title: String,
/// # }
/// # #[model_resource(Book, "/books", "/books/<int:id>")]
/// # struct BookResource;
/// use model_resource_testing::{TestApp, assert_statements};
///
/// # #[tokio::main]
/// # async fn main() {
/// let app = TestApp::new(Api::new("library").model_resource::<BookResource>()).await;
/// let books = assert_statements!(1, app.get("/books"));
/// books.assert_status(200);
/// # }
/// ```
///
/// The statements of other requests that run at the same time on the same store count as well.
#[macro_export]
macro_rules! assert_statements {
    ($count:expr, $request:expr $(,)?) => {
        $request.await.assert_statements($count)
    };
}
