//! Writes that compete with others for rows, the writer or the processor.

use http::Method;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::seed::PASSWORD;
use crate::siege::attack::Target;
use crate::siege::repeat::repeat;

/// Updates of the same rows by several clients, in opposite orders.
pub(super) async fn contrary_bulk(target: &Target<'_>) -> Result<(), Failure> {
    repeat(8, |client, number| {
        let admin = target.client.clone().with_token(&target.seed.token);
        async move {
            let object = |key: u64| json!({"id": key, "summary": format!("Bulk {client} {number}")});
            let mut objects: Vec<Value> = (1..=500).map(object).collect();
            if client % 2 == 1 {
                objects.reverse();
            }
            let path = "/api/v1/articles";
            admin
                .send_json(Method::PATCH, path, Value::Array(objects))
                .await
                .ok();
        }
    })
    .await
}

/// Bulk requests that create rows without a pause.
pub(super) async fn import(target: &Target<'_>) -> Result<(), Failure> {
    repeat(4, |_, _| {
        let admin = target.client.clone().with_token(&target.seed.token);
        async move {
            let row = "An imported title,A text of the import,true\n";
            let body = format!("title,body,published\n{}", row.repeat(1000));
            admin
                .send(Method::POST, "/api/v1/articles", "text/csv", body)
                .await
                .ok();
        }
    })
    .await
}

/// Changes of passwords and registrations, each of which hashes one.
pub(super) async fn password_changes(target: &Target<'_>) -> Result<(), Failure> {
    repeat(16, |client, number| {
        let address = client * 1000 + number;
        let anyone = target.client.clone().at_address(address);
        let attackers = &target.seed.attackers;
        let (id, token) = &attackers[address as usize % attackers.len()];
        let user = anyone.clone().with_token(token);
        async move {
            if client % 2 == 0 {
                let body = json!({"oldPassword": PASSWORD, "password": PASSWORD});
                let path = format!("/api/v1/auth/users/{}", id);
                user.send_json(Method::PATCH, &path, body).await.ok();
            } else {
                let name = format!("new{address}");
                let body =
                    json!({"email": format!("{name}@example.com"), "username": name, "password": PASSWORD});
                anyone
                    .send_json(Method::POST, "/api/v1/auth/users", body)
                    .await
                    .ok();
            }
        }
    })
    .await
}
