//! Task queues: callers wait asynchronously, threads block without spinning.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// Maximum tasks in a queue; further callers wait for capacity.
const CAPACITY: usize = 1024;
/// Maximum time a caller waits for capacity.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// Interval at which a waiting caller checks for capacity.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);
/// Number of ticks after which a task that still waits is refused.
const MAX_TICKS: u32 = 10;
/// Time between two ticks of a queue, so that a task waits five seconds.
pub(super) const TICK: Duration = Duration::from_millis(500);

/// Sender of a task's result. The caller may be gone.
pub(super) type Responder<A> = oneshot::Sender<Result<A>>;

/// A task that can be refused instead of run.
pub(super) trait QueuedTask: Sized {
    /// Whether the task is refused when it has waited too long.
    fn expires(&self) -> bool;

    /// Answers the caller with an error.
    fn refuse(self, error: Error);
}

/// Sending half of a queue.
pub(super) struct Queue<T> {
    sender: Arc<QueueSender<T>>,
}

/// Receiving half of a queue.
pub(super) struct TaskReceiver<T> {
    tasks: Receiver<Queued<T>>,
    state: Arc<QueueState>,
}

struct QueueSender<T> {
    tasks: Sender<Queued<T>>,
    state: Arc<QueueState>,
}

/// State that both halves share.
struct QueueState {
    capacity: usize,
    when_full: WhenFull,
    waiting: AtomicUsize,
    /// Number of the current tick. A queue without a watchdog stays at the first.
    tick: AtomicU32,
    /// Number of times that a thread has taken tasks.
    taken: AtomicU64,
    refused: AtomicU64,
    expired: AtomicU64,
    ended: OnceLock<Error>,
}

/// Treatment of a task that a full queue cannot take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenFull {
    /// Waits for capacity.
    Wait,
    /// Is refused at once.
    Refuse,
}

/// A task, its permit, and the tick at which it was queued.
struct Queued<T> {
    task: T,
    tick: u32,
    _room: Option<Permit>,
}

/// Capacity of one task, released on drop.
struct Permit(Arc<QueueState>);

impl Permit {
    fn take(state: &Arc<QueueState>) -> Option<Self> {
        let is_free = state.waiting.fetch_add(1, Ordering::Relaxed) < state.capacity;
        if !is_free {
            state.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        is_free.then(|| Self(Arc::clone(state)))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl QueueState {
    /// Whether a task has waited too long.
    fn is_expired<T: QueuedTask>(&self, queued: &Queued<T>) -> bool {
        let tick = self.tick.load(Ordering::Relaxed);
        tick.wrapping_sub(queued.tick) > MAX_TICKS && queued.task.expires()
    }

    fn expire<T: QueuedTask>(&self, task: T) {
        self.expired.fetch_add(1, Ordering::Relaxed);
        let waited = (TICK * MAX_TICKS).as_secs();
        task.refuse(Error::Unavailable(format!(
            "a request waited for the database for {waited} s"
        )));
    }
}

/// Reason why no task was received.
pub(super) enum RecvError {
    /// No task arrived in time.
    TimedOut,
    /// All senders are gone.
    Disconnected,
}

impl<T: QueuedTask> Queue<T> {
    /// Creates a queue whose callers wait for capacity.
    pub(super) fn new() -> (Self, TaskReceiver<T>) {
        Self::with_capacity(CAPACITY, WhenFull::Wait)
    }

    /// Creates a queue that refuses tasks beyond its capacity at once.
    pub(super) fn refusing(capacity: usize) -> (Self, TaskReceiver<T>) {
        Self::with_capacity(capacity, WhenFull::Refuse)
    }

    fn with_capacity(capacity: usize, when_full: WhenFull) -> (Self, TaskReceiver<T>) {
        let (sender, tasks) = crossbeam_channel::unbounded();
        let state = Arc::new(QueueState {
            capacity,
            when_full,
            waiting: AtomicUsize::new(0),
            tick: AtomicU32::new(0),
            taken: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            expired: AtomicU64::new(0),
            ended: OnceLock::new(),
        });
        let queue = Self {
            sender: Arc::new(QueueSender {
                tasks: sender,
                state: Arc::clone(&state),
            }),
        };
        (queue, TaskReceiver { tasks, state })
    }

    /// Enqueues a task immediately if there is capacity, and waits for its result. Not an `async fn`, whose future
    /// would also store the task.
    pub(super) fn ask<A>(&self, task: impl FnOnce(Responder<A>) -> T) -> impl Future<Output = Result<A>> {
        let (reply, answer) = oneshot::channel();
        let task = task(reply);
        let waiting = match Permit::take(&self.sender.state) {
            Some(room) => {
                self.put(task, Some(room));
                None
            }
            None => Some(task),
        };
        async move {
            if let Some(task) = waiting {
                let room = Box::pin(self.acquire()).await?;
                self.put(task, Some(room));
            }
            answer.await.map_err(|_| self.disconnected())?
        }
    }

    /// Enqueues a task without waiting for a result.
    pub(super) fn send(&self, task: T) {
        self.put(task, None);
    }

    /// Enqueues a task. If the receiver is gone, the task and its responder are dropped.
    fn put(&self, task: T, room: Option<Permit>) {
        let QueueSender { tasks, state } = &*self.sender;
        let tick = state.tick.load(Ordering::Relaxed);
        let queued = Queued {
            task,
            tick,
            _room: room,
        };
        tasks.send(queued).ok();
    }

    async fn acquire(&self) -> Result<Permit> {
        let state = &self.sender.state;
        let start = Instant::now();
        while state.when_full == WhenFull::Wait && start.elapsed() < SEND_TIMEOUT {
            tokio::time::sleep(RETRY_INTERVAL).await;
            if let Some(room) = Permit::take(state) {
                return Ok(room);
            }
        }
        let count = match state.when_full {
            WhenFull::Wait => &state.expired,
            WhenFull::Refuse => &state.refused,
        };
        count.fetch_add(1, Ordering::Relaxed);
        Err(Error::Unavailable(
            "too many requests wait for the database".to_owned(),
        ))
    }

    fn disconnected(&self) -> Error {
        let closed = || Error::Unavailable("the database was closed".to_owned());
        self.sender.state.ended.get().cloned().unwrap_or_else(closed)
    }

    /// Returns a sender that does not keep the queue open.
    pub(super) fn downgrade(&self) -> WeakQueue<T> {
        WeakQueue(Arc::downgrade(&self.sender))
    }

    /// Number of tasks that wait.
    pub(super) fn waiting(&self) -> usize {
        self.sender.state.waiting.load(Ordering::Relaxed)
    }

    /// Number of tasks that were refused at once because the queue was full.
    pub(super) fn refused(&self) -> u64 {
        self.sender.state.refused.load(Ordering::Relaxed)
    }

    /// Number of tasks that were refused because they had waited too long, in the queue or for capacity.
    pub(super) fn expired(&self) -> u64 {
        self.sender.state.expired.load(Ordering::Relaxed)
    }
}

/// Sending half of a queue that does not keep it open.
pub(super) struct WeakQueue<T>(Weak<QueueSender<T>>);

impl<T: QueuedTask> WeakQueue<T> {
    /// Enqueues a task, unless the queue is closed.
    pub(super) fn send(&self, task: T) {
        if let Some(sender) = self.0.upgrade() {
            Queue { sender }.send(task);
        }
    }
}

/// View of a queue that refuses tasks which have waited too long, also while no thread takes any. Does not keep the
/// queue open.
pub(super) struct QueueWatch<T> {
    sender: Weak<QueueSender<T>>,
    waiting: TaskReceiver<T>,
    taken: u64,
}

impl<T: QueuedTask> QueueWatch<T> {
    pub(super) fn new(queue: &Queue<T>, waiting: &TaskReceiver<T>) -> Self {
        Self {
            sender: Arc::downgrade(&queue.sender),
            waiting: waiting.clone(),
            taken: 0,
        }
    }

    /// Begins the next tick. Returns false if the queue was closed.
    pub(super) fn tick(&mut self) -> bool {
        let Some(sender) = self.sender.upgrade() else {
            return false;
        };
        let TaskReceiver { tasks, state } = &self.waiting;
        state.tick.fetch_add(1, Ordering::Relaxed);
        let taken = state.taken.load(Ordering::Relaxed);
        // A thread that takes tasks refuses those that have expired itself.
        if taken == self.taken {
            for queued in tasks.try_iter().take(tasks.len()) {
                if state.is_expired(&queued) {
                    state.expire(queued.task);
                } else {
                    sender.tasks.send(queued).ok();
                }
            }
        }
        self.taken = taken;
        true
    }
}

impl<T: QueuedTask> TaskReceiver<T> {
    /// Receives the next task; `None` when all senders are gone and the queue is empty.
    pub(super) fn next(&self) -> Option<T> {
        loop {
            let queued = self.tasks.recv().ok()?;
            if let Some(task) = self.take(queued) {
                return Some(task);
            }
        }
    }

    /// Receives the next task if one is queued.
    pub(super) fn next_now(&self) -> Option<T> {
        self.tasks.try_iter().find_map(|queued| self.take(queued))
    }

    /// Number of queued tasks.
    pub(super) fn count(&self) -> usize {
        self.tasks.len()
    }

    /// Receives the next task within a timeout.
    pub(super) fn next_within(&self, limit: Duration) -> Result<T, RecvError> {
        match self.tasks.recv_timeout(limit) {
            Ok(queued) => Ok(queued.task),
            Err(RecvTimeoutError::Timeout) => Err(RecvError::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(RecvError::Disconnected),
        }
    }

    /// Takes a task, unless it has waited too long.
    fn take(&self, queued: Queued<T>) -> Option<T> {
        self.state.taken.fetch_add(1, Ordering::Relaxed);
        if self.state.is_expired(&queued) {
            self.state.expire(queued.task);
            return None;
        }
        Some(queued.task)
    }

    /// Closes the queue. Pending and later tasks fail with `reason`.
    pub(super) fn end(self, reason: Error) {
        self.state.ended.set(reason).ok();
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self {
            sender: Arc::clone(&self.sender),
        }
    }
}

impl<T> Clone for TaskReceiver<T> {
    fn clone(&self) -> Self {
        Self {
            tasks: self.tasks.clone(),
            state: Arc::clone(&self.state),
        }
    }
}
