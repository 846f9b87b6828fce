//! The way of a request to the application: in this process, or over a socket.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use model_resource::HttpService;
use tower::ServiceExt;

/// Address of clients in this process, of which rate limits need one.
const CLIENT: ([u8; 4], u16) = ([127, 0, 0, 1], 40_000);

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Way of requests to an application.
#[derive(Clone)]
pub(crate) enum Transport {
    InProcess(Arc<dyn Fn(Request<Body>) -> Answer + Send + Sync>),
    Socket(SocketAddr, Client<HttpConnector, Full<Bytes>>),
}

/// Status, headers and body of a response.
pub(crate) type Received = (StatusCode, HeaderMap, Bytes);

impl Transport {
    pub(crate) fn in_process(service: impl HttpService + Sync) -> Self {
        Self::InProcess(Arc::new(move |request| {
            let answer = service.clone().oneshot(request);
            Box::pin(async move {
                match answer.await {
                    Ok(response) => response,
                    Err(never) => match never {},
                }
            })
        }))
    }

    pub(crate) fn socket(address: SocketAddr) -> Self {
        Self::Socket(address, Client::builder(TokioExecutor::new()).build_http())
    }

    /// Sends a request, and reads the response to its end.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Received, String> {
        let invalid = |error| format!("{path:?} is no path of a request: {error}");
        match self {
            Self::InProcess(answer) => {
                let mut request = Request::new(Body::from(body));
                *request.method_mut() = method;
                *request.uri_mut() = path.parse().map_err(|error| invalid(http::Error::from(error)))?;
                *request.headers_mut() = headers;
                let host = http::HeaderValue::from_static("localhost");
                request.headers_mut().entry(header::HOST).or_insert(host);
                let client = ConnectInfo(SocketAddr::from(CLIENT));
                request.extensions_mut().insert(client);
                let (parts, body) = answer(request).await.into_parts();
                let body = body.collect().await.map_err(|error| broken(&error))?;
                Ok((parts.status, parts.headers, body.to_bytes()))
            }
            Self::Socket(address, client) => {
                let mut request = Request::builder()
                    .method(method)
                    .uri(format!("http://{address}{path}"))
                    .body(Full::new(body))
                    .map_err(invalid)?;
                *request.headers_mut() = headers;
                let response = client.request(request).await;
                let response = response.map_err(|error| format!("the server does not answer: {error:?}"))?;
                let (parts, body) = response.into_parts();
                let body = body.collect().await.map_err(|error| broken(&error))?;
                Ok((parts.status, parts.headers, body.to_bytes()))
            }
        }
    }
}

fn broken(error: &dyn std::fmt::Debug) -> String {
    format!("the body does not arrive: {error:?}")
}
