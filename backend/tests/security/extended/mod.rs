//! Attacks on the models and policies of the reference application through what it does not use itself: many-to-many
//! relations, nested writes, aggregates, writes by filter and dry runs.

mod aggregates;
mod dry_runs;
mod filtered_writes;
mod labels;
mod lines;
mod resources;

use backend::app;
use model_resource::{Model, Server};
use serde_json::json;
use test_support::{TestApp, TestDatabase};

use self::resources::{ArticleLabel, api};
use crate::sample_blog::{ARTICLES, Blog, blog_of};
use crate::support::BackendApp;
use crate::support::accounts::{admin_token, stored_user};

/// Tags with their articles.
const LABELS: &str = "/api/v1/labels";
/// Users with their articles.
const AUTHORS: &str = "/api/v1/authors";
/// The key of an object that does not exist.
const NOBODY: i64 = 999;

/// Starts the extended application with the blog, whose articles all have the tag 1. Ann's also have the tag 2.
async fn extended_blog() -> Blog {
    let database = TestDatabase::create();
    let store = app::open(&database.url()).await.unwrap();
    store.create_tables(&[ArticleLabel::table()]).await.unwrap();
    let admin = admin_token(&store).await;
    let users = [stored_user(&store, "ann").await, stored_user(&store, "bob").await];
    let service = api().store(store.clone()).into_service();
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
