//! HTTP server with timeouts and graceful shutdown.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;
use tower::{Service, ServiceExt};

use crate::http::{MAX_TIMEOUT, with_peer};
use crate::server::disconnect::{Abortable, DisconnectStream};
use crate::server::header_timeout::HeaderTimer;

/// HTTP server settings.
#[derive(Debug, Clone)]
pub struct Server {
    header_timeout: Duration,
    write_timeout: Duration,
    shutdown_timeout: Duration,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(30),
        }
    }
}

impl Server {
    /// Sets the timeout for a client to send a request's headers; 10 seconds by default, at most 30 years.
    pub fn header_timeout(mut self, limit: Duration) -> Self {
        self.header_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets the timeout for a client to accept a part of a response; 30 seconds by default, at most 30 years.
    pub fn write_timeout(mut self, limit: Duration) -> Self {
        self.write_timeout = limit.min(MAX_TIMEOUT);
        self
    }

    /// Sets how long a shutdown waits for requests to finish; 30 seconds by default.
    pub fn shutdown_timeout(mut self, limit: Duration) -> Self {
        self.shutdown_timeout = limit;
        self
    }

    /// Serves until `shutdown` completes. Then no new connection is accepted, and open ones may finish.
    ///
    /// The application is an [`ApiService`](crate::ApiService), an axum router, or another service of this kind.
    pub async fn serve<A>(&self, listener: TcpListener, app: A, shutdown: impl Future<Output = ()>)
    where
        A: HttpService,
    {
        if SystemTime::now() < UNIX_EPOCH {
            tracing::error!(
                "the clock is before 1970, which the header `Date` cannot hold: set it, or connections end unanswered"
            );
        }
        let graceful = GracefulShutdown::new();
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            // Biased, because the shutdown signal must be listened for before the first request is answered.
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.spawn_connection(stream, peer.ip(), app.clone(), &graceful),
                Err(error) => {
                    // Usually out of file descriptors: wait for some to be freed.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        drop(listener);
        if tokio::time::timeout(self.shutdown_timeout, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("some requests did not finish before the shutdown");
        }
    }

    /// Serves the requests of one connection in a task.
    fn spawn_connection<A: HttpService>(
        &self,
        stream: TcpStream,
        peer: IpAddr,
        app: A,
        graceful: &GracefulShutdown,
    ) {
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.write_timeout));
        let search = Abortable::default();
        let stream = DisconnectStream::new(stream, search.clone());
        let connection = http1::Builder::new()
            .timer(HeaderTimer::default())
            .header_read_timeout(self.header_timeout)
            .half_close(true)
            .serve_connection(
                TokioIo::new(stream),
                service_fn(move |request: Request<Incoming>| {
                    let searching = search.begin(&request);
                    let answer = app.clone().oneshot(request.map(body));
                    async move {
                        let answer = answer.await;
                        drop(searching);
                        answer
                    }
                }),
            );
        let connection = with_peer(peer, graceful.watch(connection));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
        });
    }
}

/// Service that can be served: [`ApiService`](crate::ApiService), axum's `Router`, or another infallible service.
pub trait HttpService:
    Service<Request<Body>, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

impl<A> HttpService for A where
    A: Service<Request<Body>, Response = Response, Error = Infallible, Future: Send> + Clone + Send + 'static
{
}

/// Avoids an allocation for requests without a body, which are most.
fn body(incoming: Incoming) -> Body {
    if incoming.is_end_stream() {
        Body::empty()
    } else {
        Body::new(incoming)
    }
}

/// Serves an application at an address until SIGINT or SIGTERM, and prints the address: all that a small `main` needs.
///
/// At port 0 the system chooses a free port, and the printed address contains it. Use [`Server`] for other timeouts, a
/// custom listener, or another shutdown condition.
pub async fn serve(address: &str, app: impl HttpService) -> io::Result<()> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen at {address}: {error}");
        io::Error::new(error.kind(), message)
    })?;
    println!("listening at http://{}", listener.local_addr()?);
    Server::default().serve(listener, app, shutdown_signal()).await;
    Ok(())
}

/// Completes on SIGINT (Ctrl-C) or, on Unix, SIGTERM.
pub async fn shutdown_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            },
            Err(_) => {
                let _ = interrupt.await;
            }
        }
    }
    #[cfg(not(unix))]
    {
        let _ = interrupt.await;
    }
}
