//! State of a running server, for health checks and metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::http::{BackgroundTasks, MemoryBudget};

/// State of a [`Server`](crate::Server), shared with the application that it serves.
///
/// A readiness check answers 503 once the server is stopping, so that load balancers send no further requests:
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use http::StatusCode;
/// use model_resource::Server;
///
/// let server = Server::default();
/// let state = server.state();
/// let readyz = get(|| async move {
///     if state.is_stopping() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
/// });
/// let app: Router = Router::new().route("/readyz", readyz);
/// ```
#[derive(Debug, Clone)]
pub struct ServerState(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    memory: MemoryBudget,
    background: BackgroundTasks,
    is_stopping: AtomicBool,
    open: AtomicUsize,
    refused: AtomicU64,
    rejected_heads: AtomicU64,
}

impl Default for ServerState {
    /// State of no server: it never stops.
    fn default() -> Self {
        Self::new(DEFAULT_MEMORY)
    }
}

/// Memory budget unless set otherwise.
const DEFAULT_MEMORY: usize = 64 * 1024 * 1024;

impl ServerState {
    pub(crate) fn new(memory: usize) -> Self {
        Self(Arc::new(Counts {
            memory: MemoryBudget::new(memory),
            background: BackgroundTasks::default(),
            is_stopping: AtomicBool::new(false),
            open: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            rejected_heads: AtomicU64::new(0),
        }))
    }

    /// Bytes of the [memory budget](crate::Server::memory_budget) that are in use.
    pub fn memory_in_use(&self) -> usize {
        self.0.memory.used()
    }

    /// Bytes of the [memory budget](crate::Server::memory_budget).
    pub fn memory_budget(&self) -> usize {
        self.0.memory.total()
    }

    /// Number of requests that wait for memory of the [budget](crate::Server::memory_budget).
    pub fn memory_waiting(&self) -> usize {
        self.0.memory.waiting()
    }

    /// Number of requests that were answered with 503, or whose list was cut off, since the start because there was no
    /// memory of the [budget](crate::Server::memory_budget) for them in time.
    pub fn memory_refusals(&self) -> u64 {
        self.0.memory.refused()
    }

    pub(crate) fn memory(&self) -> &MemoryBudget {
        &self.0.memory
    }

    /// Tasks that requests have left behind.
    pub(crate) fn background(&self) -> &BackgroundTasks {
        &self.0.background
    }

    /// Whether the server has been told to shut down. It may still answer requests for the
    /// [grace period](crate::Server::grace_period).
    pub fn is_stopping(&self) -> bool {
        self.0.is_stopping.load(Ordering::Relaxed)
    }

    /// Number of open connections.
    pub fn connections(&self) -> usize {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Number of connections that were closed since the start because there were too many of them.
    pub fn refused_connections(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Number of requests whose head was rejected since the start: too large, or not HTTP.
    pub fn rejected_heads(&self) -> u64 {
        self.0.rejected_heads.load(Ordering::Relaxed)
    }

    pub(crate) fn reject_head(&self) {
        self.0.rejected_heads.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn stop(&self) {
        self.0.is_stopping.store(true, Ordering::Relaxed);
    }

    pub(crate) fn set_connections(&self, open: usize) {
        self.0.open.store(open, Ordering::Relaxed);
    }

    /// Counts a connection that was closed for want of room, and returns the number of them.
    pub(crate) fn refuse(&self) -> u64 {
        self.0.refused.fetch_add(1, Ordering::Relaxed) + 1
    }
}
