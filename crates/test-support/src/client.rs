//! An HTTP client that sends any request unchanged.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// Sends requests to one address.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    inner: HyperClient<HttpConnector, Full<Bytes>>,
    headers: HeaderMap,
}

/// A response, read to its end.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: StatusCode,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Client {
    /// Returns a client that sends no headers of its own.
    pub fn new(address: SocketAddr) -> Self {
        let inner = HyperClient::builder(TokioExecutor::new()).build_http();
        Self {
            address,
            inner,
            headers: HeaderMap::new(),
        }
    }

    /// Returns a client that sends one more header with each request.
    pub fn with_header(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.append(name, value.parse().unwrap());
        client
    }

    /// Returns a client with a bearer token, in addition to any it has.
    pub fn with_token(&self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// Returns the header lines that the client sends with each request, for requests written by hand.
    pub fn header_lines(&self) -> String {
        let line =
            |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}\r\n", value.to_str().unwrap());
        self.headers.iter().map(line).collect()
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, None).await
    }

    /// Sends a HEAD request.
    pub async fn head(&self, path: &str) -> Response {
        self.send(Method::HEAD, path, None).await
    }

    /// Sends a OPTIONS request.
    pub async fn options(&self, path: &str) -> Response {
        self.send(Method::OPTIONS, path, None).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Response {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a POST request with a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Response {
        self.send_json(Method::POST, path, body).await
    }

    /// Sends a PUT request with a JSON body.
    pub async fn put(&self, path: &str, body: Value) -> Response {
        self.send_json(Method::PUT, path, body).await
    }

    /// Sends a PATCH request with a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Response {
        self.send_json(Method::PATCH, path, body).await
    }

    /// Sends any method with a JSON body.
    pub async fn send_json(&self, method: Method, path: &str, body: Value) -> Response {
        self.send(method, path, Some(("application/json", body.to_string().into())))
            .await
    }

    /// Sends any method and any bytes, with the content type and body if given.
    pub async fn send(&self, method: Method, path: &str, body: Option<(&str, Bytes)>) -> Response {
        self.try_send(method, path, body).await.unwrap()
    }

    /// Sends any method and any bytes, with the content type and body if given. Returns an error if the connection
    /// fails.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Bytes)>,
    ) -> Result<Response, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        request.headers_mut().unwrap().extend(self.headers.clone());
        let bytes = match body {
            Some((content_type, bytes)) => {
                if !content_type.is_empty() {
                    request = request.header("content-type", content_type);
                }
                bytes
            }
            None => Bytes::new(),
        };
        let response = self
            .inner
            .request(request.body(Full::new(bytes)).unwrap())
            .await
            .map_err(|error| format!("the server does not answer: {error:?}"))?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await;
        let body = body.map_err(|error| format!("the body does not arrive: {error:?}"))?;
        Ok(Response {
            status: parts.status,
            headers: parts.headers,
            body: body.to_bytes(),
        })
    }
}

impl Response {
    /// Parses the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {:?}", self.text()))
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
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self
    }

    /// Asserts the status and the whole JSON body.
    #[track_caller]
    pub fn expect_json(self, status: u16, body: Value) {
        let response = self.expect(status);
        assert_eq!(response.json(), body);
    }
}
