//! Task queues: callers wait asynchronously, threads block without spinning.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
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

/// Sender of a task's result. The caller may be gone.
pub(super) type Responder<A> = oneshot::Sender<Result<A>>;

/// Sending half of a queue.
pub(super) struct Queue<T> {
    tasks: Sender<Queued<T>>,
    taken: Arc<AtomicUsize>,
    ended: Arc<OnceLock<Error>>,
}

/// Receiving half of a queue.
pub(super) struct TaskReceiver<T> {
    tasks: Receiver<Queued<T>>,
    ended: Arc<OnceLock<Error>>,
}

/// A task and its permit.
struct Queued<T> {
    task: T,
    _room: Option<Permit>,
}

/// Capacity of one task, released on drop.
struct Permit(Arc<AtomicUsize>);

impl Permit {
    fn take(taken: &Arc<AtomicUsize>) -> Option<Self> {
        let room = (taken.fetch_add(1, Ordering::Relaxed) < CAPACITY).then(|| Self(Arc::clone(taken)));
        if room.is_none() {
            taken.fetch_sub(1, Ordering::Relaxed);
        }
        room
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Reason why no task was received.
pub(super) enum RecvError {
    /// No task arrived in time.
    TimedOut,
    /// All senders are gone.
    Disconnected,
}

impl<T> Queue<T> {
    /// Creates a queue.
    pub(super) fn new() -> (Self, TaskReceiver<T>) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let ended = Arc::new(OnceLock::new());
        let queue = Self {
            tasks: sender,
            taken: Arc::default(),
            ended: Arc::clone(&ended),
        };
        (
            queue,
            TaskReceiver {
                tasks: receiver,
                ended,
            },
        )
    }

    /// Enqueues a task immediately if there is capacity, and waits for its result. Not an `async fn`, whose future
    /// would also store the task.
    pub(super) fn ask<A>(&self, task: impl FnOnce(Responder<A>) -> T) -> impl Future<Output = Result<A>> {
        let (reply, answer) = oneshot::channel();
        let task = task(reply);
        let waiting = match Permit::take(&self.taken) {
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
        self.tasks.send(Queued { task, _room: room }).ok();
    }

    async fn acquire(&self) -> Result<Permit> {
        let start = Instant::now();
        while start.elapsed() < SEND_TIMEOUT {
            tokio::time::sleep(RETRY_INTERVAL).await;
            if let Some(room) = Permit::take(&self.taken) {
                return Ok(room);
            }
        }
        Err(Error::Unavailable(
            "too many requests wait for the database".to_owned(),
        ))
    }

    fn disconnected(&self) -> Error {
        let closed = || Error::Unavailable("the database was closed".to_owned());
        self.ended.get().cloned().unwrap_or_else(closed)
    }
}

impl<T> TaskReceiver<T> {
    /// Receives the next task; `None` when all senders are gone and the queue is empty.
    pub(super) fn next(&self) -> Option<T> {
        self.tasks.recv().ok().map(|queued| queued.task)
    }

    /// Receives the next task if one is queued.
    pub(super) fn next_now(&self) -> Option<T> {
        self.tasks.try_recv().ok().map(|queued| queued.task)
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

    /// Closes the queue. Pending and later tasks fail with `reason`.
    pub(super) fn end(self, reason: Error) {
        self.ended.set(reason).ok();
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self {
            tasks: self.tasks.clone(),
            taken: Arc::clone(&self.taken),
            ended: Arc::clone(&self.ended),
        }
    }
}

impl<T> Clone for TaskReceiver<T> {
    fn clone(&self) -> Self {
        Self {
            tasks: self.tasks.clone(),
            ended: Arc::clone(&self.ended),
        }
    }
}
