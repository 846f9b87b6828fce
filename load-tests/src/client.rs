//! HTTP clients.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

use crate::failure::Failure;

/// Maximum time of a request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Sends requests with connections of its own. Clones share them.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    inner: HyperClient<HttpConnector, Full<Bytes>>,
    token: Option<String>,
    /// `Idempotency-Key` of its requests.
    key: Option<String>,
    /// Address that the client claims to have, `X-Forwarded-For`.
    from: String,
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            inner: HyperClient::builder(TokioExecutor::new()).build_http(),
            token: None,
            key: None,
            from: "10.0.0.1".to_owned(),
        }
    }

    /// Returns a client with new connections.
    pub(crate) fn apart(&self) -> Self {
        Self {
            inner: HyperClient::builder(TokioExecutor::new()).build_http(),
            ..self.clone()
        }
    }

    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Returns a client whose requests have this `Idempotency-Key`.
    pub(crate) fn with_key(mut self, key: Option<&str>) -> Self {
        self.key = key.map(str::to_owned);
        self
    }

    /// Returns an attacker with another address, of ten thousands.
    pub(crate) fn at_address(mut self, number: u64) -> Self {
        self.from = attacker_address(number);
        self
    }

    /// Returns a well-behaved client with another address than those of the attackers.
    pub(crate) fn at_own_address(mut self, number: u64) -> Self {
        self.from = format!("10.2.{}.{}", number / 250 % 250, number % 250);
        self
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) async fn get(&self, path: &str) -> Result<(u16, Bytes), Failure> {
        self.send(Method::GET, path, "", String::new()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(u16, Bytes), Failure> {
        self.send(Method::DELETE, path, "", String::new()).await
    }

    pub(crate) async fn send_json(
        &self,
        method: Method,
        path: &str,
        body: serde_json::Value,
    ) -> Result<(u16, Bytes), Failure> {
        self.send(method, path, "application/json", body.to_string())
            .await
    }

    /// Sends a request and reads the response to its end.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: String,
    ) -> Result<(u16, Bytes), Failure> {
        let response = self.exchange(method, path, content_type, body).await?;
        Ok((response.status().as_u16(), response.into_body()))
    }

    /// Sends a request and returns the whole response.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        content_type: &str,
        body: String,
    ) -> Result<Response<Bytes>, Failure> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address))
            .header("x-forwarded-for", &self.from);
        if !content_type.is_empty() {
            request = request.header("content-type", content_type);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(key) = &self.key {
            request = request.header("idempotency-key", key);
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        let exchange = async {
            let (head, body) = self.inner.request(request).await?.into_parts();
            let body = body.collect().await?.to_bytes();
            Ok::<_, Failure>(Response::from_parts(head, body))
        };
        tokio::time::timeout(TIMEOUT, exchange).await?
    }
}

/// Address of an attacker, as `X-Forwarded-For` has it.
pub(crate) fn attacker_address(number: u64) -> String {
    format!("10.1.{}.{}", number / 250 % 250, number % 250)
}
