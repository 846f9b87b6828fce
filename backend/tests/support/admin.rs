//! Somebody who may do everything with the reference application.

use backend::api::Draft;
use backend::models::{AuthToken, User};
use backend::security::{ADMIN, Security, find_user};
use model_resource::Store;

/// The name of the admin whose token the tests' clients show.
pub const TEST_ADMIN: &str = "test-admin";

/// A new bearer token of the admin, who is put past the server unless they are there: hashing a password for each test would
/// take longer than most of them.
pub async fn admin_token(store: &Store) -> String {
    let user = match find_user(store, TEST_ADMIN).await.unwrap() {
        Some(user) => user,
        None => store.create(admin()).await.unwrap(),
    };
    let mut token = Draft::new();
    token.set(AuthToken::NAME, "tests".to_owned());
    let (shown, _) = Security::new().give_token(store, &user, token).await.unwrap();
    shown
}

/// Their key is none that a URL can name or the database counts, so that the first user of a test has the key 1.
fn admin() -> Draft<User> {
    let mut user = Draft::new();
    user.set(User::ID, -1);
    user.set(User::EMAIL, format!("{TEST_ADMIN}@example.com"));
    user.set(User::USERNAME, TEST_ADMIN.to_owned());
    user.set(User::PASSWORD_HASH, "none".to_owned());
    user.set(User::ROLES, ADMIN.to_owned());
    user
}
