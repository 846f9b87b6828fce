//! A browser that is logged in, and what its pages know.

use http::Method;
use serde_json::{Value, json};

use crate::support::{Client, LOGIN, Response};

pub(crate) const LOGOUT: &str = "/api/v1/auth/logout";
pub(crate) const PASSWORD: &str = "/api/v1/auth/password";
pub(crate) const SESSIONS: &str = "/api/v1/auth/sessions";
pub(crate) const STATUS: &str = "/api/v1/auth/status";
pub(crate) const TOKENS: &str = "/api/v1/auth/tokens";
pub(crate) const USERS: &str = "/api/v1/auth/users";

/// What a login by a browser gave.
#[derive(Clone)]
pub(crate) struct Browser {
    anyone: Client,
    /// `session=..`, as it is sent back.
    pub(crate) cookie: String,
    pub(crate) csrf_token: String,
}

impl Browser {
    /// Logs in with the password of all users of the tests.
    pub(crate) async fn log_in(anyone: &Client, name: &str) -> Self {
        Self::of(anyone, &log_in(anyone, name, "session").await.expect(200))
    }

    /// What this answer of a login gave.
    pub(crate) fn of(anyone: &Client, answer: &Response) -> Self {
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Self {
            anyone: anyone.clone(),
            cookie,
            csrf_token: answer.json()["csrfToken"].as_str().unwrap().to_owned(),
        }
    }

    /// A client with the cookie alone, as a page of another site makes browsers send it.
    pub(crate) fn bare(&self) -> Client {
        self.anyone.with_header("cookie", &self.cookie)
    }

    /// A client as one's own page is.
    pub(crate) fn page(&self) -> Client {
        self.bare().with_header("x-csrftoken", &self.csrf_token)
    }

    /// Whether the session is worth something.
    pub(crate) async fn is_known(&self) -> bool {
        is_known(&self.bare()).await
    }
}

/// Whether a client is known; one with a bearer token that is not good is told 401.
pub(crate) async fn is_known(client: &Client) -> bool {
    let status = client.get(STATUS).await;
    status.status == 200 && status.json()["authenticated"] == json!(true)
}

/// Logs in for one kind of credential.
pub(crate) async fn log_in(client: &Client, name: &str, credential: &str) -> Response {
    let login = json!({"email": name, "password": "correct horse", "credential": credential});
    client.post(LOGIN, login).await
}

/// Logs in for a token.
pub(crate) async fn token(client: &Client, name: &str) -> String {
    let answer = log_in(client, name, "token").await.expect(200).json();
    answer["token"].as_str().unwrap().to_owned()
}

/// A request of every writing kind that changes an account, all of which its owner may send.
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

/// A moment that a token may end at.
pub(crate) fn soon() -> String {
    let end = model_resource::Timestamp::now() + std::time::Duration::from_secs(24 * 3600);
    format!("{end:.6}")
}
