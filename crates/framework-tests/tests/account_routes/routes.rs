//! Registration, login, logout, status, password, disabling and enabling.

use model_resource::Api;
use serde_json::json;

use crate::readers::{Library, PASSWORD, ReaderSecurity, text};

/// SEC-53: an anonymous caller registers with the columns of the model and a password, and logs in by any of the names.
#[tokio::test]
async fn an_account_is_registered_and_logs_in_by_any_of_its_names() {
    let app = Library::start().await;
    let new = json!({"cardNumber": "A-17", "mail": "Ann@Example.com", "password": PASSWORD});
    let known = app.post("/auth/register", new.clone()).await.expect(201).json();
    assert_eq!(known["cardNumber"], "a-17");
    assert_eq!(known["mail"], "ann@example.com");
    assert!(known.get("secret").is_none() && known.get("password").is_none());
    for name in ["a-17", "A-17", "ann@example.com", "ANN@example.com"] {
        let login = app.log_in(name, PASSWORD).await.expect(200).json();
        assert_eq!(login["user"], known);
        let ann = app.with_token(text(&login, "token"));
        ann.post("/auth/register", new.clone()).await.expect(403);
    }
    let before = app.database().rows();
    let taken = app.post("/auth/register", new).await.expect(400).json();
    assert!(taken["errors"]["cardNumber"].is_array(), "{taken}");
    for (member, wrong) in [
        ("cardNumber", json!("a b")),
        ("mail", json!("nobody")),
        ("password", json!("too short")),
        ("secret", json!("x")),
        ("mayEnter", json!(false)),
        ("roles", json!(["librarian"])),
    ] {
        let mut body = json!({"cardNumber": "b-1", "mail": "bob@example.com", "password": PASSWORD});
        body[member] = wrong;
        let answer = app.post("/auth/register", body).await.expect(400).json();
        assert!(answer["errors"][member].is_array(), "{member}: {answer}");
    }
    assert_eq!(app.database().rows(), before);
}

/// SEC-53: the body of a login has the name of the first login column; other members, missing ones and duplicates are
/// errors.
#[tokio::test]
async fn the_member_of_a_login_is_named_after_the_first_login_column() {
    let app = Library::start().await;
    app.add("a-17").await;
    let errors = |body: serde_json::Value| {
        let app = &app;
        async move { app.post("/auth/login", body).await.expect(400).json()["errors"].clone() }
    };
    let missing = errors(json!({"password": PASSWORD})).await;
    assert_eq!(missing["cardNumber"], json!(["Card Number is required."]));
    let unknown = errors(json!({"email": "a-17", "cardNumber": "a-17", "password": PASSWORD})).await;
    assert_eq!(unknown["email"], json!(["Unknown field."]));
    let wrong = errors(json!({"cardNumber": 17, "password": PASSWORD})).await;
    assert!(wrong["cardNumber"].is_array(), "{wrong}");
    let wrong = errors(json!({"cardNumber": "a-17", "password": PASSWORD, "credential": "all"})).await;
    assert!(wrong["credential"].is_array(), "{wrong}");
    let twice = format!(r#"{{"cardNumber": "a-17", "cardNumber": "a-17", "password": "{PASSWORD}"}}"#);
    let body = Some(("application/json", twice.into()));
    let twice = app
        .send(http::Method::POST, "/auth/login", body)
        .await
        .expect(400);
    assert!(twice.text().contains("duplicate field"), "{}", twice.text());
}

/// SEC-53: the OpenAPI document names the member of the login, and the limits of passwords, as the account has them.
#[tokio::test]
async fn the_document_describes_the_account() {
    let api = Api::new("library")
        .authenticator(ReaderSecurity::new())
        .register(ReaderSecurity::routes())
        .openapi();
    let app = Library::with_api(api).await;
    let document = app.get("/openapi.json").await.expect(200).json();
    let body = |url: &str| {
        let post = &document["paths"][url]["post"]["requestBody"];
        post["content"]["application/json"]["schema"].clone()
    };
    let login = body("/auth/login");
    assert_eq!(login["required"], json!(["cardNumber", "password"]));
    assert_eq!(
        login["properties"]["cardNumber"]["description"],
        "Card number or e-mail address."
    );
    assert_eq!(login["additionalProperties"], false);
    assert!(document["paths"]["/auth/register"]["post"].is_object());
    assert!(
        document["paths"]["/auth/password"].is_null(),
        "only for known callers"
    );
}

/// SEC-53: a wrong password, an unknown name and a disabled account get the same answer.
#[tokio::test]
async fn failed_logins_are_all_alike() {
    let app = Library::start().await;
    let (_, admin) = app.librarian("l-1").await;
    let reader = app.add("a-17").await;
    let wrong = json!({"message": "Wrong credentials."});
    app.log_in("a-17", "incorrect horse")
        .await
        .expect_json(401, wrong.clone());
    app.log_in("nobody", PASSWORD)
        .await
        .expect_json(401, wrong.clone());
    admin
        .post(&format!("/auth/users/{}/disable", reader.id), json!({}))
        .await
        .expect(204);
    app.log_in("a-17", PASSWORD).await.expect_json(401, wrong);
}

/// SEC-53: the status shows the caller with the roles, and the CSRF token of a session; a logout ends both credentials.
#[tokio::test]
async fn the_status_shows_the_caller_until_the_logout() {
    let app = Library::start().await;
    let anonymous = json!({"authenticated": false, "user": null, "roles": []});
    app.get("/auth/status").await.expect_json(200, anonymous.clone());
    let (reader, admin) = app.librarian("l-1").await;
    let status = admin.get("/auth/status").await.expect(200).json();
    assert_eq!(status["user"]["id"], reader.id.to_string());
    assert_eq!(status["roles"], json!(["librarian", "helper"]));
    assert!(status.get("csrfToken").is_none());

    let login = app.log_in("l-1", PASSWORD).await.expect(200);
    let cookie = login.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_eq!(login.header("cache-control"), "no-store");
    let browser = app.with_header("cookie", &cookie);
    let status = browser.get("/auth/status").await.expect(200).json();
    assert_eq!(status["csrfToken"], login.json()["csrfToken"]);
    browser.post("/auth/logout", json!({})).await.expect(403);
    let page = browser.with_header("x-csrftoken", text(&status, "csrfToken"));
    page.post("/auth/logout", json!({})).await.expect(204);
    browser.get("/auth/status").await.expect_json(200, anonymous);
    admin.post("/auth/logout", json!({})).await.expect(204);
    admin.get("/auth/status").await.expect(401);
}

/// SEC-53: a login issues the credential that the client asks for.
#[tokio::test]
async fn a_login_issues_the_credential_that_is_asked_for() {
    let app = Library::start().await;
    app.add("a-17").await;
    for (credential, has_token, has_session) in [("token", true, false), ("session", false, true)] {
        let login = json!({"cardNumber": "a-17", "password": PASSWORD, "credential": credential});
        let login = app.post("/auth/login", login).await.expect(200).json();
        assert_eq!(login.get("token").is_some(), has_token, "{login}");
        assert_eq!(login.get("csrfToken").is_some(), has_session, "{login}");
    }
}

/// SEC-53: a new password needs the current one and the account's minimum length, and ends all other credentials.
#[tokio::test]
async fn a_password_is_changed_by_the_current_one() {
    let app = Library::start().await;
    let (_, ann) = app.reader("a-17").await;
    let other = app.log_in("a-17", PASSWORD).await.expect(200).json();
    let other = app.with_token(text(&other, "token"));
    let change = |old: &str, new: &str| json!({"password": old, "newPassword": new});
    let before = app.database().rows();
    app.post("/auth/password", change(PASSWORD, "battery staple"))
        .await
        .expect(401);
    let wrong = json!({"errors": {"password": ["This is not your password."]}});
    ann.post("/auth/password", change("incorrect horse", "battery staple"))
        .await
        .expect_json(400, wrong);
    let short = json!({"errors": {"newPassword": ["Length must be between 10 and 128."]}});
    ann.post("/auth/password", change(PASSWORD, "staple"))
        .await
        .expect_json(400, short);
    assert_eq!(app.database().rows(), before);
    ann.post("/auth/password", change(PASSWORD, "battery staple"))
        .await
        .expect(204);
    ann.get("/auth/status").await.expect(200);
    other.get("/auth/status").await.expect(401);
    app.log_in("a-17", PASSWORD).await.expect(401);
    app.log_in("a-17", "battery staple").await.expect(200);
}

/// SEC-53: only the role that the application names disables and enables accounts, and not its own.
#[tokio::test]
async fn administrators_disable_and_enable_accounts() {
    let app = Library::start().await;
    let (reader, ann) = app.reader("a-17").await;
    let (own, admin) = app.librarian("l-1").await;
    let url = |id: &str, action: &str| format!("/auth/users/{id}/{action}");
    let disable = url(&reader.id.to_string(), "disable");
    app.post(&disable, json!({})).await.expect(401);
    ann.post(&disable, json!({})).await.expect(403);
    ann.get("/auth/status").await.expect(200);
    admin.post(&disable, json!({})).await.expect(204);
    ann.get("/auth/status").await.expect(401);
    admin
        .post(&url(&own.id.to_string(), "disable"), json!({}))
        .await
        .expect(409);
    let missing = "00000000-0000-0000-0000-000000000000";
    admin.post(&url(missing, "disable"), json!({})).await.expect(404);
    admin.post(&url(missing, "enable"), json!({})).await.expect(404);
    admin
        .post(&url(&reader.id.to_string(), "enable"), json!({}))
        .await
        .expect(204);
    ann.get("/auth/status").await.expect(401);
    app.log_in("a-17", PASSWORD).await.expect(200);
}
