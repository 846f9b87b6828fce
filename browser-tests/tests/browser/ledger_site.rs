//! A ledger, whose resources require an `Idempotency-Key`, `If-Match`, or both.

use browser_tests::Browser;
use model_resource::{
    Api, CREATE, ColumnEnum, DELETE, Model, ModelResource, Operations, PATCH, PageOptions, Pages, RowAction,
    Uuid, model_resource,
};
use serde_json::{Value, json};
use test_support::{Client, TestApp};

/// A movement of money, which no repeated request may make twice.
#[derive(Debug, Clone, Model)]
#[model(table = "payments")]
struct Payment {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 1, unique)]
    payee: String,
    #[column(default = 0)]
    cents: i64,
}

struct PaymentResource;

#[model_resource(Payment, "/payments", "/payments/<int:id>")]
impl ModelResource for PaymentResource {
    const REQUIRE_IDEMPOTENCY_KEY: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ColumnEnum)]
enum AccountState {
    Open,
    Blocked,
}

/// An account, whose version is a number.
#[derive(Debug, Clone, Model)]
#[model(table = "accounts")]
struct Account {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = 0)]
    overdraft: i64,
    #[column(default = "open", transitions(Open -> Blocked, Blocked -> Open))]
    state: AccountState,
    #[column(version)]
    version: i64,
}

struct AccountResource;

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
impl ModelResource for AccountResource {
    const REQUIRE_IF_MATCH: bool = true;
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);

    fn page() -> PageOptions<Account> {
        PageOptions::new().action(RowAction::set("Remove the overdraft", Account::OVERDRAFT, 0))
    }
}

/// A note, whose version is a digest, and which is changed one at a time.
#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = 0)]
    rank: i64,
}

struct NoteResource;

#[model_resource(Note, "/notes", "/notes/<int:id>")]
impl ModelResource for NoteResource {
    const REQUIRE_IDEMPOTENCY_KEY: bool = true;
    const REQUIRE_IF_MATCH: bool = true;
}

/// The running ledger.
pub(crate) struct LedgerSite {
    app: TestApp,
}

impl LedgerSite {
    /// Starts the ledger without rows.
    pub(crate) async fn start() -> Self {
        let api = Api::new("ledger")
            .anonymous_write_rate(None)
            .model_resource::<PaymentResource>()
            .model_resource::<AccountResource>()
            .model_resource::<NoteResource>()
            .pages(Pages::new());
        let app = TestApp::with_api(api).await;
        Self { app }
    }

    /// Starts a browser.
    pub(crate) async fn browser(&self, scenario: &'static str) -> Browser {
        Browser::start(self.app.address, scenario).await
    }

    /// Creates a row with a new key.
    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        let key = Uuid::now_v7().to_string();
        let keyed = self.app.with_header("idempotency-key", &key);
        keyed.post(path, body).await.expect(201).json()
    }

    /// Returns what is stored.
    pub(crate) async fn object(&self, path: &str) -> Value {
        self.app.get(path).await.expect(200).json()
    }

    /// Returns a client that may change the present version of an object.
    pub(crate) async fn other_client(&self, path: &str) -> Client {
        let tag = self.app.get(path).await.expect(200).header("etag").to_owned();
        self.app
            .with_header("if-match", &tag)
            .with_header("idempotency-key", &Uuid::now_v7().to_string())
    }

    /// Changes an object as somebody else.
    pub(crate) async fn change(&self, path: &str, body: Value) {
        self.other_client(path).await.patch(path, body).await.expect(200);
    }

    /// Whether an object does not exist.
    pub(crate) async fn is_gone(&self, path: &str) -> bool {
        self.app.get(path).await.status == 404
    }
}

/// Opens a page that remembers its writes in `sent`, as method, key and version, and the number of versions that it has
/// read in `heads`. It loses the responses to the next `lost` writes.
pub(crate) async fn open_watched(browser: &Browser, path: &str) {
    browser.open(path).await;
    let watch = "
        Object.assign(window, { sent: [], heads: 0, lost: 0 });
        const real = window.fetch;
        window.fetch = async (url, options = {}) => {
            const { method = 'GET', headers = {} } = options;
            const isWrite = !['GET', 'HEAD'].includes(method);
            if (isWrite) window.sent.push([method, headers['Idempotency-Key'] ?? null, headers['If-Match'] ?? null]);
            const response = await real(url, options);
            if (method === 'HEAD') window.heads += 1;
            if (isWrite && window.lost > 0) { window.lost -= 1; throw new TypeError('The connection is lost.'); }
            return response;
        };";
    browser.script(watch, &[]).await;
}

/// Loses the responses to the next writes of a page.
pub(crate) async fn lose_responses(browser: &Browser, count: u32) {
    browser
        .script("window.lost = arguments[0]", &[json!(count)])
        .await;
}

/// Selects the first rows of a list.
pub(crate) async fn select_rows(browser: &Browser, count: usize) {
    for row in 1..=count {
        let checkbox = format!("tbody tr:nth-child({row}) input[type=checkbox]");
        browser.css(&checkbox).await.click().await;
    }
    browser.wait_for_text(&format!("{count} selected")).await;
}

/// Sets a field of the selected rows to a number, up to the question that confirms it.
pub(crate) async fn set_field(browser: &Browser, label: &str, name: &str, value: &str) {
    browser.button("Change a field").await.click().await;
    browser.field("Field").await.send_keys(label).await;
    browser
        .css(&format!("dialog [name={name}]"))
        .await
        .fill(value)
        .await;
    browser.button("Continue").await.click().await;
    browser
        .wait_for_text(&format!("{label} is set to {value} in "))
        .await;
}
