//! State of one connection, shared by its task, its stream and the list of all connections.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;

use http::{Method, Request};
use tokio::time::Instant;

use crate::http::{LazyTimer, MemoryBudget, Reservation, SMALL};

/// One connection.
pub(super) struct Connection {
    limits: HeadLimits,
    opened: Instant,
    /// Deadline of the head that the connection waits for.
    deadline: Mutex<Option<LazyTimer>>,
    /// Milliseconds from `opened` to the end of the last response, plus one; 0 while a request is answered.
    waiting_since: AtomicU64,
    /// Bytes of the head that have arrived, among which may be some of the body until the head is complete.
    head_bytes: AtomicUsize,
    /// Memory of a head that is not small.
    head_memory: Mutex<Reservation>,
    /// Number of heads that were waited for.
    heads: AtomicU32,
    /// Whether the current request may be aborted when the client disconnects.
    is_abortable: AtomicBool,
    order: AtomicU8,
    task: OnceLock<Waker>,
}

/// Timeouts for the head of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadLimits {
    /// From the first byte of a head, or from the beginning of the connection, to the end of the head.
    pub(super) header_timeout: Duration,
    /// From the end of a response to the first byte of the next head.
    pub(super) keep_alive_timeout: Duration,
}

/// Order of the server to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(super) enum Order {
    /// Serve requests.
    Serve = 0,
    /// Finish the current request, then close.
    Finish = 1,
    /// Close at once.
    Close = 2,
}

/// Marks the request as abortable until dropped.
pub(super) struct AbortableGuard(Arc<Connection>);

impl Connection {
    pub(super) fn new(limits: HeadLimits, memory: &MemoryBudget) -> Self {
        Self {
            limits,
            opened: Instant::now(),
            deadline: Mutex::default(),
            waiting_since: AtomicU64::new(1),
            head_bytes: AtomicUsize::new(0),
            head_memory: Mutex::new(Reservation::of(Some(memory.clone()))),
            heads: AtomicU32::new(0),
            is_abortable: AtomicBool::new(false),
            order: AtomicU8::new(Order::Serve as u8),
            task: OnceLock::new(),
        }
    }

    /// Starts the timeout for the next head.
    pub(super) fn wait_for_head(&self) {
        let now = Instant::now();
        let is_first = self.heads.fetch_add(1, Ordering::Relaxed) == 0;
        let since = u64::try_from(now.duration_since(self.opened).as_millis()).unwrap_or(u64::MAX - 1);
        self.waiting_since.store(since + 1, Ordering::Relaxed);
        self.head_bytes.store(0, Ordering::Relaxed);
        let limit = if is_first {
            self.limits.header_timeout
        } else {
            self.limits.keep_alive_timeout
        };
        self.set_deadline(now + limit);
    }

    /// Counts bytes of a head, the first of which start the timeout for headers. Returns `false` if there is no memory
    /// for them.
    pub(super) fn head_received(&self, bytes: usize) -> bool {
        let before = self.head_bytes.fetch_add(bytes, Ordering::Relaxed);
        if before == 0 && self.heads.load(Ordering::Relaxed) > 1 {
            self.set_deadline(Instant::now() + self.limits.header_timeout);
        }
        let head = before + bytes;
        if head <= SMALL {
            return true;
        }
        let mut memory = self.head_memory();
        // The buffer may be twice as large.
        let is_counted = memory.grow(2 * head);
        if !is_counted {
            memory.refuse();
        }
        is_counted
    }

    /// Leaves only the bytes of a complete head counted: those behind it belong to the body, which is counted where it
    /// is read.
    fn head_completed<B>(&self, request: &Request<B>) {
        if self.head_bytes.load(Ordering::Relaxed) <= SMALL {
            return;
        }
        let headers = request.headers().iter();
        let headers: usize = headers
            .map(|(name, value)| name.as_str().len() + value.len())
            .sum();
        let path = request.uri().path_and_query();
        let head = headers + path.map_or(0, |path| path.as_str().len());
        self.head_memory().settle(if head > SMALL { 2 * head } else { 0 });
    }

    /// Frees the memory of a head whose request is being responded to.
    pub(super) fn response_started(&self) {
        if self.head_bytes.load(Ordering::Relaxed) > SMALL {
            self.head_memory().settle(0);
        }
    }

    fn head_memory(&self) -> MutexGuard<'_, Reservation> {
        self.head_memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_deadline(&self, deadline: Instant) {
        match &mut *self.deadline() {
            Some(timer) => timer.set(deadline),
            none => *none = Some(LazyTimer::at(deadline)),
        }
    }

    pub(super) fn deadline(&self) -> MutexGuard<'_, Option<LazyTimer>> {
        self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a head has arrived. A read with a query is abortable until the guard is dropped; other requests are
    /// not watched.
    pub(super) fn begin<B>(self: &Arc<Self>, request: &Request<B>) -> Option<AbortableGuard> {
        self.waiting_since.store(0, Ordering::Relaxed);
        self.head_completed(request);
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        (reads && request.uri().query().is_some()).then(|| {
            self.is_abortable.store(true, Ordering::Relaxed);
            AbortableGuard(Arc::clone(self))
        })
    }

    pub(super) fn is_abortable(&self) -> bool {
        self.is_abortable.load(Ordering::Relaxed)
    }

    /// Whether no request is being answered.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting_since.load(Ordering::Relaxed) != 0
    }

    /// Time since which no request is being answered, if none is.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        let since = self.waiting_since.load(Ordering::Relaxed).checked_sub(1)?;
        Some(self.opened + Duration::from_millis(since))
    }

    /// Gives an order and wakes the task.
    pub(super) fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if let Some(task) = self.task.get() {
            task.wake_by_ref();
        }
    }

    /// Order in force. The task is woken by later ones.
    pub(super) fn order(&self, task: &Waker) -> Order {
        // A task keeps its waker, so that the first one is enough.
        if self.task.get().is_none() {
            self.task.get_or_init(|| task.clone());
            fence(Ordering::SeqCst);
        }
        match self.order.load(Ordering::Relaxed) {
            0 => Order::Serve,
            1 => Order::Finish,
            _ => Order::Close,
        }
    }
}

impl Drop for AbortableGuard {
    fn drop(&mut self) {
        self.0.is_abortable.store(false, Ordering::Relaxed);
    }
}
