//! A client of the application.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use model_resource::Store;
use serde::Serialize;

use crate::response::TestResponse;
use crate::statements::StatementCount;
use crate::transport::Transport;

/// HTTP client of an application. It sends requests unchanged.
///
/// A [`TestApp`](crate::TestApp) is an anonymous client; its methods return others. A client with another header is a
/// new one: `app.with_header("prefer", "return=minimal").post(..)`.
#[derive(Clone)]
pub struct TestClient {
    transport: Transport,
    headers: HeaderMap,
    /// Store whose statements are counted.
    store: Option<Store>,
}

impl TestClient {
    /// Returns a client of any server at an address.
    pub fn at(address: SocketAddr) -> Self {
        Self::new(Transport::socket(address), None)
    }

    pub(crate) fn new(transport: Transport, store: Option<Store>) -> Self {
        Self {
            transport,
            headers: HeaderMap::new(),
            store,
        }
    }

    /// Returns a client that sends one more header with each request.
    ///
    /// # Panics
    /// If the name or the value is invalid in a header.
    #[track_caller]
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let header = HeaderName::try_from(name).map(|header| (header, HeaderValue::try_from(value)));
        let Ok((name, Ok(value))) = header else {
            panic!("`{name}: {value}` is no valid header");
        };
        let mut client = self.clone();
        client.headers.append(name, value);
        client
    }

    /// Returns a client that sends a bearer token.
    #[track_caller]
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// Headers that the client sends with each request.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Method::GET, path, None).await
    }

    /// Sends a HEAD request.
    pub async fn head(&self, path: &str) -> TestResponse {
        self.send(Method::HEAD, path, None).await
    }

    /// Sends an OPTIONS request.
    pub async fn options(&self, path: &str) -> TestResponse {
        self.send(Method::OPTIONS, path, None).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> TestResponse {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a POST request with a JSON body, such as `json!({"title": "Rust"})`.
    pub async fn post(&self, path: &str, body: impl Serialize) -> TestResponse {
        self.send_json(Method::POST, path, body).await
    }

    /// Sends a PUT request with a JSON body.
    pub async fn put(&self, path: &str, body: impl Serialize) -> TestResponse {
        self.send_json(Method::PUT, path, body).await
    }

    /// Sends a PATCH request with a JSON body.
    pub async fn patch(&self, path: &str, body: impl Serialize) -> TestResponse {
        self.send_json(Method::PATCH, path, body).await
    }

    /// Sends a request of any method with a JSON body.
    pub async fn send_json(&self, method: Method, path: &str, body: impl Serialize) -> TestResponse {
        let body = serde_json::to_vec(&body).expect("the body can be written as JSON");
        self.send(method, path, Some(("application/json", body.into())))
            .await
    }

    /// Sends a request of any method, with a content type and a body if they are given. An empty content type is not
    /// sent.
    ///
    /// # Panics
    /// If there is no response.
    pub async fn send(&self, method: Method, path: &str, body: Option<(&str, Bytes)>) -> TestResponse {
        let name = format!("{method} {path}");
        let response = self.try_send(method, path, body).await;
        response.unwrap_or_else(|message| panic!("{name}: {message}"))
    }

    /// Sends a request like [`send`](Self::send). Returns an error if there is no response, for example because the
    /// connection is closed.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Bytes)>,
    ) -> Result<TestResponse, String> {
        let request = format!("{method} {path}");
        let mut headers = self.headers.clone();
        let (content_type, body) = body.unwrap_or_default();
        if !content_type.is_empty() {
            let content_type = HeaderValue::try_from(content_type);
            let content_type =
                content_type.map_err(|error| format!("the content type is invalid: {error}"))?;
            headers.append(header::CONTENT_TYPE, content_type);
        }
        let before = self.store.as_ref().map(StatementCount::of);
        let (status, headers, body) = self.transport.send(method, path, headers, body).await?;
        let after = self.store.as_ref().map(StatementCount::of);
        Ok(TestResponse {
            status,
            headers,
            body,
            request,
            statements: after.zip(before).map(|(after, before)| after.since(before)),
        })
    }
}

impl std::fmt::Debug for TestClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestClient")
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}
