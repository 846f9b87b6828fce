//! Events of models.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use backend::models::{Article, Comment};
use model_resource::{Change, Context, Draft, Error, Model, Result};
use serde_json::json;

use super::resources::{ArticleLabel, api};
use super::{extended_blog_of, refused_writes};
use crate::sample_blog::ARTICLES;

/// Names of the tables whose rows were written.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<&'static str>>>);

impl Heard {
    fn hear<M: Model>(&self) {
        self.0.lock().unwrap().push(M::table().name);
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Waits for this number of changes after their commit.
    async fn wait_for(&self, count: usize) -> Vec<&'static str> {
        for _ in 0..500 {
            if self.0.lock().unwrap().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.take()
    }
}

/// SEC-27, SEC-28: a write that is refused, or a dry run, is no event for those who hear of committed changes.
#[tokio::test]
async fn refused_writes_and_dry_runs_raise_no_event() {
    let heard = Heard::default();
    let (articles, comments, labels) = (heard.clone(), heard.clone(), heard.clone());
    let api = api()
        .after_change(move |_, _: Change<Article>| {
            articles.hear::<Article>();
            async { Ok(()) }
        })
        .after_change(move |_, _: Change<Comment>| {
            comments.hear::<Comment>();
            async { Ok(()) }
        })
        .after_change(move |_, _: Change<ArticleLabel>| {
            labels.hear::<ArticleLabel>();
            async { Ok(()) }
        });
    let blog = extended_blog_of(api).await;
    // Four articles with a comment each, and six labels, which change the time of their articles.
    assert_eq!(heard.wait_for(18).await.len(), 18);
    let before = blog.rows();
    for client in [&blog.app.anonymous, &blog.bob] {
        let client = client.with_header("prefer", "max-affected=10");
        for (method, url, body) in refused_writes(&blog) {
            client.send_json(method, &url, body).await;
        }
    }
    let dry = blog.bob.with_header("prefer", "dry-run");
    let changes = json!({"title": "Mine", "tags": [], "comments": []});
    dry.patch(&format!("{ARTICLES}/3"), changes.clone())
        .await
        .expect(200);
    assert_eq!(blog.rows(), before);
    blog.bob
        .patch(&format!("{ARTICLES}/3"), changes)
        .await
        .expect(200);
    let mut written = heard.wait_for(3).await;
    written.sort_unstable();
    assert_eq!(written, ["article_labels", "articles", "comments"]);
}

/// Marks the article of a comment of Eve, as the caller.
async fn mark_article(cx: Context, change: Change<Comment>) -> Result<()> {
    match change {
        Change::Created(comment) if comment.name == "Eve" => {
            let article: Option<Article> = cx.find(comment.article_id).await?;
            let article = article.ok_or_else(Error::not_found)?;
            cx.save(Draft::of(&article).with(Article::TITLE, "Marked"))
                .await?;
        }
        Change::Created(_) | Change::Updated { .. } | Change::Deleted(_) => {}
    }
    Ok(())
}

/// SEC-28: a subscriber writes as the caller, under the policies, and what it may not write rolls the write back.
#[tokio::test]
async fn a_subscriber_may_write_no_more_than_the_caller() {
    let blog = extended_blog_of(api().on_change(mark_article)).await;
    let before = blog.rows();
    let (url, comment) = (
        format!("{ARTICLES}/2/comments"),
        json!({"name": "Eve", "body": "x"}),
    );
    for (client, status) in [(&blog.app.anonymous, 401), (&blog.bob, 403)] {
        client.post(&url, comment.clone()).await.expect(status);
        client.post(&url, json!([comment])).await.expect(status);
        let dry = client.with_header("prefer", "dry-run");
        dry.post(&url, comment.clone()).await.expect(status);
    }
    assert_eq!(blog.rows(), before);
    blog.ann.post(&url, comment).await.expect(201);
    let marked = blog.app.get(&format!("{ARTICLES}/2")).await.expect(200).json();
    assert_eq!(marked["title"], "Marked");
}
