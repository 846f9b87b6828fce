//! The reference application with sample articles, and the people who use it.

use backend::app::Settings;
use browser_tests::{Browser, Look, Scripts};
use model_resource::Server;
use serde_json::{Value, json};
use test_support::{Client, TestApp, TestDatabase};

pub(crate) const ARTICLES: &str = "/api/v1/articles";
const PASSWORD: &str = "correct horse";

/// People who use the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    /// An anonymous visitor.
    Visitor,
    /// The author of some articles.
    Author,
    /// An admin.
    Admin,
}

impl Person {
    /// Returns the user name of a person with an account.
    pub(crate) fn user_name(self) -> &'static str {
        match self {
            Self::Visitor => "nobody",
            Self::Author => "ann",
            Self::Admin => "root",
        }
    }
}

/// The running application.
pub(crate) struct Site {
    pub(crate) app: TestApp,
    /// A client with the token of the admin.
    pub(crate) admin: Client,
}

impl Site {
    /// Starts the application on an empty database with two accounts.
    pub(crate) async fn empty() -> Self {
        let database = TestDatabase::create();
        let store = backend::app::APPLICATION.open(&database.url()).await.unwrap();
        let app = backend::app::APPLICATION.service(store.clone(), &Settings::default());
        let app = TestApp::serve(database, store, app, Server::default()).await;
        account(&app, "ann").await;
        let admin = account(&app, "root").await;
        app.database()
            .execute("UPDATE users SET roles = 'admin' WHERE username = 'root'");
        Self { app, admin }
    }

    /// Starts the application with two categories, three tags, sixty articles and comments on the first one. Every
    /// third article belongs to the author, and every tenth is a draft.
    pub(crate) async fn start() -> Self {
        let site = Self::empty().await;
        for name in ["Rust", "Gardens"] {
            site.create("/api/v1/categories", json!({ "name": name })).await;
        }
        for name in ["amber", "cedar", "stone"] {
            site.create("/api/v1/tags", json!({"tag": {"name": name}})).await;
        }
        let articles: Vec<Value> = (1..=60).map(article).collect();
        site.create(ARTICLES, Value::from(articles)).await;
        for reader in ["Ben", "Eva"] {
            let comment = json!({"name": reader, "body": format!("{reader} likes it.")});
            site.create(&format!("{ARTICLES}/1/comments"), comment).await;
        }
        site
    }

    /// Creates something as the admin.
    pub(crate) async fn create(&self, path: &str, body: Value) -> Value {
        let response = self.admin.post(path, body).await;
        assert!(response.status.is_success(), "{path}: {}", response.text());
        response.json()
    }

    /// Returns an object as the admin sees it.
    pub(crate) async fn object(&self, path: &str) -> Value {
        self.admin.get(path).await.expect(200).json()
    }

    /// Starts the browser of a person, who is logged in.
    pub(crate) async fn browser(&self, person: Person, scenario: &'static str) -> Browser {
        self.browser_with(person, scenario, Look::Desktop).await
    }

    /// Starts the browser of a person with a look.
    pub(crate) async fn browser_with(&self, person: Person, scenario: &'static str, look: Look) -> Browser {
        let browser = Browser::start_with(self.app.address, scenario, look, Scripts::On).await;
        if person != Person::Visitor {
            browser.open(ARTICLES).await;
            let script = "
                const body = JSON.stringify({ email: arguments[0], password: arguments[1], credential: 'session' });
                const headers = { 'Content-Type': 'application/json' };
                return fetch('/api/v1/auth/login', { method: 'POST', headers, body }).then(response => response.status);";
            let arguments = [json!(person.user_name()), json!(PASSWORD)];
            assert_eq!(browser.script(script, &arguments).await, 200);
        }
        browser
    }
}

/// Logs in by the form of the page, and returns to the page.
pub(crate) async fn log_in(browser: &Browser, person: Person) {
    browser.link("Log in").await.click().await;
    browser.field("Email").await.fill(person.user_name()).await;
    browser.field("Password").await.fill(PASSWORD).await;
    browser.button("Log in").await.click().await;
    browser.wait_for_text(person.user_name()).await;
}

/// Registers an account and returns a client with its token.
async fn account(app: &TestApp, name: &str) -> Client {
    let email = format!("{name}@example.com");
    let body = json!({"email": email, "username": name, "password": PASSWORD});
    app.anonymous.post("/api/v1/auth/users", body).await.expect(201);
    let login = json!({"email": name, "password": PASSWORD, "credential": "token"});
    let answer = app
        .anonymous
        .post("/api/v1/auth/login", login)
        .await
        .expect(200)
        .json();
    app.anonymous.with_token(answer["token"].as_str().unwrap())
}

fn article(number: i64) -> Value {
    let words = ["amber", "cedar", "harbor", "meadow", "river", "stone"];
    let word = |offset: i64| words[usize::try_from((number + offset) % 6).unwrap()];
    json!({
        "title": format!("The {} {} {number:02}", word(0), word(2)),
        "body": format!("A long text about a {}.", word(3)),
        "summary": format!("About a {}.", word(4)),
        "published": number % 10 != 0,
        "rating": (number % 10) as f64 / 2.0,
        "price": format!("{number}.50"),
        "publishDate": format!("2026-{:02}-15", number % 12 + 1),
        "categoryId": number % 2 + 1,
        "authorId": if number % 3 == 0 { json!(1) } else { Value::Null },
    })
}
