//! Clients with the credentials of accounts.

use model_resource::Draft;
use model_resource_security::{Account, AuthToken, Security};

use crate::app::TestApp;
use crate::builder::TestAppBuilder;
use crate::client::TestClient;

const NO_TABLES: &str =
    "are its tables missing? Start the test with `TestApp::builder(..).accounts::<User>()`";

impl TestApp {
    /// Returns a client with a new bearer token of an account, without a login (feature `security`).
    ///
    /// # Panics
    /// If the account is not stored, or if the application has no tables for tokens.
    pub async fn as_user<A: Account>(&self, user: &A) -> TestClient {
        let token = Draft::new().with(AuthToken::NAME, "test".to_owned());
        let issued = Security::<A>::new().issue_token(&self.store, user, token).await;
        let (token, _) = issued.unwrap_or_else(|error| panic!("cannot issue a token: {error}; {NO_TABLES}"));
        self.client.with_token(&token)
    }

    /// Returns a client with a new session of an account, as a browser has it after a login (feature `security`): it
    /// sends the cookie and the CSRF token.
    ///
    /// # Panics
    /// If the account is not stored, or if the application has no tables for sessions.
    pub async fn with_session<A: Account>(&self, user: &A) -> TestClient {
        let begun = Security::<A>::new()
            .issue_session(&self.store, user, Some("test"))
            .await;
        let session = begun.unwrap_or_else(|error| panic!("cannot begin a session: {error}; {NO_TABLES}"));
        let cookie = session.cookie.to_str().unwrap_or_default();
        let (_, value) = cookie
            .split(';')
            .next()
            .and_then(|pair| pair.split_once('='))
            .unwrap_or_default();
        // The name depends on the settings of the application, which ignores the other one.
        let both = format!("session={value}; __Host-session={value}");
        let client = self.client.with_header("cookie", &both);
        client.with_header("x-csrftoken", &session.csrf_token)
    }
}

impl TestAppBuilder {
    /// Adds the tables of accounts, sessions and tokens, if the application does not create them itself (feature
    /// `security`).
    pub fn accounts<A: Account>(self) -> Self {
        self.tables(&[A::table()]).tables(&Security::<A>::tables())
    }
}
