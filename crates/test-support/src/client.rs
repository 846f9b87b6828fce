//! An HTTP client that sends any request unchanged.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use model_resource_testing::{TestClient, TestResponse};
use serde_json::Value;

/// Sends requests to one address: the client of the test kit, with the assertions of these tests.
#[derive(Clone)]
pub struct Client(TestClient);

/// A response, read to its end.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// Method and path of the request, for messages.
    request: String,
}

impl Client {
    /// Returns a client that sends no headers of its own.
    pub fn new(address: SocketAddr) -> Self {
        Self(TestClient::at(address))
    }

    /// Returns a client that sends one more header with each request.
    pub fn with_header(&self, name: &'static str, value: &str) -> Self {
        Self(self.0.with_header(name, value))
    }

    /// Returns a client with a bearer token, in addition to any it has.
    pub fn with_token(&self, token: &str) -> Self {
        Self(self.0.with_token(token))
    }

    /// Returns the header lines that the client sends with each request, for requests written by hand.
    pub fn header_lines(&self) -> String {
        let line =
            |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}\r\n", value.to_str().unwrap());
        self.0.headers().iter().map(line).collect()
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Response {
        self.0.get(path).await.into()
    }

    /// Sends a HEAD request.
    pub async fn head(&self, path: &str) -> Response {
        self.0.head(path).await.into()
    }

    /// Sends a OPTIONS request.
    pub async fn options(&self, path: &str) -> Response {
        self.0.options(path).await.into()
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Response {
        self.0.delete(path).await.into()
    }

    /// Sends a POST request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.0.post(path, body).await.into()
    }

    /// Sends a PUT request with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.0.put(path, body).await.into()
    }

    /// Sends a PATCH request with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.0.patch(path, body).await.into()
    }

    /// Sends any method with a JSON body.
    pub async fn send_json(&self, method: Method, path: &str, body: Value) -> Response {
        self.0.send_json(method, path, body).await.into()
    }

    /// Sends any method and any bytes, with the content type and body if given.
    pub async fn send(&self, method: Method, path: &str, body: Option<(&str, Bytes)>) -> Response {
        self.0.send(method, path, body).await.into()
    }

    /// Sends any method and any bytes, with the content type and body if given. Returns an error if the connection
    /// fails.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Bytes)>,
    ) -> Result<Response, String> {
        self.0.try_send(method, path, body).await.map(Response::from)
    }
}

impl From<TestResponse> for Response {
    fn from(response: TestResponse) -> Self {
        Self {
            status: response.status,
            headers: response.headers,
            body: response.body,
            request: response.request,
        }
    }
}

impl Response {
    /// Parses the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let parsed = serde_json::from_slice(&self.body);
        parsed.unwrap_or_else(|_| panic!("{}: not JSON: {:?}", self.request, self.text()))
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Returns a header's value; empty if it is absent.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }

    /// Asserts the status, and shows the body otherwise.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status.as_u16(), status, "{}: {}", self.request, self.text());
        self
    }

    /// Asserts the status and the whole JSON body.
    #[track_caller]
    pub fn expect_json(self, status: u16, body: Value) {
        let response = self.expect(status);
        assert_eq!(response.json(), body, "{}", response.request);
    }
}
