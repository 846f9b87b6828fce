//! The example of a library with its pages: books with authors, and invoices with lines and states.

use std::sync::Arc;

use browser_tests::{Browser, Look, Scripts};
use library::{Cards, Messages, api};
use model_resource::Pages;
use serde_json::{Value, json};
use test_support::{Client, TestApp};

/// The running library.
pub(crate) struct LibrarySite {
    app: TestApp,
    /// A client at the desk, which may write.
    pub(crate) desk: Client,
}

impl LibrarySite {
    /// Starts the library with two members, a dozen authors, a book with two of them and an invoice with three lines.
    pub(crate) async fn start() -> Self {
        let desk_key = "secret".to_owned();
        let api = api(Cards { desk_key }, Messages(Arc::new(|_, _| {}))).pages(Pages::new().title("Library"));
        let app = TestApp::with_api(api).await;
        let desk = app.with_header("desk-key", "secret");
        let site = Self { app, desk };
        for name in ["Ann", "Bob"] {
            let member = json!({"name": name, "email": format!("{name}@example.com")});
            site.create("/members", member).await;
        }
        let authors = ["Brian Kernighan", "Rob Pike", "Dennis Ritchie", "Ken Thompson"];
        for name in authors.into_iter().chain(["Barbara Liskov", "Donald Knuth"]) {
            site.create("/authors", json!({ "name": name })).await;
        }
        let book = json!({"title": "The Practice of Programming", "year": 1999, "authors": &authors[..2]});
        site.create("/books", book).await;
        let lines = json!([
            {"text": "3 days late", "cents": 60},
            {"text": "Lost card", "cents": 500},
            {"text": "Copies", "cents": 120},
        ]);
        site.create("/invoices", json!({"memberId": 1, "lines": lines}))
            .await;
        site
    }

    /// Creates something at the desk.
    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        self.desk.post(path, body).await.expect(201).json()
    }

    /// Returns an object as the desk sees it.
    pub(crate) async fn object(&self, path: &str) -> Value {
        self.desk.get(path).await.expect(200).json()
    }

    /// Starts a browser at the desk.
    pub(crate) async fn desk_browser(&self, scenario: &'static str) -> Browser {
        self.desk_browser_with(scenario, Look::Desktop).await
    }

    /// Starts a browser at the desk with a look.
    pub(crate) async fn desk_browser_with(&self, scenario: &'static str, look: Look) -> Browser {
        let browser = Browser::start_with(self.app.address, scenario, look, Scripts::On).await;
        browser.send_headers(json!({"desk-key": "secret"})).await;
        browser
    }

    /// Starts the browser of a member.
    pub(crate) async fn member_browser(&self, card: &str, scenario: &'static str) -> Browser {
        let browser = Browser::start(self.app.address, scenario).await;
        browser.send_headers(json!({ "library-card": card })).await;
        browser
    }
}
