//! Accounts of the reference application: users, roles and an admin.

use backend::api::Draft;
use backend::models::{AuthToken, User};
use backend::security::{ADMIN, UserSecurity, find_user};
use model_resource::Store;
use serde_json::json;
use test_support::Client;

use crate::support::app::BackendApp;

pub(crate) const LOGIN: &str = "/api/v1/auth/login";

/// User name of the admin whose token the tests' clients send.
pub(crate) const TEST_ADMIN: &str = "test-admin";

/// Returns a new bearer token of the admin. Inserts the admin directly into the database if needed: hashing a password
/// for each test would take longer than most tests.
pub(crate) async fn admin_token(store: &Store) -> String {
    let user = match find_user(store, TEST_ADMIN).await.unwrap() {
        Some(user) => user,
        None => store.create(admin()).await.unwrap(),
    };
    token_of(store, &user).await
}

/// Inserts a user directly into the database, and returns the key and a bearer token.
pub(crate) async fn stored_user(store: &Store, name: &str) -> (i64, String) {
    let user = store.create(user(name)).await.unwrap();
    (user.id, token_of(store, &user).await)
}

async fn token_of(store: &Store, user: &User) -> String {
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "tests".to_owned());
    let issued = UserSecurity::new().issue_token(store, user, token).await;
    issued.unwrap().0
}

/// The key is one that no URL matches and the database never generates, so that the first user of a test has the key 1.
fn admin() -> Draft<User> {
    let mut admin = user(TEST_ADMIN);
    admin.set(User::ID, -1);
    admin.set(User::ROLES, ADMIN.to_owned());
    admin
}

/// Returns a user who cannot log in.
fn user(name: &str) -> Draft<User> {
    let mut user = Draft::new();
    user.set(User::EMAIL, format!("{name}@example.com"));
    user.set(User::USERNAME, name.to_owned());
    user.set(User::PASSWORD_HASH, "none".to_owned());
    user
}

impl BackendApp {
    /// Registers a user and returns the key and a logged-in client.
    pub(crate) async fn user(&self, name: &str) -> (i64, Client) {
        let email = format!("{name}@example.com");
        let body = json!({"email": email, "username": name, "password": "correct horse"});
        let created = self
            .anonymous
            .post("/api/v1/auth/users", body)
            .await
            .expect(201)
            .json();
        let login = self
            .anonymous
            .post(LOGIN, json!({"email": email, "password": "correct horse"}))
            .await;
        let token = login.expect(200).json()["token"].as_str().unwrap().to_owned();
        (created["id"].as_i64().unwrap(), self.anonymous.with_token(&token))
    }
}
