//! Guessing passwords, and making accounts without end.

use backend::app::Settings;
use model_resource::Server;
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{LOGIN, Response, TestApp};

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

/// The names of one account.
const SPELLINGS: [&str; 4] = ["ann", "ann@example.com", "ANN", "Ann@Example.COM"];

/// THR-6: 50 parallel wrong logins by both names of an account, in any case, with a trailing slash and from other addresses:
/// the limit of an account holds exactly.
#[tokio::test]
async fn fifty_parallel_wrong_logins_by_any_name_are_ten_tries() {
    let settings = Settings {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..Settings::default()
    };
    let app = TestApp::start_with(Server::default(), settings).await;
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
    // The right password does not help now, either, by no name.
    for name in SPELLINGS {
        let right = json!({"email": name, "password": "correct horse"});
        from(60).post(LOGIN, right).await.expect(429);
    }
    let right = json!({"email": "bob", "password": "correct horse"});
    from(60).post(LOGIN, right).await.expect(200);
}

/// THR-6: a name that nobody has is counted by itself, so that its limit does not tell that nobody has it.
#[tokio::test]
async fn a_name_that_nobody_has_is_limited_as_an_account_is() {
    let app = TestApp::start().await;
    let attempts = (0..25).map(|number| {
        let name = ["nobody", "Nobody", " NOBODY "][number % 3];
        let (client, body) = (app.anonymous.clone(), json!({"email": name, "password": "x"}));
        async move { client.post(LOGIN, body).await }
    });
    let answers = all_at_once(attempts).await;
    assert_eq!((count(&answers, 401), count(&answers, 429)), (10, 15));
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
