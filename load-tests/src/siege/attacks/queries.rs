//! Expensive reads of anonymous clients.

use std::time::Duration;

use http::Method;

use crate::failure::Failure;
use crate::siege::attack::Target;
use crate::siege::repeat::repeat;

/// Number of clients.
const CLIENTS: u64 = 8;
/// Searches at the same time: more than run and wait on SQLite.
const SEARCHES: u64 = 80;
/// Searches of one address, as many as a caller may run.
const SEARCHES_PER_ADDRESS: u64 = 4;
/// Pause after a search that was refused.
const PAUSE: Duration = Duration::from_millis(50);
/// Patterns that every article's text matches.
const MATCHING: [&str; 20] = [
    "Wor", "ord", "rds", "Words", "mor", "ore", "more", "wor", "words", "fol", "oll", "llo", "low", "follow",
    "her", "ere", "here", "and", "text", "about",
];

/// Lists with many patterns on a related table, which no index helps.
pub(super) async fn filters(target: &Target<'_>) -> Result<(), Failure> {
    let filters: Vec<String> = (0..49)
        .map(|number| format!("comments.body[contains]=x{number}"))
        .collect();
    let path = format!("/api/v1/articles?{}", filters.join("&"));
    repeat(CLIENTS, |client, _| {
        let (client, path) = (target.client.clone().at_address(client), path.clone());
        async move {
            client.get(&path).await.ok();
        }
    })
    .await
}

/// Searches of many clients, which fill the queue of searches. Each reads all articles and is within the budget.
pub(super) async fn searches(target: &Target<'_>) -> Result<(), Failure> {
    let filters: Vec<String> = MATCHING
        .into_iter()
        .chain(["nothing"])
        .map(|pattern| format!("body[contains]={pattern}"))
        .collect();
    let path = format!("/api/v1/articles?limit=20&{}", filters.join("&"));
    let (status, body) = target.client.get(&path).await?;
    if status == 400 && String::from_utf8_lossy(&body).contains("query_too_expensive") {
        return Err("the searches of the attack are beyond the budget".into());
    }
    repeat(SEARCHES, |client, _| {
        let client = target.client.clone().at_address(client / SEARCHES_PER_ADDRESS);
        let path = path.clone();
        async move {
            let searched = client.get(&path).await;
            if !searched.is_ok_and(|(status, _)| status == 200) {
                tokio::time::sleep(PAUSE).await;
            }
        }
    })
    .await
}

/// Imports whose first line names columns without end.
pub(super) async fn csv_header(target: &Target<'_>) -> Result<(), Failure> {
    let mut header: String = (0..300_000).map(|number| format!("c{number},")).collect();
    header.truncate(2_000_000);
    repeat(CLIENTS, |client, _| {
        let client = target
            .client
            .clone()
            .at_address(client)
            .with_token(&target.seed.token);
        let body = header.clone();
        async move {
            let path = "/api/v1/articles";
            client.send(Method::POST, path, "text/csv", body).await.ok();
        }
    })
    .await
}

/// Exports of a large table by several clients.
pub(super) async fn export(target: &Target<'_>) -> Result<(), Failure> {
    repeat(2, |client, _| {
        let client = target.client.clone().at_address(client);
        async move {
            client
                .get("/api/v1/articles?format=csv&expand=comments")
                .await
                .ok();
            client.get("/api/v1/articles?format=csv").await.ok();
        }
    })
    .await
}
