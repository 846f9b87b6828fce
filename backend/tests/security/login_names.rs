//! Login names are case-insensitive.

use serde_json::json;

use crate::browser::USERS;
use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

fn account(email: &str, username: &str) -> serde_json::Value {
    json!({"email": email, "username": username, "password": "correct horse"})
}

/// SEC-22: no two accounts differ by case alone, whichever operation sets their names.
#[tokio::test]
async fn addresses_and_user_names_are_unique_ignoring_case() {
    let app = BackendApp::start().await;
    let made = app
        .anonymous
        .post(USERS, account("Ann@Example.com", "ÄnnA"))
        .await
        .expect(201)
        .json();
    assert_eq!(
        (&made["email"], &made["username"]),
        (&json!("ann@example.com"), &json!("änna"))
    );
    let (id, bob) = app.user("bob").await;
    let before = app.database().rows();
    let url = format!("{USERS}/{id}");
    for (email, username, field) in [
        ("ANN@example.com", "other", "email"),
        ("ann@EXAMPLE.COM", "other", "email"),
        ("other@example.com", "ÄNNA", "username"),
        ("other@example.com", "änNa", "username"),
    ] {
        let taken = |answer: serde_json::Value| {
            let errors = answer["errors"].as_object().unwrap().clone();
            assert_eq!(errors.keys().collect::<Vec<_>>(), [field]);
        };
        taken(
            app.anonymous
                .post(USERS, account(email, username))
                .await
                .expect(400)
                .json(),
        );
        let put = json!({"email": email, "username": username});
        taken(bob.put(&url, put).await.expect(400).json());
        let value = if field == "email" { email } else { username };
        taken(bob.patch(&url, json!({field: value})).await.expect(400).json());
    }
    assert_eq!(app.database().rows(), before);
    let patched = bob
        .patch(&url, json!({"username": "BOB"}))
        .await
        .expect(200)
        .json();
    assert_eq!(patched["username"], "bob");
    assert_eq!(
        app.database().rows(),
        before,
        "the same name in capitals is no change"
    );
}

/// SEC-22: either name logs in, in any case.
#[tokio::test]
async fn a_login_accepts_the_names_in_any_case() {
    let app = BackendApp::start().await;
    app.anonymous
        .post(USERS, account("ann@example.com", "ann"))
        .await
        .expect(201);
    for name in ["ann", "ANN", "Ann@Example.Com", "ann@example.com"] {
        app.anonymous
            .post(LOGIN, json!({"email": name, "password": "correct horse"}))
            .await
            .expect(200);
    }
    for name in ["ann ", " ann", "ann@", "an", "%", "ann%", "' or 1=1--"] {
        app.anonymous
            .post(LOGIN, json!({"email": name, "password": "correct horse"}))
            .await
            .expect(401);
    }
    app.anonymous
        .post(LOGIN, json!({"email": "ann", "password": "Correct Horse"}))
        .await
        .expect(401);
}
