//! The way to a thread: callers wait without blocking, the thread blocks without spinning.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::error::{Error, Result};

/// So many tasks wait in a queue; further callers wait for room.
const ROOM: usize = 1024;
/// So long a caller waits for room.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where an answer goes. Whoever asked may be gone.
pub(super) type Reply<A> = oneshot::Sender<Result<A>>;

/// The callers' end of a queue.
pub(super) struct Queue<T> {
    tasks: Sender<Queued<T>>,
    room: Arc<Semaphore>,
    ended: Arc<OnceLock<Error>>,
}

/// The threads' end of a queue.
pub(super) struct Waiting<T> {
    tasks: Receiver<Queued<T>>,
    ended: Arc<OnceLock<Error>>,
}

/// A task, and the room it takes while it waits.
struct Queued<T> {
    task: T,
    _room: Option<OwnedSemaphorePermit>,
}

/// Why no task came.
pub(super) enum Silence {
    /// None came in time.
    TimedOut,
    /// None can come: all callers are gone.
    Left,
}

impl<T> Queue<T> {
    /// Both ends of a new queue.
    pub(super) fn new() -> (Self, Waiting<T>) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        let ended = Arc::new(OnceLock::new());
        let queue = Self {
            tasks: sender,
            room: Arc::new(Semaphore::new(ROOM)),
            ended: Arc::clone(&ended),
        };
        (
            queue,
            Waiting {
                tasks: receiver,
                ended,
            },
        )
    }

    /// Puts a task into the queue and waits for its answer.
    pub(super) async fn ask<A>(&self, task: impl FnOnce(Reply<A>) -> T) -> Result<A> {
        let room = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(room) => room,
            Err(_) => self.wait_for_room().await?,
        };
        let (reply, answer) = oneshot::channel();
        let queued = Queued {
            task: task(reply),
            _room: Some(room),
        };
        self.tasks.send(queued).map_err(|_| self.gone())?;
        answer.await.map_err(|_| self.gone())?
    }

    /// Puts a task into the queue whose answer nobody waits for.
    pub(super) fn tell(&self, task: T) {
        self.tasks.send(Queued { task, _room: None }).ok();
    }

    async fn wait_for_room(&self) -> Result<OwnedSemaphorePermit> {
        let room = tokio::time::timeout(PATIENCE, Arc::clone(&self.room).acquire_owned()).await;
        let room =
            room.map_err(|_| Error::Unavailable("too many requests wait for the database".to_owned()))?;
        room.map_err(|_| self.gone())
    }

    fn gone(&self) -> Error {
        let closed = || Error::Unavailable("the database was closed".to_owned());
        self.ended.get().cloned().unwrap_or_else(closed)
    }
}

impl<T> Waiting<T> {
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
    pub(super) fn next_within(&self, limit: Duration) -> Result<T, Silence> {
        match self.tasks.recv_timeout(limit) {
            Ok(queued) => Ok(queued.task),
            Err(RecvTimeoutError::Timeout) => Err(Silence::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Left),
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
            room: Arc::clone(&self.room),
            ended: Arc::clone(&self.ended),
        }
    }
}

impl<T> Clone for Waiting<T> {
    fn clone(&self) -> Self {
        Self {
            tasks: self.tasks.clone(),
            ended: Arc::clone(&self.ended),
        }
    }
}
