//! Expensive reads of anonymous clients.

use http::Method;

use crate::failure::Failure;
use crate::siege::attack::Target;
use crate::siege::repeat::repeat;

/// Number of clients.
const CLIENTS: u64 = 8;

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
