//! Articles with categories and comments, as data for lists.

use backend::app::Settings;
use model_resource::{QuerySyntax, Server};
use serde_json::{Value, json};
use test_support::Response;

use crate::support::BackendApp;

/// Starts a server with categories, articles in some of them, and comments on some of those.
pub(crate) async fn app_with_articles() -> BackendApp {
    app_with_articles_for(QuerySyntax::Native).await
}

/// Starts such a server with this query syntax.
pub(crate) async fn app_with_articles_for(query_syntax: QuerySyntax) -> BackendApp {
    let settings = Settings {
        query_syntax: Some(query_syntax),
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    for name in ["Rust", "Databases"] {
        app.post("/api/v1/categories", json!({"name": name}))
            .await
            .expect(201);
    }
    let articles = [
        ("Alpha", Some(4.5), Some(1), true),
        ("beta", None, Some(2), false),
        ("Beta 100%", Some(2.0), None, true),
        ("gamma_ray", Some(4.5), Some(1), false),
        ("Übung", Some(3.25), Some(2), true),
    ];
    for (title, rating, category, published) in articles {
        let body = json!({"title": title, "body": format!("About {title}."), "rating": rating,
            "categoryId": category, "published": published});
        app.post("/api/v1/articles", body).await.expect(201);
    }
    for (article, text) in [(1, "first"), (1, "second"), (4, "first")] {
        let body = json!({"name": "Ann", "body": text});
        app.post(&format!("/api/v1/articles/{article}/comments"), body)
            .await
            .expect(201);
    }
    app
}

/// Returns the ids of a list.
pub(crate) fn ids(list: &Value) -> Vec<i64> {
    let objects = list.as_array().unwrap().iter();
    objects.map(|object| object["id"].as_i64().unwrap()).collect()
}

/// Returns the URL of another page from the response's links.
pub(crate) fn link(response: &Response, relation: &str) -> Option<String> {
    let ending = format!("; rel=\"{relation}\"");
    let mut links = response.header("link").split(", ");
    let link = links.find_map(|link| link.strip_suffix(&ending))?;
    Some(link.trim_start_matches('<').trim_end_matches('>').to_owned())
}

impl BackendApp {
    /// Returns the ids of the articles that match a query.
    pub(crate) async fn articles(&self, query: &str) -> Vec<i64> {
        let response = self.get(&format!("/api/v1/articles?{query}")).await;
        ids(&response.expect(200).json())
    }

    /// Asserts that a query is rejected with this message.
    pub(crate) async fn rejects(&self, query: &str, expected: &str) {
        let response = self.get(&format!("/api/v1/articles?{query}")).await;
        let text = response.expect(400).text();
        let message: Value = serde_json::from_str(&text).unwrap();
        let message = message["message"].as_str().unwrap();
        assert!(message.contains(expected), "{query}: {message}");
    }
}
