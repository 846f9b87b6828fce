//! An application on a temporary database.

use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use model_resource::{Caller, Draft, ManualClock, Model, Query, Store, Timestamp};
use tokio::sync::oneshot;

use crate::callers::{CALLER, TestCallers};
use crate::client::TestClient;
use crate::database::TemporaryDatabase;
use crate::statements::StatementCount;
use crate::time_text::parse_time;

/// Application on a temporary database, and an anonymous [client](TestClient) of it. Dropping it stops the server, if
/// there is one, and drops the database.
///
/// Every method panics on failure, because a failed step is a failed test.
///
/// ```
/// use model_resource::{Api, Draft, Model, model_resource};
/// use model_resource_testing::TestApp;
/// use serde_json::json;
///
/// #[derive(Debug, Model)]
/// struct Book {
///     #[column(primary_key)]
///     id: i64,
///     title: String,
/// }
///
/// #[model_resource(Book, "/books", "/books/<int:id>")]
/// struct BookResource;
///
/// # #[tokio::main]
/// # async fn main() {
/// let app = TestApp::new(Api::new("library").model_resource::<BookResource>()).await;
/// let book = app.create(Draft::new().with(Book::TITLE, "Emma".to_owned())).await;
/// app.get(&format!("/books/{}", book.id))
///     .await
///     .assert_status(200)
///     .assert_json(json!({"title": "Emma"}));
/// app.get("/books/99").await.assert_status(404);
/// # }
/// ```
pub struct TestApp {
    pub(crate) client: TestClient,
    /// Callers of the test; `None` if the api is inside a router.
    pub(crate) callers: Option<TestCallers>,
    pub(crate) clock: Option<ManualClock>,
    /// Address of the server, and the value whose end stops it.
    pub(crate) served: Option<(SocketAddr, oneshot::Sender<()>)>,
    pub(crate) store: Store,
    /// Dropped last.
    pub(crate) database: TemporaryDatabase,
}

impl TestApp {
    /// Store of the application, which bypasses policies.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Database of the application.
    pub fn database(&self) -> &TemporaryDatabase {
        &self.database
    }

    /// Address of an application that was started by [`TestAppBuilder::over_socket`](crate::TestAppBuilder::over_socket).
    ///
    /// # Panics
    /// If the application has no socket.
    #[track_caller]
    pub fn address(&self) -> SocketAddr {
        let served = self.served.as_ref().map(|(address, _)| *address);
        served.expect("the application has no address: start it with `TestApp::builder(..).over_socket()`")
    }

    /// Saves a new instance, and returns it. Constraints of the model apply, and policies do not.
    pub async fn create<M: Model>(&self, draft: Draft<M>) -> M {
        let created = self.store.create(draft).await;
        created.unwrap_or_else(|error| panic!("cannot create a {}: {error}", M::table().model))
    }

    /// Saves new instances, and returns them in their order.
    pub async fn create_all<M: Model>(&self, drafts: impl IntoIterator<Item = Draft<M>>) -> Vec<M> {
        let mut created = Vec::new();
        for draft in drafts {
            created.push(self.create(draft).await);
        }
        created
    }

    /// Returns all instances of a model, for example to compare them before and after a rejected write.
    pub async fn all<M: Model>(&self) -> Vec<M> {
        let found = self.store.all(&Query::new()).await;
        found.unwrap_or_else(|error| panic!("cannot read the table {}: {error}", M::table().name))
    }

    /// Returns a client whose requests have this caller, whatever the authenticator of the api returns:
    /// `app.as_caller(Caller::of(7_i64).with_roles(["librarian"]))`.
    ///
    /// # Panics
    /// If the api has no authenticator, because then every caller is anonymous.
    #[track_caller]
    pub fn as_caller(&self, caller: Caller) -> TestClient {
        let callers = self.callers.as_ref();
        let callers =
            callers.expect("the api of a router is out of reach: start the test with the `Api` itself");
        assert!(
            callers.is_authenticated(),
            "the api has no authenticator, so that every caller is anonymous: add one, or start the test with \
             `TestApp::builder(..).test_authenticator()`"
        );
        self.client.with_header(CALLER, &callers.add(caller).to_string())
    }

    /// Current time of the application.
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// Advances the clock of the application.
    ///
    /// # Panics
    /// If [`TestAppBuilder::time`](crate::TestAppBuilder::time) has not frozen the clock.
    #[track_caller]
    pub fn advance(&self, duration: Duration) {
        self.clock().advance(duration);
    }

    /// Sets the clock of the application to a time, such as `2026-03-01T12:00:00Z`.
    ///
    /// # Panics
    /// If the text is not a timestamp, or if [`TestAppBuilder::time`](crate::TestAppBuilder::time) has not frozen the
    /// clock.
    #[track_caller]
    pub fn set_time(&self, time: &str) {
        self.clock().set(parse_time(time));
    }

    #[track_caller]
    fn clock(&self) -> &ManualClock {
        let clock = self.clock.as_ref();
        clock.expect("the time does not stand still: start the application with `TestApp::builder(..).time(\"2026-03-01T12:00:00Z\")`")
    }

    /// Runs a future and counts the SQL statements of the application meanwhile; see
    /// [`assert_statements!`](crate::assert_statements!) for a single request.
    pub async fn count_statements<T>(&self, work: impl Future<Output = T>) -> (T, StatementCount) {
        let before = StatementCount::of(&self.store);
        let result = work.await;
        (result, StatementCount::of(&self.store).since(before))
    }
}

impl Deref for TestApp {
    type Target = TestClient;

    fn deref(&self) -> &TestClient {
        &self.client
    }
}

impl std::fmt::Debug for TestApp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestApp")
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}
