//! The way to a thread: callers wait without blocking, the thread blocks without spinning.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// So many tasks wait in a queue; further callers wait for room.
const CAPACITY: usize = 1024;
/// So long a caller waits for room.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// So often it looks whether there is some.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// Where an answer goes. Whoever asked may be gone.
pub(super) type Responder<A> = oneshot::Sender<Result<A>>;

/// The callers' end of a queue.
pub(super) struct Queue<T> {
    tasks: Sender<Queued<T>>,
    taken: Arc<AtomicUsize>,
    ended: Arc<OnceLock<Error>>,
}

/// The threads' end of a queue.
pub(super) struct TaskReceiver<T> {
    tasks: Receiver<Queued<T>>,
    ended: Arc<OnceLock<Error>>,
}

/// A task, and the room it takes while it waits.
struct Queued<T> {
    task: T,
    _room: Option<Permit>,
}

/// The room of one task, which is free again when this is dropped.
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

/// Why no task came.
pub(super) enum RecvError {
    /// None came in time.
    TimedOut,
    /// None can come: all callers are gone.
    Disconnected,
}

impl<T> Queue<T> {
    /// Both ends of a new queue.
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

    /// Puts a task into the queue at once, if there is room, and waits for its answer. Whoever waits keeps no place for the
    /// task, as an `async fn` would.
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

    /// Puts a task into the queue whose answer nobody waits for.
    pub(super) fn send(&self, task: T) {
        self.put(task, None);
    }

    /// If nobody takes tasks any more, this one ends here, and with it the way for its answer.
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
    /// The next task; none when all callers are gone and nothing waits.
    pub(super) fn next(&self) -> Option<T> {
        self.tasks.recv().ok().map(|queued| queued.task)
    }

    /// The next task, if one waits already.
    pub(super) fn next_now(&self) -> Option<T> {
        self.tasks.try_recv().ok().map(|queued| queued.task)
    }

    /// How many tasks wait.
    pub(super) fn count(&self) -> usize {
        self.tasks.len()
    }

    /// The next task, if it comes in time.
    pub(super) fn next_within(&self, limit: Duration) -> Result<T, RecvError> {
        match self.tasks.recv_timeout(limit) {
            Ok(queued) => Ok(queued.task),
            Err(RecvTimeoutError::Timeout) => Err(RecvError::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(RecvError::Disconnected),
        }
    }

    /// Closes the queue; whoever still asks or waits is told why.
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
