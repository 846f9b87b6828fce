//! The rows that the api shows.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Client;
use crate::crash::comparison::{ShownRow, ShownRows};
use crate::crash::journal::RowName;
use crate::failure::Failure;

/// Maximum time until the server answers after a crash of its database.
const MAX_RECOVERY: Duration = Duration::from_secs(10);

/// Reads all tags, counters, and articles with their comments.
pub(crate) async fn observe(client: &Client) -> Result<ShownRows, Failure> {
    let mut shown = ShownRows::new();
    for tag in objects(&list(client, "/api/v1/tags").await?["tags"])? {
        add(&mut shown, RowName::tag(text(tag, "name")), tag, "");
    }
    for sample in objects(&list(client, "/api/v1/samples").await?)? {
        let name = RowName::counter(text(sample, "text"));
        add(&mut shown, name, sample, &sample["big"].to_string());
    }
    let articles = list(client, "/api/v1/articles?expand=comments").await?;
    for article in objects(&articles)? {
        let title = text(article, "title");
        for comment in objects(&article["comments"])? {
            let name = RowName::comment(title, text(comment, "body"));
            add(&mut shown, name, comment, "");
        }
        add(
            &mut shown,
            RowName::article(title),
            article,
            text(article, "summary"),
        );
    }
    Ok(shown)
}

fn add(shown: &mut ShownRows, name: RowName, object: &Value, content: &str) {
    let row = ShownRow {
        id: object["id"].as_i64().unwrap_or_default(),
        content: content.to_owned(),
    };
    shown.entry(name).or_default().push(row);
}

fn objects(list: &Value) -> Result<&Vec<Value>, Failure> {
    list.as_array()
        .ok_or_else(|| format!("not a list: {list}").into())
}

fn text<'v>(object: &'v Value, member: &str) -> &'v str {
    object[member].as_str().unwrap_or_default()
}

async fn list(client: &Client, path: &str) -> Result<Value, Failure> {
    let begin = Instant::now();
    loop {
        match client.get(path).await? {
            (200, body) => return Ok(serde_json::from_slice(&body)?),
            (503, _) if begin.elapsed() < MAX_RECOVERY => {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            (status, _) => return Err(format!("{status} to GET {path} after {:?}", begin.elapsed()).into()),
        }
    }
}
