//! Memory budget: buffers of requests and responses are counted together, and a request that finds no memory waits for
//! it or is rejected.
//!
//! Memory that is held for a client, such as a page that nobody takes, is not free for others. Buffers below
//! [`SMALL`] are not counted, because ordinary requests need nothing else.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Size in bytes below which a buffer is not counted.
pub(crate) const SMALL: usize = 16 * 1024;
/// Size in bytes above which buffers may use only five eighths of the budget, so that lists in small parts proceed.
const LARGE: usize = 128 * 1024;
/// Smallest part of a list that is worth a query.
const MIN_PART: usize = 8 * 1024;
/// Smallest part of a sorted list, each of which costs a sort.
const MIN_SORTED_PART: usize = 256 * 1024;
/// Time for which a request waits for memory before it is rejected.
pub(crate) const MEMORY_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum requests that wait for memory, because all of them are woken when some is free.
const MAX_WAITING: usize = 256;

/// Memory budget of a server.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget(Arc<Usage>);

#[derive(Debug)]
struct Usage {
    total: usize,
    used: AtomicUsize,
    /// Parts of lists that are not sent yet and are not the last ones.
    parts: AtomicUsize,
    waiting: AtomicUsize,
    refused: AtomicU64,
    /// Bytes of encoders, which are also among the used ones.
    #[cfg(feature = "compression")]
    encoders: AtomicUsize,
    freed: Notify,
}

/// Part of the budget, free again when dropped. Without a budget it counts nothing.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    budget: Option<MemoryBudget>,
    bytes: usize,
}

/// Bytes together with their reservation.
struct Reserved<T> {
    bytes: T,
    reservation: Reservation,
    sent: Option<Arc<Notify>>,
}

impl MemoryBudget {
    pub(crate) fn new(total: usize) -> Self {
        Self(Arc::new(Usage {
            total,
            used: AtomicUsize::new(0),
            parts: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            refused: AtomicU64::new(0),
            #[cfg(feature = "compression")]
            encoders: AtomicUsize::new(0),
            freed: Notify::new(),
        }))
    }

    pub(crate) fn total(&self) -> usize {
        self.0.total
    }

    pub(crate) fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Number of requests that wait for memory.
    pub(crate) fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::Relaxed)
    }

    /// Number of requests that were rejected or cut off because there was no memory for them in time.
    pub(crate) fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Counts a request that is rejected for want of memory.
    pub(crate) fn refuse(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Size of the next part of a list: `size`, or less if parts of many lists are not sent yet.
    pub(crate) fn part(&self, size: usize) -> usize {
        let parts = self.0.parts.load(Ordering::Relaxed) + 1;
        let share = if size > MIN_SORTED_PART {
            (self.0.total / 4 / parts).max(MIN_SORTED_PART)
        } else {
            (self.0.total / 16 / parts).max(MIN_PART)
        };
        // Buffers of few sizes, because freed ones of many sizes are not used again.
        size.min(1 << share.ilog2())
    }

    /// Bytes that may be in use with a buffer of this size.
    pub(super) fn limit(&self, bytes: usize) -> usize {
        if bytes > LARGE {
            self.0.total / 8 * 5
        } else {
            self.0.total
        }
    }

    /// Bytes of encoders.
    #[cfg(feature = "compression")]
    pub(super) fn encoders(&self) -> &AtomicUsize {
        &self.0.encoders
    }

    /// Counts bytes if they fit.
    fn add(&self, bytes: usize, buffer: usize) -> bool {
        let limit = self.limit(buffer);
        let add = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= limit);
        self.0
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }

    /// Waits until freed memory lets a condition hold. Returns whether it does within the time.
    async fn wait(&self, limit: Duration, mut is_met: impl FnMut() -> bool) -> bool {
        let deadline = Instant::now() + limit;
        let waiting = Waiting(self);
        if self.0.waiting.fetch_add(1, Ordering::SeqCst) >= MAX_WAITING {
            return false;
        }
        loop {
            let mut freed = pin!(waiting.0.0.freed.notified());
            freed.as_mut().enable();
            if is_met() {
                return true;
            }
            if tokio::time::timeout_at(deadline, freed).await.is_err() {
                return is_met();
            }
        }
    }
}

/// Counts a waiting request until dropped.
struct Waiting<'b>(&'b MemoryBudget);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Reservation {
    /// Reserves memory of the current server for a buffer, and waits for it if necessary. Returns `None` if there is
    /// none in time.
    pub(crate) async fn within(limit: Duration, bytes: usize) -> Option<Self> {
        let mut reservation = Self::empty();
        reservation.grow_within(limit, bytes).await.then_some(reservation)
    }

    /// Reservation of nothing, which can grow.
    pub(crate) fn empty() -> Self {
        Self::of(MemoryBudget::current())
    }

    /// Reservation of nothing in a budget.
    pub(crate) fn of(budget: Option<MemoryBudget>) -> Self {
        Self { budget, bytes: 0 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows to a size, or returns `false` if there is no memory at the moment.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else {
            return true;
        };
        let is_added = self.budget.as_ref().is_none_or(|budget| budget.add(more, bytes));
        if is_added {
            self.bytes = bytes;
        }
        is_added
    }

    /// Grows to a size, and waits for memory if necessary. Returns `false` if there is none in time.
    pub(crate) fn grow_within(&mut self, limit: Duration, bytes: usize) -> impl Future<Output = bool> + Send {
        let budget = self.budget.clone();
        async move {
            if self.grow(bytes) {
                return true;
            }
            let Some(budget) = budget else {
                return true;
            };
            // More than that will never be free.
            let is_possible = bytes <= budget.limit(bytes);
            let is_grown = is_possible && budget.wait(limit, || self.grow(bytes)).await;
            if !is_grown {
                budget.refuse();
            }
            is_grown
        }
    }

    /// Size that a buffer can have at most, up to `bytes`.
    pub(crate) fn possible(&self, bytes: usize) -> usize {
        let budget = self.budget.as_ref();
        budget.map_or(bytes, |budget| bytes.min(budget.limit(bytes)))
    }

    /// Counts the request as rejected for want of memory, which [`grow_within`](Self::grow_within) does by itself.
    pub(crate) fn refuse(&self) {
        if let Some(budget) = &self.budget {
            budget.refuse();
        }
    }

    /// Takes up to `bytes` of this reservation for a buffer.
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let taken = bytes.min(self.bytes);
        self.bytes -= taken;
        Self {
            budget: self.budget.clone(),
            bytes: taken,
        }
    }

    /// Sets the size to that of a buffer which exists, even if there is no memory for it.
    pub(crate) fn settle(&mut self, bytes: usize) {
        match &self.budget {
            Some(budget) if bytes > self.bytes => {
                budget.0.used.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            }
            Some(budget) => budget.release(self.bytes - bytes),
            None => {}
        }
        self.bytes = bytes;
    }

    /// Returns the bytes, which keep their memory reserved until they are sent, and then notify `sent`.
    pub(crate) fn hold(
        mut self,
        bytes: impl AsRef<[u8]> + Into<Bytes> + Send + 'static,
        capacity: usize,
        sent: Option<Arc<Notify>>,
    ) -> Bytes {
        if self.budget.is_none() || (sent.is_none() && capacity < SMALL) {
            return bytes.into();
        }
        self.settle(capacity);
        if let (Some(budget), true) = (&self.budget, sent.is_some()) {
            budget.0.parts.fetch_add(1, Ordering::Relaxed);
        }
        Bytes::from_owner(Reserved {
            bytes,
            reservation: self,
            sent,
        })
    }
}

impl MemoryBudget {
    fn release(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::SeqCst);
        if self.0.waiting.load(Ordering::SeqCst) > 0 {
            self.0.freed.notify_waiters();
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(budget) = &self.budget
            && self.bytes > 0
        {
            budget.release(self.bytes);
        }
    }
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for Reserved<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl<T> Drop for Reserved<T> {
    fn drop(&mut self) {
        if let (Some(sent), Some(budget)) = (&self.sent, &self.reservation.budget) {
            budget.0.parts.fetch_sub(1, Ordering::Relaxed);
            sent.notify_one();
        }
    }
}
