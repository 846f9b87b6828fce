//! A logged-in browser with its CSRF token.

use http::Method;
use serde_json::{Value, json};
use test_support::{Client, Response};

use crate::support::accounts::LOGIN;

pub(crate) const LOGOUT: &str = "/api/v1/auth/logout";
pub(crate) const PASSWORD: &str = "/api/v1/auth/password";
pub(crate) const SESSIONS: &str = "/api/v1/auth/sessions";
pub(crate) const STATUS: &str = "/api/v1/auth/status";
pub(crate) const TOKENS: &str = "/api/v1/auth/tokens";
pub(crate) const USERS: &str = "/api/v1/auth/users";

/// The credentials of a browser's login.
#[derive(Clone)]
pub(crate) struct Browser {
    anyone: Client,
    /// The cookie as the browser sends it: `session=..`.
    pub(crate) cookie: String,
    pub(crate) csrf_token: String,
}

impl Browser {
    /// Logs in with the password that all test users share.
    pub(crate) async fn log_in(anyone: &Client, name: &str) -> Self {
        Self::of(anyone, &log_in(anyone, name, "session").await.expect(200))
    }

    /// Parses the response to a login.
    pub(crate) fn of(anyone: &Client, answer: &Response) -> Self {
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Self {
            anyone: anyone.clone(),
            cookie,
            csrf_token: answer.json()["csrfToken"].as_str().unwrap().to_owned(),
        }
    }

    /// Returns a client with only the cookie, as a cross-site request has it.
    pub(crate) fn bare(&self) -> Client {
        self.anyone.with_header("cookie", &self.cookie)
    }

    /// Returns a client of the application's own page.
    pub(crate) fn page(&self) -> Client {
        self.bare().with_header("x-csrftoken", &self.csrf_token)
    }

    /// Whether the session authenticates.
    pub(crate) async fn is_known(&self) -> bool {
        is_known(&self.bare()).await
    }
}

/// Whether a client is authenticated. An invalid bearer token is a 401.
pub(crate) async fn is_known(client: &Client) -> bool {
    let status = client.get(STATUS).await;
    status.status == 200 && status.json()["authenticated"] == json!(true)
}

/// Logs in for one kind of credential.
pub(crate) async fn log_in(client: &Client, name: &str, credential: &str) -> Response {
    let login = json!({"email": name, "password": "correct horse", "credential": credential});
    client.post(LOGIN, login).await
}

/// Logs in and returns the token.
pub(crate) async fn token(client: &Client, name: &str) -> String {
    let answer = log_in(client, name, "token").await.expect(200).json();
    answer["token"].as_str().unwrap().to_owned()
}

/// Returns one request of every write operation on an account, all of which its owner may send.
pub(crate) fn writes(id: i64) -> Vec<(Method, String, Value)> {
    vec![
        (
            Method::PATCH,
            format!("{USERS}/{id}"),
            json!({"firstName": "Eve"}),
        ),
        (
            Method::PUT,
            format!("{USERS}/{id}"),
            json!({"email": "eve@example.com", "username": "eve"}),
        ),
        (
            Method::POST,
            TOKENS.to_owned(),
            json!({"name": "eve", "expiresAt": soon()}),
        ),
        (
            Method::POST,
            PASSWORD.to_owned(),
            json!({"password": "correct horse", "newPassword": "evil horse"}),
        ),
        (Method::POST, LOGOUT.to_owned(), json!({})),
    ]
}

/// Returns a valid expiry of a token.
pub(crate) fn soon() -> String {
    let end = model_resource::Timestamp::now() + std::time::Duration::from_secs(24 * 3600);
    format!("{end:.6}")
}
