//! Guessing passwords, and making accounts without end.

use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{Response, TestApp};

const LOGIN: &str = "/api/v1/auth/login";

/// The answers to attempts that are made at once.
async fn all_at_once<F: Future<Output = Response> + Send + 'static>(
    attempts: impl Iterator<Item = F>,
) -> Vec<Response> {
    attempts.collect::<JoinSet<_>>().join_all().await
}

fn count(answers: &[Response], status: u16) -> usize {
    let with_status = answers.iter().filter(|answer| answer.status.as_u16() == status);
    with_status.count()
}

/// THR-6: 50 parallel wrong logins with changing forwarded addresses and spellings: the limit of an account holds exactly.
#[tokio::test]
async fn fifty_parallel_wrong_logins_by_any_name_are_ten_tries() {
    let app = TestApp::start().await;
    app.user("ann").await;
    let attempts = (0..50).map(|number| {
        let name = if number % 2 == 0 {
            "ann@example.com"
        } else {
            "Ann@Example.COM"
        };
        let url = if number % 3 == 0 {
            "/api/v1/auth/login/"
        } else {
            LOGIN
        };
        let client = app
            .anonymous
            .with_header("x-forwarded-for", &format!("10.0.0.{number}"));
        let body = json!({"email": name, "password": format!("guess {number}")});
        async move { client.post(url, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 40));
    let mut refused = answers.iter().filter(|answer| answer.status.as_u16() == 429);
    assert!(refused.all(|answer| !answer.header("retry-after").is_empty()));
    // The right password does not help now, either.
    let right = json!({"email": "ann@example.com", "password": "correct horse"});
    app.anonymous.post(LOGIN, right).await.expect(429);
}

/// THR-6: a sigma at the end of a word has two small letters, of which a name that logs in has one.
#[tokio::test]
async fn no_spelling_of_a_name_gives_more_tries() {
    let app = TestApp::start().await;
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

/// THR-6: whoever logs in rightly is not counted.
#[tokio::test]
async fn right_logins_are_not_counted() {
    let app = TestApp::start().await;
    app.user("ann").await;
    let right = json!({"email": "ann@example.com", "password": "correct horse"});
    for _ in 0..12 {
        app.anonymous.post(LOGIN, right.clone()).await.expect(200);
    }
}

/// THR-6: an address that fails with many accounts is stopped, too.
#[tokio::test]
async fn an_address_that_tries_many_accounts_is_stopped() {
    let app = TestApp::start().await;
    let attempts = (0..40).map(|number| {
        let client = app.anonymous.clone();
        let body = json!({"email": format!("user{number}@example.com"), "password": "correct horse"});
        async move { client.post(LOGIN, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (30, 10));
}
