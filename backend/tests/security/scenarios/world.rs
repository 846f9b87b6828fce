//! Rows and callers of the scenarios, all created by the application itself.

use backend::app::APPLICATION;
use backend::security::ADMIN;
use serde_json::{Value, json};
use test_support::{Client, TestDatabase};

use crate::browser::{SESSIONS, TOKENS, soon};
use crate::kept_rows::KeptRows;
use crate::scenarios::requests::{object, one};
use crate::support::BackendApp;

/// A key that no row has.
const MISSING: i64 = 999_999;

pub(super) struct World {
    app: BackendApp,
    pub(super) database: TestDatabase,
    callers: Vec<(&'static str, Client)>,
    /// The keys in the URL of a resource's row, its parents first.
    keys: Vec<(&'static str, &'static str, Vec<Value>)>,
    kept: Option<KeptRows>,
}

impl World {
    pub(super) async fn new() -> Self {
        let app = BackendApp::start().await;
        let database = app.database();
        let mut world = Self {
            database,
            callers: vec![("anonymous", Client::new(app.address))],
            keys: Vec::new(),
            kept: None,
            app,
        };
        for name in ["user", "owner", "other", "admin", "disabled"] {
            let (id, client) = world.app.user(name).await;
            world.callers.push((name, client));
            world.know("/auth/users", name, [json!(id)]);
        }
        for name in ["admin", "disabled"] {
            world.app.grant(name, ADMIN);
        }
        world.add_articles().await;
        world.add_others().await;
        world.add_credentials().await;
        // Set directly in the database, since the application would revoke the token. The token must be rejected
        // because of its user.
        world
            .database
            .execute("UPDATE users SET is_active = FALSE WHERE username = 'disabled'");
        world.kept = Some(KeptRows::of(&world.database, APPLICATION.tables()));
        world
    }

    /// Adds a published article and a draft of the owner, the same of another user, and a draft without an author.
    async fn add_articles(&mut self) {
        for (caller, row, published) in [
            ("owner", "published", true),
            ("owner", "draft", false),
            ("other", "others", true),
            ("other", "others draft", false),
            ("admin", "nobodys", false),
        ] {
            let summary = format!("Summary of {row}.");
            let mut article =
                json!({"title": row, "body": "A text.", "summary": summary, "published": published});
            if row == "nobodys" {
                article["authorId"] = Value::Null;
            }
            let id = self.add(caller, "/api/v1/articles", article).await["id"].clone();
            self.know("/articles", row, [id]);
        }
        self.know("/articles", "missing", [json!(MISSING)]);
        let comments = "/articles/<int:article_id>/comments";
        for row in ["published", "draft"] {
            let article = self.keys("/articles", row)[0][0].clone();
            let body = json!({"name": "A reader", "body": format!("Comment on {row}.")});
            let url = format!("/api/v1/articles/{article}/comments");
            let id = self.add("owner", &url, body).await["id"].clone();
            self.know(comments, row, [article, id]);
        }
        let (published, draft) = (self.keys(comments, "published"), self.keys(comments, "draft"));
        self.know(
            comments,
            "elsewhere",
            [published[0][0].clone(), draft[0][1].clone()],
        );
    }

    async fn add_others(&mut self) {
        for url in ["/categories", "/tags", "/samples"] {
            let mut body = object(url);
            if let Some(name) = body.get_mut("name") {
                *name = json!("before");
            }
            if let Some(text) = body.get_mut("text") {
                *text = json!("before");
            }
            let added = self.add("admin", &format!("/api/v1{url}"), one(url, body)).await;
            let id = added.get("id").unwrap_or(&added["tag"]["id"]).clone();
            self.know(url, "-", [id]);
        }
    }

    /// Adds a token of the owner other than the one that authenticates, and the session of the login.
    async fn add_credentials(&mut self) {
        let body = json!({"name": "a program", "expiresAt": soon()});
        let id = self.add("owner", TOKENS, body).await["id"].clone();
        self.know("/auth/tokens", "-", [id]);
        let sessions = self.client("owner").get(SESSIONS).await.expect(200).json();
        self.know("/auth/sessions", "-", [sessions[0]["id"].clone()]);
        self.know("/auth/users", "missing", [json!(MISSING)]);
    }

    async fn add(&self, caller: &str, url: &str, body: Value) -> Value {
        self.client(caller).post(url, body).await.expect(201).json()
    }

    fn know(&mut self, url: &'static str, row: &'static str, keys: impl Into<Vec<Value>>) {
        self.keys.push((url, row, keys.into()));
    }

    /// Returns the keys in the URLs of the objects for a row of the table.
    pub(super) fn keys(&self, url: &str, row: &str) -> Vec<Vec<Value>> {
        if row == "both" {
            return ["published", "others"]
                .iter()
                .flat_map(|row| self.keys(url, row))
                .collect();
        }
        let known = self
            .keys
            .iter()
            .filter(|(at, name, _)| (*at, *name) == (url, row));
        known.map(|(_, _, keys)| keys.clone()).collect()
    }

    pub(super) fn client(&self, caller: &str) -> &Client {
        let known = self.callers.iter().find(|(name, _)| *name == caller);
        &known.unwrap_or_else(|| panic!("unknown caller {caller}")).1
    }

    /// Restores the initial state of all rows.
    pub(super) fn restore(&self) {
        self.kept.as_ref().unwrap().restore(&self.database);
    }
}
