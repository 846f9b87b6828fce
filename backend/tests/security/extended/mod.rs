//! Attacks on the models and policies of the reference application through what it does not use itself: many-to-many
//! relations, nested writes, aggregates, writes by filter, upserts, dry runs and events.

mod aggregates;
mod dry_runs;
mod events;
mod filtered_writes;
mod labels;
mod lines;
mod refused_writes;
mod resources;
mod upserts;

use backend::app;
use backend::models::{AuthToken, User};
use backend::security::UserSecurity;
use http::Method;
use model_resource::{Api, Draft, Model, Server, Store};
use serde_json::{Value, json};
use test_support::{TestApp, TestDatabase};

use self::resources::{ArticleLabel, Pin, api};
use crate::sample_blog::{ARTICLES, Blog, blog_of};
use crate::support::BackendApp;
use crate::support::accounts::admin_token;

/// Tags with their articles.
const LABELS: &str = "/api/v1/labels";
/// Users with their articles.
const AUTHORS: &str = "/api/v1/authors";
/// The key of an object that does not exist.
const NOBODY: i64 = 999;

/// Starts the extended application with the blog, whose articles all have the tag 1. Ann's also have the tag 2.
async fn extended_blog() -> Blog {
    extended_blog_of(api()).await
}

/// Starts this application with the blog.
async fn extended_blog_of(api: Api) -> Blog {
    let database = TestDatabase::create();
    let store = app::APPLICATION.open(&database.url()).await.unwrap();
    store
        .create_tables(&[ArticleLabel::table(), Pin::table()])
        .await
        .unwrap();
    let admin = admin_token(&store).await;
    let users = [stored_user(&store, "ann").await, stored_user(&store, "bob").await];
    let service = api.store(store.clone()).into_service();
    let mut served = TestApp::serve(database, store, service, Server::default()).await;
    served.client = served.anonymous.with_token(&admin);
    let users = users.map(|(id, token)| (id, served.anonymous.with_token(&token)));
    let blog = blog_of(BackendApp(served), users).await;
    for name in ["snow", "ice"] {
        blog.app.post(LABELS, json!({"name": name})).await.expect(201);
    }
    for (article, tags) in [
        (1, json!([1, 2])),
        (2, json!([1, 2])),
        (3, json!([1])),
        (4, json!([1])),
    ] {
        let url = format!("{ARTICLES}/{article}");
        blog.app.patch(&url, json!({"tags": tags})).await.expect(200);
    }
    blog
}

/// Inserts a user directly into the database, and returns the key and a bearer token.
async fn stored_user(store: &Store, name: &str) -> (i64, String) {
    let user = Draft::<User>::new()
        .with(User::EMAIL, format!("{name}@example.com"))
        .with(User::USERNAME, name)
        .with(User::PASSWORD_HASH, "none");
    let user = store.create(user).await.unwrap();
    let token = Draft::new().with(AuthToken::NAME, "tests");
    let (shown, _) = UserSecurity::new()
        .issue_token(store, &user, token)
        .await
        .unwrap();
    (user.id, shown)
}

/// Writes that are refused to Bob and to anonymous callers, by every way of writing.
fn refused_writes(blog: &Blog) -> Vec<(Method, String, Value)> {
    let own = format!("{AUTHORS}/{}", blog.bob_id);
    let ann = format!("{AUTHORS}/{}", blog.ann_id);
    vec![
        (Method::PATCH, format!("{ARTICLES}/1"), json!({"title": "Stolen"})),
        (
            Method::PUT,
            format!("{ARTICLES}/1"),
            json!({"title": "Stolen", "body": "x"}),
        ),
        (
            Method::PATCH,
            format!("{ARTICLES}/2"),
            json!({"authorId": blog.bob_id}),
        ),
        (Method::PATCH, format!("{ARTICLES}/2"), json!({"tags": []})),
        (
            Method::PATCH,
            format!("{ARTICLES}/2"),
            json!({"comments": {"remove": [2]}}),
        ),
        (
            Method::POST,
            ARTICLES.to_owned(),
            json!({"title": "x", "body": "x", "authorId": blog.ann_id}),
        ),
        (
            Method::PATCH,
            format!("{LABELS}/1"),
            json!({"articles": {"add": [1]}}),
        ),
        (
            Method::PATCH,
            format!("{LABELS}/1"),
            json!({"articles": {"remove": [2]}}),
        ),
        (
            Method::PATCH,
            own,
            json!({"articles": {"update": [{"id": 1, "title": "Stolen"}]}}),
        ),
        (Method::PATCH, ann, json!({"articles": []})),
        (
            Method::PATCH,
            format!("{ARTICLES}?id[gte]=1"),
            json!({"title": "Stolen"}),
        ),
        (
            Method::PATCH,
            format!("{ARTICLES}?id=1"),
            json!({"title": "Stolen"}),
        ),
    ]
}
