//! Accounts of the reference application: users, roles and an admin.

use backend::api::Draft;
use backend::models::{AuthToken, User};
use backend::security::{ADMIN, UserSecurity};
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
    let user = match UserSecurity::find_account(store, TEST_ADMIN).await.unwrap() {
        Some(user) => user,
        None => store.create(admin()).await.unwrap(),
    };
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "tests".to_owned());
    let (shown, _) = UserSecurity::new()
        .issue_token(store, &user, token)
        .await
        .unwrap();
    shown
}

/// The key is one that no URL matches and the database never generates, so that the first user of a test has the key 1.
fn admin() -> Draft<User> {
    let mut user = Draft::new();
    user.set(User::ID, -1);
    user.set(User::EMAIL, format!("{TEST_ADMIN}@example.com"));
    user.set(User::USERNAME, TEST_ADMIN.to_owned());
    user.set(User::PASSWORD_HASH, "none".to_owned());
    user.set(User::ROLES, ADMIN.to_owned());
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
