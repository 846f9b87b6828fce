//! HTTP server with timeouts and graceful shutdown.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, Method, Request, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tower::{Service, ServiceExt};

use crate::http::{Effect, count_body, with_connection};
use crate::server::client_stream::ClientStream;
use crate::server::connection::{Connection, Order};
use crate::server::connection_list::ConnectionList;
use crate::server::head_timer::HeadTimer;
use crate::server::rejected_head::RejectedHeads;
use crate::server::settings::Server;
use crate::server::unsent::limit_unsent;

/// Minimum size of the buffers of a connection, which hyper reads into and collects parts of a response in.
const MIN_BUFFER: usize = 64 * 1024;
/// Time for which idle connections stay open after the listener is closed, for requests that are on their way.
const LINGER: Duration = Duration::from_millis(500);
const CLOSE: HeaderValue = HeaderValue::from_static("close");

/// Kind of a shutdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shutdown {
    /// After the [grace period](Server::grace_period), for which requests are still answered.
    AfterGracePeriod,
    /// At once: only requests that have begun are answered.
    Now,
}

impl From<()> for Shutdown {
    fn from((): ()) -> Self {
        Self::AfterGracePeriod
    }
}

impl Server {
    /// Serves until `shutdown` completes. Requests are still answered for the [grace period](Self::grace_period). Then
    /// no new connection is accepted, and open requests may finish.
    ///
    /// The application is an [`ApiService`](crate::ApiService), an axum router, or another service of this kind.
    pub async fn serve<A>(&self, listener: TcpListener, app: A, shutdown: impl Future<Output: Into<Shutdown>>)
    where
        A: HttpService,
    {
        if SystemTime::now() < UNIX_EPOCH {
            tracing::error!(
                "the clock is before 1970, which the header `Date` cannot hold: set it, or connections end unanswered"
            );
        }
        let connections = Arc::new(ConnectionList::new(self.connection_limits(), self.state()));
        let shutdown = self
            .accept_until(shutdown, &listener, app.clone(), &connections)
            .await;
        self.state.stop();
        if shutdown.into() == Shutdown::AfterGracePeriod && !self.grace_period.is_zero() {
            let grace = tokio::time::sleep(self.grace_period);
            self.accept_until(grace, &listener, app.clone(), &connections)
                .await;
            self.accept_queued(listener, app, &connections);
            let _ = tokio::time::timeout(LINGER.min(self.grace_period), connections.all_ended()).await;
        } else {
            drop(listener);
        }
        connections.finish();
        let all_ended = async {
            connections.all_ended().await;
            self.state.background().all_ended().await;
        };
        if tokio::time::timeout(self.shutdown_timeout, all_ended)
            .await
            .is_err()
        {
            tracing::warn!("some requests did not finish before the shutdown");
        }
    }

    /// Accepts connections until `end` completes.
    async fn accept_until<T>(
        &self,
        end: impl Future<Output = T>,
        listener: &TcpListener,
        app: impl HttpService,
        connections: &Arc<ConnectionList>,
    ) -> T {
        let mut end = pin!(end);
        loop {
            // Biased, because the shutdown signal must be listened for before the first request is answered.
            let accepted = tokio::select! {
                biased;
                end = &mut end => return end,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => self.spawn_connection(stream, peer.ip(), app.clone(), connections),
                Err(error) => {
                    // Usually out of file descriptors: wait for some to be freed.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    /// Accepts the connections that the system has accepted already, and closes the listener. Closing it first would
    /// reset them, although their clients may have sent a request.
    fn accept_queued(&self, listener: TcpListener, app: impl HttpService, connections: &Arc<ConnectionList>) {
        let Ok(listener) = listener.into_std() else {
            return;
        };
        while let Ok((stream, peer)) = listener.accept() {
            let stream = stream
                .set_nonblocking(true)
                .and_then(|()| TcpStream::from_std(stream));
            if let Ok(stream) = stream {
                self.spawn_connection(stream, peer.ip(), app.clone(), connections);
            }
        }
    }

    /// Serves the requests of one connection in a task, or closes it if there are too many.
    fn spawn_connection<A: HttpService>(
        &self,
        stream: TcpStream,
        peer: IpAddr,
        app: A,
        connections: &Arc<ConnectionList>,
    ) {
        let Some(place) = connections.admit(peer, self.head_limits()) else {
            return;
        };
        let _ = stream.set_nodelay(true);
        limit_unsent(&stream);
        let shared = Arc::clone(&place.connection);
        let stream = ClientStream::new(stream, Arc::clone(&shared), self.write_limits());
        let (requests, state) = (Arc::clone(&shared), self.state());
        let answer = service_fn(move |request: Request<Incoming>| {
            let abortable = requests.begin(&request);
            let (effect, is_head) = (effect(request.method()), request.method() == Method::HEAD);
            let answer = app.clone().oneshot(request.map(body));
            let state = state.clone();
            async move {
                let Ok(mut response) = answer.await;
                drop(abortable);
                if !is_head {
                    response = count_body(response, state.memory(), effect);
                }
                if state.is_stopping() {
                    response.headers_mut().insert(header::CONNECTION, CLOSE);
                }
                Ok(response)
            }
        });
        let connection = self
            .http1(HeadTimer(Arc::clone(&shared)))
            .serve_connection(TokioIo::new(stream), answer);
        let connection = with_connection(
            peer,
            self.state.memory().clone(),
            self.state.background().clone(),
            run(connection, shared),
        );
        let rejected = RejectedHeads {
            peer,
            has_access_log: self.has_access_log,
            state: self.state(),
        };
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
                rejected.record(&error);
            }
            drop(place);
        });
    }

    fn http1(&self, timer: HeadTimer) -> http1::Builder {
        let mut http1 = http1::Builder::new();
        http1
            .timer(timer)
            // The timer decides how long it lasts.
            .header_read_timeout(self.header_timeout)
            .half_close(true)
            .max_header_size(self.max_header_bytes)
            .max_buf_size(self.max_header_bytes.max(MIN_BUFFER));
        if let Some(max_headers) = self.max_headers {
            http1.max_headers(max_headers);
        }
        http1
    }
}

/// Runs a connection to its end, or to that which the server orders.
async fn run<A, F>(
    connection: http1::Connection<TokioIo<ClientStream>, A>,
    shared: Arc<Connection>,
) -> hyper::Result<()>
where
    A: hyper::service::Service<Request<Incoming>, Response = Response, Error = Infallible, Future = F>,
    F: Future<Output = Result<Response, Infallible>>,
{
    let mut connection = pin!(connection);
    let mut is_finishing = false;
    poll_fn(|cx| {
        let order = shared.order(cx.waker());
        if order == Order::Close && shared.is_waiting() {
            return Poll::Ready(Ok(()));
        }
        let polled = connection.as_mut().poll(cx);
        if polled.is_ready() || is_finishing || order == Order::Serve {
            return polled;
        }
        // After the poll, because a request that has arrived is answered.
        is_finishing = true;
        connection.as_mut().graceful_shutdown();
        connection.as_mut().poll(cx)
    })
    .await
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

fn effect(method: &Method) -> Effect {
    if method.is_safe() {
        Effect::Read
    } else {
        Effect::Write
    }
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
    // Before the address is announced, because its readers may send a signal at once.
    serve_until(shutdown_signal(), address, app).await
}

/// Serves an application at an address until `shutdown` completes, and prints the address.
pub(crate) async fn serve_until(
    shutdown: impl Future<Output = Shutdown>,
    address: &str,
    app: impl HttpService,
) -> io::Result<()> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let message = format!("cannot listen at {address}: {error}");
        io::Error::new(error.kind(), message)
    })?;
    println!("listening at http://{}", listener.local_addr()?);
    Server::default().serve(listener, app, shutdown).await;
    Ok(())
}

/// Returns a future that completes on SIGINT (Ctrl-C), which stops at once, or, on Unix, on SIGTERM, which stops after the
/// [grace period](Server::grace_period).
///
/// On Unix signals are caught from the call on, not from the first poll. Call it before the address of a server is announced,
/// so that no signal kills the process.
///
/// # Panics
/// Outside of a tokio runtime.
#[cfg(unix)]
pub fn shutdown_signal() -> impl Future<Output = Shutdown> + Send + 'static {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    async fn received(signal: io::Result<Signal>) {
        match signal {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    }

    let interrupt = signal(SignalKind::interrupt());
    let terminate = signal(SignalKind::terminate());
    async move {
        tokio::select! {
            () = received(interrupt) => Shutdown::Now,
            () = received(terminate) => Shutdown::AfterGracePeriod,
        }
    }
}

/// Returns a future that completes on Ctrl-C, which stops at once.
#[cfg(not(unix))]
pub fn shutdown_signal() -> impl Future<Output = Shutdown> + Send + 'static {
    async {
        let _ = tokio::signal::ctrl_c().await;
        Shutdown::Now
    }
}
