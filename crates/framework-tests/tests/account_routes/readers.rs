//! Readers of a library: a UUID as key, a card number or an e-mail address as login name, and roles in tables.

use std::ops::Deref;

use model_resource::{Api, Field, Model, Uuid};
use model_resource_security::{Account, AccountRoutes, Roles, Security, hash_password};
use serde_json::{Value, json};
use test_support::{Client, Response, TestApp};

pub(crate) const PASSWORD: &str = "correct horse";

#[derive(Debug, Clone, Model)]
#[model(table = "readers")]
pub(crate) struct Reader {
    #[column(primary_key)]
    pub(crate) id: Uuid,
    #[column(unique, min_length = 2)]
    pub(crate) card_number: String,
    #[column(unique, email)]
    pub(crate) mail: String,
    full_name: Option<String>,
    #[column(hidden)]
    pub(crate) secret: String,
    #[column(hidden, default = true)]
    pub(crate) may_enter: bool,
}

#[derive(Debug, Clone, Model)]
#[model(table = "duties")]
pub(crate) struct Duty {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    title: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "reader_duties", unique(reader_id, duty_id))]
pub(crate) struct ReaderDuty {
    #[column(primary_key)]
    id: i64,
    #[column(references = Reader)]
    reader_id: Uuid,
    #[column(references = Duty)]
    duty_id: i64,
}

impl Account for Reader {
    const LOGIN_NAMES: &'static [Field<Self, String>] = &[Reader::CARD_NUMBER, Reader::MAIL];
    const PASSWORD_HASH: Field<Self, String> = Reader::SECRET;
    const ACTIVE: Option<Field<Self, bool>> = Some(Reader::MAY_ENTER);
    const ROLES: Roles<Self> =
        Roles::through(ReaderDuty::READER_ID, ReaderDuty::DUTY_ID, Duty::TITLE).known(&["librarian"]);
    const MIN_PASSWORD: usize = 10;
}

pub(crate) type ReaderSecurity = Security<Reader>;

/// A library with readers.
pub(crate) struct Library(TestApp);

impl Deref for Library {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.0
    }
}

impl Library {
    /// Serves all routes.
    pub(crate) async fn start() -> Self {
        Self::with_routes(ReaderSecurity::routes().admin_role("librarian")).await
    }

    pub(crate) async fn with_routes(routes: AccountRoutes<Reader>) -> Self {
        let security = ReaderSecurity::new().role_includes("librarian", ["helper"]);
        Self::with_api(Api::new("library").authenticator(security).register(routes)).await
    }

    pub(crate) async fn with_api(api: Api) -> Self {
        let mut tables = vec![Reader::table()];
        tables.extend(ReaderSecurity::tables());
        let serve = |store| api.store(store).init_app(axum::Router::new());
        Self(TestApp::with_router(&tables, serve).await)
    }

    /// Adds a reader, without the time that a registration takes beyond hashing.
    pub(crate) async fn add(&self, card: &str) -> Reader {
        let draft = model_resource::Draft::new()
            .with(Reader::CARD_NUMBER, card)
            .with(Reader::MAIL, format!("{card}@example.com"))
            .with(Reader::SECRET, hash_password(PASSWORD.to_owned()));
        ReaderSecurity::create_account(&self.store, draft, [""; 0])
            .await
            .unwrap()
    }

    pub(crate) async fn log_in(&self, card: &str, password: &str) -> Response {
        let login = json!({"cardNumber": card, "password": password});
        self.anonymous.post("/auth/login", login).await
    }

    /// Adds a reader, and returns a client with a token.
    pub(crate) async fn reader(&self, card: &str) -> (Reader, Client) {
        let reader = self.add(card).await;
        let login = self.log_in(card, PASSWORD).await.expect(200).json();
        (reader, self.anonymous.with_token(text(&login, "token")))
    }

    /// Adds a librarian, and returns a client with a token.
    pub(crate) async fn librarian(&self, card: &str) -> (Reader, Client) {
        let (reader, client) = self.reader(card).await;
        let granted = ReaderSecurity::grant_role(&self.store, &reader, "librarian").await;
        granted.unwrap();
        (reader, client)
    }
}

pub(crate) fn text<'a>(object: &'a Value, member: &str) -> &'a str {
    object[member].as_str().unwrap()
}
