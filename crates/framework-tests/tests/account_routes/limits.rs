//! Rate limits of the routes.

use model_resource::Rate;
use model_resource_security::AccountLimits;
use serde_json::json;

use crate::readers::{Library, PASSWORD, ReaderSecurity};

/// SEC-55: failed logins are counted per account, by whichever of its names, at the rate that the application sets.
#[tokio::test]
async fn failed_logins_are_limited_per_account() {
    let limits = AccountLimits::new().login_failures_per_account(Rate::per_hour(2));
    let app = Library::with_routes(ReaderSecurity::routes().limits(limits)).await;
    app.add("a-17").await;
    app.add("b-1").await;
    app.log_in("a-17", "incorrect horse").await.expect(401);
    app.log_in("A-17@example.com", "incorrect horse")
        .await
        .expect(401);
    let refused = app.log_in("a-17", PASSWORD).await.expect(429);
    assert!(!refused.header("retry-after").is_empty());
    app.log_in("a-17@example.com", PASSWORD).await.expect(429);
    app.log_in("b-1", PASSWORD).await.expect(200);
}

/// SEC-55: failures and registrations are counted per address, and wrong and new passwords per account.
#[tokio::test]
async fn registrations_and_passwords_are_limited() {
    let limits = AccountLimits::new()
        .registrations_per_address(Rate::per_hour(1))
        .wrong_passwords_per_account(Rate::per_hour(1));
    let app = Library::with_routes(ReaderSecurity::routes().limits(limits)).await;
    let new = |card: &str| json!({"cardNumber": card, "mail": format!("{card}@x.org"), "password": PASSWORD});
    app.post("/auth/register", new("r-1")).await.expect(201);
    app.post("/auth/register", new("r-2")).await.expect(429);

    let (_, ann) = app.reader("a-17").await;
    let (_, bob) = app.reader("b-1").await;
    let change = |old: &str| json!({"password": old, "newPassword": "battery staple"});
    ann.post("/auth/password", change("incorrect horse"))
        .await
        .expect(400);
    ann.post("/auth/password", change(PASSWORD)).await.expect(429);
    bob.post("/auth/password", change(PASSWORD)).await.expect(204);
}

/// SEC-55
#[tokio::test]
async fn failures_are_limited_per_address_and_changes_per_account() {
    let limits = AccountLimits::new()
        .failures_per_address(Rate::per_hour(2))
        .password_changes_per_account(Rate::per_hour(1));
    let app = Library::with_routes(ReaderSecurity::routes().limits(limits)).await;
    let (_, ann) = app.reader("a-17").await;
    let change = |old: &str, new: &str| json!({"password": old, "newPassword": new});
    ann.post("/auth/password", change(PASSWORD, "battery staple"))
        .await
        .expect(204);
    ann.post("/auth/password", change("battery staple", PASSWORD))
        .await
        .expect(429);
    app.log_in("nobody", PASSWORD).await.expect(401);
    app.log_in("nobody-else", PASSWORD).await.expect(401);
    app.log_in("a-17", "battery staple").await.expect(429);
}
