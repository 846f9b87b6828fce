//! Authentication.

use axum::Router;
use backend::api::{Api, GET, MethodDecorators, ModelResource, ModelSerializer, Operations};
use backend::models::User;
use backend::security::{UserSecurity, auth_required_same_user};
use backend::{app, extensions, views};
use model_resource::{Model, model_resource, serializer};
use serde_json::{Value, json};
use test_support::{Client, TestApp};

use crate::support::BackendApp;
use crate::support::accounts::LOGIN;

const USERS: &str = "/api/v1/auth/users";
const STATUS: &str = "/api/v1/auth/status";

fn ann() -> Value {
    json!({"email": "ann@example.com", "username": "ann", "password": "correct horse"})
}

/// Logs in and returns the token.
async fn token(client: &Client, name: &str, password: &str) -> String {
    let login = client
        .post(LOGIN, json!({"email": name, "password": password}))
        .await;
    login.expect(200).json()["token"].as_str().unwrap().to_owned()
}

/// SEC-1: only method decorators guard the users resource.
#[tokio::test]
async fn the_users_resource_is_guarded_by_method_decorators_alone() {
    let routes = backend::app::api()
        .authenticator(UserSecurity::new())
        .compile()
        .routes();
    let guards = |method: &str, url: &str| {
        let route = routes
            .iter()
            .find(|route| route.method == method && route.url == url);
        let mut decorators = route.unwrap().decorators.clone();
        decorators.retain(|name| !name.ends_with("_loader") && *name != "param_converter");
        decorators
    };
    let item = format!("{USERS}/<int:id>");
    assert_eq!(guards("POST", USERS), ["throttle", "anonymous_user_required"]);
    // Password changes are limited by account, by address and by failures.
    let guarded = ["auth_required_same_user", "throttle", "throttle", "throttle"];
    assert_eq!(guards("PUT", &item), guarded);
    assert_eq!(guards("PATCH", &item), guarded);
    assert_eq!(guards("GET", &item), [""; 0]);

    let app = BackendApp::start().await;
    let (id, own) = app.user("ann").await;
    let url = format!("{USERS}/{id}");
    app.anonymous.get(&url).await.expect(200);
    own.get(&url).await.expect(200);
    app.anonymous
        .patch(&url, json!({"firstName": "Eve"}))
        .await
        .expect(401);
    own.post(USERS, json!({})).await.expect(403);
    own.patch(&url, json!({"firstName": "Ann"})).await.expect(200);
}

/// SEC-2: an e-mail address or user name with the password returns a token, a session and the user.
#[tokio::test]
async fn a_login_by_email_or_user_name_answers_a_token_and_the_user() {
    let app = BackendApp::start().await;
    let user = app.anonymous.post(USERS, ann()).await.expect(201).json();
    for name in ["ann@example.com", "ann"] {
        let login = json!({"email": name, "password": "correct horse"});
        let answer = app.anonymous.post(LOGIN, login).await.expect(200).json();
        let mut keys: Vec<&String> = answer.as_object().unwrap().keys().collect();
        keys.sort();
        assert_eq!(keys, ["csrfToken", "token", "user"]);
        assert_eq!(answer["user"], user);
        let own = app.anonymous.with_token(answer["token"].as_str().unwrap());
        own.get(STATUS)
            .await
            .expect_json(200, json!({"authenticated": true, "user": user, "roles": []}));
    }
}

/// SEC-2: a failed login is the same 401 for an unknown account, a disabled account and a wrong password.
#[tokio::test]
async fn a_failed_login_does_not_reveal_whether_the_account_exists() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    app.user("off").await;
    app.database()
        .execute("UPDATE users SET is_active = FALSE WHERE username = 'off'");
    let mut answers = Vec::new();
    for (name, password) in [
        ("ann@example.com", "wrong horse"),
        ("ann", "wrong horse"),
        ("nobody@example.com", "correct horse"),
        ("off@example.com", "correct horse"),
        ("", ""),
    ] {
        let login = json!({"email": name, "password": password});
        let answer = app.anonymous.post(LOGIN, login).await.expect(401);
        assert!(answer.header("www-authenticate").starts_with("Bearer"));
        answers.push(answer.body);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let tokens: i64 = app
        .database()
        .value("SELECT count(*) FROM auth_tokens WHERE name = 'login'");
    assert_eq!(tokens, 2, "only the logins of the helper gave tokens");
}

/// SEC-3: both headers accept the token.
#[tokio::test]
async fn a_token_authenticates_in_either_header() {
    let app = BackendApp::start().await;
    app.anonymous.post(USERS, ann()).await.expect(201);
    let token = token(&app.anonymous, "ann", "correct horse").await;
    let clients = [
        app.anonymous
            .with_header("authorization", &format!("Bearer {token}")),
        app.anonymous
            .with_header("authorization", &format!("bearer {token}")),
        app.anonymous.with_header("authentication-token", &token),
    ];
    for client in clients {
        let status = client.get(STATUS).await.expect(200).json();
        assert_eq!(status["user"]["username"], "ann");
    }
    app.anonymous
        .get(STATUS)
        .await
        .expect_json(200, json!({"authenticated": false, "user": null, "roles": []}));
}

/// SEC-3: the token does not occur in the bytes of the database.
#[tokio::test]
async fn the_database_holds_only_a_hash_of_the_token() {
    let app = BackendApp::start().await;
    app.anonymous.post(USERS, ann()).await.expect(201);
    let token = token(&app.anonymous, "ann", "correct horse").await;
    let length: i64 = app
        .database()
        .value("SELECT min(length(token_hash)) FROM auth_tokens WHERE name = 'login'");
    assert_eq!(length, 32);
    let secret = token.rsplit('.').next().unwrap().as_bytes();
    let bytes = app.database().bytes();
    let holds = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(holds(b"ann@example.com"), "the bytes are those that are stored");
    assert!(!holds(secret), "the database holds the token");
}

/// SEC-4: an unknown, damaged or expired token does not permit any change.
#[tokio::test]
async fn an_unknown_damaged_or_expired_token_does_not_authenticate() {
    let app = BackendApp::start().await;
    let user = app.anonymous.post(USERS, ann()).await.expect(201).json();
    let url = format!("{USERS}/{}", user["id"]);
    let token = token(&app.anonymous, "ann", "correct horse").await;
    let before = app.database().rows();
    let mut changed = token.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let damaged = [
        token[..token.len() - 1].to_owned(),
        token[1..].to_owned(),
        format!("{token}A"),
        token.to_uppercase(),
        String::from_utf8(changed).unwrap(),
        "1.unknown".to_owned(),
        "x".to_owned(),
        String::new(),
    ];
    for damaged in damaged {
        let client = app.anonymous.with_header("authentication-token", &damaged);
        client.get(STATUS).await.expect(401);
        client.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
    }
    assert_eq!(app.database().rows(), before);

    let own = app.anonymous.with_token(&token);
    own.patch(&url, json!({"firstName": "Ann"})).await.expect(200);
    app.database()
        .execute("UPDATE auth_tokens SET expires_at = created_at");
    let before = app.database().rows();
    own.get(STATUS).await.expect(401);
    own.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
    assert_eq!(app.database().rows(), before);
}

/// SEC-5: without a credential no account can be changed.
#[tokio::test]
async fn a_change_of_an_account_without_credential_is_a_401() {
    let app = BackendApp::start().await;
    app.user("ann").await;
    let before = app.database().rows();
    for id in ["1", "999"] {
        let url = format!("{USERS}/{id}");
        for answer in [
            app.anonymous.put(&url, ann()).await,
            app.anonymous.patch(&url, json!({"firstName": "Eve"})).await,
        ] {
            let answer = answer.expect(401);
            assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"backend\"");
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// SEC-6: every id other than the caller's own is the same 403, whether it exists or not.
#[tokio::test]
async fn an_id_other_than_the_callers_is_a_403_whether_it_exists_or_not() {
    let app = BackendApp::start().await;
    let (own, ann) = app.user("ann").await;
    let (other, _) = app.user("bob").await;
    let before = app.database().rows();
    let mut bodies = Vec::new();
    for id in [other, 999] {
        let url = format!("{USERS}/{id}");
        let patched = ann.patch(&url, json!({"firstName": "Eve"})).await.expect(403);
        let put = ann.put(&url, json!({"firstName": "Eve"})).await.expect(403);
        bodies.extend([patched.body, put.body]);
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert_eq!(app.database().rows(), before);
    ann.patch(&format!("{USERS}/{own}"), json!({"firstName": "Ann"}))
        .await
        .expect(200);
}

/// A user's private note.
#[derive(Debug, Clone, Model)]
#[model(table = "notes")]
struct Note {
    #[column(primary_key)]
    id: i64,
    #[column(references = User, on_delete = cascade)]
    user_id: i64,
    text: String,
}

struct NoteSerializer;

#[serializer]
impl ModelSerializer for NoteSerializer {
    type Model = Note;
}

struct NoteResource;

#[model_resource(Note, "/users/<int:user_id>/notes", "/users/<int:user_id>/notes/<int:id>")]
impl ModelResource for NoteResource {
    const EXCLUDE_METHODS: Operations = Operations::of([GET]);

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(auth_required_same_user().by("user_id"))
    }
}

/// SEC-6: the compared parameter can be configured.
#[tokio::test]
async fn the_parameter_with_the_users_key_can_be_configured() {
    let api: Api = views::register(extensions::api::api())
        .authenticator(UserSecurity::new())
        .serializer::<NoteSerializer>()
        .model_resource::<NoteResource>();
    let mut tables = app::APPLICATION.tables().to_vec();
    tables.push(Note::table());
    let app = TestApp::with_router(&tables, |store| api.store(store).init_app(Router::new())).await;
    let app = BackendApp(app);
    let (id, ann) = app.user("ann").await;
    let (_, bob) = app.user("bob").await;
    let notes = format!("/api/v1/users/{id}/notes");
    let first = json!({"id": 1, "userId": id, "text": "milk"});
    ann.post(&notes, json!({"text": "milk"}))
        .await
        .expect_json(201, first.clone());
    let note = format!("{notes}/1");
    let before = app.database().rows();
    bob.get(&notes).await.expect(403);
    bob.post(&notes, json!({"text": "spam"})).await.expect(403);
    bob.patch(&note, json!({"text": "spam"})).await.expect(403);
    bob.delete(&note).await.expect(403);
    app.delete(&note).await.expect(401);
    assert_eq!(app.database().rows(), before);
    ann.get(&notes).await.expect_json(200, json!([first]));
}

/// SEC-7: an authenticated caller cannot register another account.
#[tokio::test]
async fn signing_up_while_logged_in_is_a_403() {
    let app = BackendApp::start().await;
    let (_, ann) = app.user("ann").await;
    let before = app.database().rows();
    let second = json!({"email": "two@example.com", "username": "two", "password": "correct horse"});
    ann.post(USERS, second.clone()).await.expect(403);
    assert_eq!(app.database().rows(), before);
    app.anonymous.post(USERS, second).await.expect(201);
}

/// SEC-8: a disabled user is rejected from the next request on.
#[tokio::test]
async fn a_disabled_user_is_not_authenticated_from_the_next_request_on() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let url = format!("{USERS}/{id}");
    ann.get(STATUS).await.expect(200);
    app.database().execute("UPDATE users SET is_active = FALSE");
    let before = app.database().rows();
    ann.get(STATUS).await.expect(401);
    ann.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
    app.anonymous
        .post(LOGIN, json!({"email": "ann", "password": "correct horse"}))
        .await
        .expect(401);
    assert_eq!(app.database().rows(), before);
}

/// SEC-9, FLT-11: every password is hashed with argon2, whichever operation sets it, and no response contains it.
#[tokio::test]
async fn a_password_is_hashed_by_every_operation_and_never_shown() {
    let app = BackendApp::start().await;
    let hash = || {
        app.database()
            .value::<String>("SELECT password_hash FROM users WHERE username = 'ann'")
    };
    let mut answers = vec![app.anonymous.post(USERS, ann()).await.expect(201).text()];
    let url = format!("{USERS}/1");
    let mut hashes = vec![hash()];
    let mut password = "correct horse";
    for (method, next) in [
        (http::Method::PUT, "second horse"),
        (http::Method::PATCH, "third horse"),
    ] {
        let own = app
            .anonymous
            .with_token(&token(&app.anonymous, "ann", password).await);
        let mut body = ann();
        body["password"] = next.into();
        body["oldPassword"] = password.into();
        answers.push(own.send_json(method, &url, body).await.expect(200).text());
        let login = app
            .anonymous
            .post(LOGIN, json!({"email": "ann", "password": password}))
            .await;
        answers.push(login.expect(401).text());
        password = next;
        let login = app
            .anonymous
            .post(LOGIN, json!({"email": "ann", "password": password}))
            .await;
        answers.push(login.expect(200).text());
        hashes.push(hash());
    }
    answers.push(app.anonymous.get(&url).await.expect(200).text());
    hashes.dedup();
    assert_eq!(hashes.len(), 3, "each change gives another hash");
    assert!(
        hashes.iter().all(|hash| hash.starts_with("$argon2id$")),
        "{hashes:?}"
    );
    for answer in answers {
        assert!(
            !answer.contains("horse") && !answer.contains("argon2"),
            "{answer}"
        );
        assert!(!answer.to_lowercase().contains("password"), "{answer}");
    }
}

/// SEC-10: a new password revokes the tokens issued for the old one.
#[tokio::test]
async fn a_token_does_not_outlive_the_password_it_was_issued_for() {
    let app = BackendApp::start().await;
    let (id, ann) = app.user("ann").await;
    let other = app
        .anonymous
        .with_token(&token(&app.anonymous, "ann", "correct horse").await);
    let url = format!("{USERS}/{id}");
    ann.patch(&url, json!({"firstName": "Ann"})).await.expect(200);
    other.get(STATUS).await.expect(200);
    let change = json!({"password": "another horse", "oldPassword": "correct horse"});
    ann.patch(&url, change).await.expect(200);
    let before = app.database().rows();
    ann.patch(&url, json!({"firstName": "Eve"})).await.expect(401);
    other.get(STATUS).await.expect(401);
    assert_eq!(app.database().rows(), before);
    let own = app
        .anonymous
        .with_token(&token(&app.anonymous, "ann", "another horse").await);
    own.get(STATUS).await.expect(200);
}
