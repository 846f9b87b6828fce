//! `User` as an account that can log in.

use model_resource_security::Account;

use crate::models::User;

impl Account for User {
    fn password_hash(&self) -> &str {
        &self.password_hash
    }

    fn is_active(&self) -> bool {
        self.is_active
    }

    fn roles(&self) -> Vec<String> {
        self.roles.split_whitespace().map(str::to_owned).collect()
    }

    fn name(&self) -> Option<&str> {
        Some(&self.username)
    }
}
