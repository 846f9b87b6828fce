//! Roles of users.

use backend::security::ADMIN;
use test_support::Client;

use crate::support::BackendApp;

impl BackendApp {
    /// Replaces a user's roles with these, separated by spaces.
    pub(crate) fn grant(&self, name: &str, roles: &str) {
        let sql = format!("UPDATE users SET roles = '{roles}' WHERE username = '{name}'");
        self.database().execute(&sql);
    }

    /// Registers a user with the role of an admin.
    pub(crate) async fn admin(&self, name: &str) -> (i64, Client) {
        let user = self.user(name).await;
        self.grant(name, ADMIN);
        user
    }
}
