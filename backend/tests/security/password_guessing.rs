//! Password guessing, and mass registration.

use backend::app::Settings;
use model_resource::Server;
use serde_json::json;
use test_support::Response;
use tokio::task::JoinSet;

use crate::browser::PASSWORD;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

/// Returns the responses to concurrent attempts.
async fn all_at_once<F: Future<Output = Response> + Send + 'static>(
    attempts: impl Iterator<Item = F>,
) -> Vec<Response> {
    attempts.collect::<JoinSet<_>>().join_all().await
}

fn count(answers: &[Response], status: u16) -> usize {
    let with_status = answers.iter().filter(|answer| answer.status.as_u16() == status);
    with_status.count()
}

/// The names of one account.
const SPELLINGS: [&str; 4] = ["ann", "ann@example.com", "ANN", "Ann@Example.COM"];

/// THR-6: 50 concurrent failed logins by both names of an account, in any case, with a trailing slash and from several
/// addresses do not exceed the limit of the account.
#[tokio::test]
async fn fifty_concurrent_failed_logins_by_any_name_get_ten_tries() {
    let settings = Settings {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..Settings::unlimited()
    };
    let app = BackendApp::start_with(Server::default(), settings).await;
    app.user("ann").await;
    app.user("bob").await;
    let from = |number: usize| {
        let address = format!("10.0.0.{number}");
        app.anonymous.with_header("x-forwarded-for", &address)
    };
    let attempts = (0..50).map(|number| {
        let client = from(number);
        let url = if number % 3 == 0 {
            "/api/v1/auth/login/"
        } else {
            LOGIN
        };
        let body = json!({"email": SPELLINGS[number % 4], "password": format!("guess {number}")});
        async move { client.post(url, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 40));
    for refused in answers.iter().filter(|answer| answer.status.as_u16() == 429) {
        assert!(!refused.header("retry-after").is_empty());
        assert!(refused.header("ratelimit-policy").contains("account"));
    }
    // The correct password is rejected now too, by every name.
    for name in SPELLINGS {
        let right = json!({"email": name, "password": "correct horse"});
        from(60).post(LOGIN, right).await.expect(429);
    }
    let right = json!({"email": "bob", "password": "correct horse"});
    from(60).post(LOGIN, right).await.expect(200);
}

/// THR-6: an unknown name has its own limit, which therefore does not reveal that it is unknown.
#[tokio::test]
async fn an_unknown_name_is_limited_like_an_account() {
    let app = BackendApp::start().await;
    let attempts = (0..25).map(|number| {
        let name = ["nobody", "Nobody", " NOBODY "][number % 3];
        let (client, body) = (app.anonymous.clone(), json!({"email": name, "password": "x"}));
        async move { client.post(LOGIN, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 15));
}

/// THR-6: the final sigma is a second lower-case letter; both spellings share one limit.
#[tokio::test]
async fn no_spelling_of_a_name_gives_more_tries() {
    let app = BackendApp::start().await;
    let user = json!({"email": "nikos@example.com", "username": "ΝΙΚΟΣ", "password": "correct horse"});
    app.anonymous.post("/api/v1/auth/users", user).await.expect(201);
    for number in 0..10 {
        let guess = json!({"email": "νικοσ", "password": format!("guess {number}")});
        app.anonymous.post(LOGIN, guess).await.expect(401);
    }
    for name in ["ΝΙΚΟΣ", "Νικοσ", "νικοΣ"] {
        let right = json!({"email": name, "password": "correct horse"});
        app.anonymous.post(LOGIN, right).await.expect(429);
    }
}

/// THR-6: successful logins do not count.
#[tokio::test]
async fn successful_logins_are_not_counted() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let right = json!({"email": "ann@example.com", "password": "correct horse"});
    for _ in 0..12 {
        app.anonymous.post(LOGIN, right.clone()).await.expect(200);
    }
}

/// LOAD-71: failed changes of passwords are limited per address as well, whichever accounts they are of.
#[tokio::test]
async fn an_address_that_fails_to_change_many_passwords_is_limited() {
    let app = BackendApp::start().await;
    let bad = json!({"password": "correct horse", "newPassword": "x"});
    for number in 0..3 {
        let (_, user) = app.user(&format!("user{number}")).await;
        for _ in 0..10 {
            user.post(PASSWORD, bad.clone()).await.expect(400);
        }
    }
    let (id, ann) = app.user("ann").await;
    let good = json!({"password": "correct horse", "newPassword": "another horse"});
    let refused = ann.post(PASSWORD, good).await.expect(429);
    assert!(!refused.header("retry-after").is_empty());
    assert!(refused.header("ratelimit-policy").contains("address"));
    // The account's own URL counts for itself.
    let good = json!({"password": "another horse", "oldPassword": "correct horse"});
    ann.patch(&format!("/api/v1/auth/users/{id}"), good)
        .await
        .expect(200);
}

/// LOAD-71: an account changes its password at most 30 times an hour, even successfully.
#[tokio::test]
async fn successful_changes_of_a_password_are_limited() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let passwords = ["correct horse", "another horse"];
    for number in 0..30 {
        let change = json!({"password": passwords[number % 2], "newPassword": passwords[(number + 1) % 2]});
        ann.post(PASSWORD, change).await.expect(204);
    }
    let change = json!({"password": "correct horse", "newPassword": "another horse"});
    let refused = ann.post(PASSWORD, change.clone()).await.expect(429);
    assert!(refused.header("ratelimit-policy").contains("changes"));
    let (_, bob) = app.user("bob").await;
    bob.post(PASSWORD, change).await.expect(204);
}

/// THR-6: an address that fails with many accounts is limited too.
#[tokio::test]
async fn an_address_that_tries_many_accounts_is_limited() {
    let app = BackendApp::start().await;
    let attempts = (0..40).map(|number| {
        let client = app.anonymous.clone();
        let body = json!({"email": format!("user{number}@example.com"), "password": "correct horse"});
        async move { client.post(LOGIN, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (30, 10));
}

/// PAT-2, THR-6: an account can be changed by a JSON Patch, whose guesses of the password are limited like any others.
#[tokio::test]
async fn json_patches_of_an_account_are_limited_if_they_guess_the_password() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let url = format!("/api/v1/auth/users/{id}");
    let patch = async |operations: serde_json::Value| {
        let body = Some(("application/json-patch+json", operations.to_string().into()));
        ann.send(http::Method::PATCH, &url, body).await
    };
    for _ in 0..20 {
        let name = json!([{"op": "replace", "path": "/firstName", "value": "Ann"}]);
        let changed = patch(name).await.expect(200);
        assert_eq!(changed.json()["firstName"], "Ann");
    }
    let mut limited = 0;
    for number in 0..20 {
        let guess = json!([
            {"op": "add", "path": "/password", "value": "another horse"},
            {"op": "add", "path": "/oldPassword", "value": format!("guess {number}")},
        ]);
        match patch(guess).await.status.as_u16() {
            429 => limited += 1,
            status => assert!((400..=403).contains(&status), "{status}"),
        }
    }
    assert!(limited >= 10, "{limited}");
}
