//! Articles of several authors in the reference application, and their readers.

use serde_json::{Value, json};
use test_support::Client;

use crate::support::BackendApp;

pub(crate) const ARTICLES: &str = "/api/v1/articles";
pub(crate) const CATEGORIES: &str = "/api/v1/categories";
/// Ann's draft.
pub(crate) const DRAFT: &str = "/api/v1/articles/1";
/// Ann's published article.
pub(crate) const PUBLISHED: &str = "/api/v1/articles/2";
/// A nonexistent article.
pub(crate) const MISSING: &str = "/api/v1/articles/999";

/// Ann's draft (1) and her published article (2), Bob's draft (3), and a draft without an author (4), each in the
/// category Rust (1) and with a comment of the same number.
pub(crate) struct Blog {
    pub(crate) app: BackendApp,
    pub(crate) ann: Client,
    pub(crate) ann_id: i64,
    pub(crate) bob: Client,
    pub(crate) bob_id: i64,
}

pub(crate) async fn blog() -> Blog {
    let app = BackendApp::start().await;
    let users = [app.user("ann").await, app.user("bob").await];
    blog_of(app, users).await
}

/// Adds the blog of Ann and Bob to an application.
pub(crate) async fn blog_of(app: BackendApp, [(ann_id, ann), (bob_id, bob)]: [(i64, Client); 2]) -> Blog {
    app.post(CATEGORIES, json!({"name": "Rust"})).await.expect(201);
    for (client, title, published) in [
        (&ann, "Ann's draft", false),
        (&ann, "Ann's article", true),
        (&bob, "Bob's draft", false),
        (&app.client, "Orphan", false),
    ] {
        let article = json!({"title": title, "body": "Snow", "published": published, "categoryId": 1});
        let article = client.post(ARTICLES, article).await.expect(201).json();
        let comment = json!({"name": "Reader", "body": format!("On {title}")});
        let url = format!("{ARTICLES}/{}/comments", article["id"]);
        client.post(&url, comment).await.expect(201);
    }
    Blog {
        app,
        ann,
        ann_id,
        bob,
        bob_id,
    }
}

impl Blog {
    /// Returns all readers with the ids of the articles that they see.
    pub(crate) fn readers(&self) -> [(&Client, Vec<i64>); 4] {
        [
            (&self.app.anonymous, vec![2]),
            (&self.ann, vec![1, 2]),
            (&self.bob, vec![2, 3]),
            (&self.app.client, vec![1, 2, 3, 4]),
        ]
    }

    pub(crate) fn rows(&self) -> Vec<String> {
        self.app.database().rows()
    }
}

/// Returns the ids of a list.
pub(crate) fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}

/// Returns the ids of the list at a URL.
pub(crate) async fn listed(client: &Client, url: &str) -> Vec<i64> {
    ids(&client.get(url).await.expect(200).json())
}
