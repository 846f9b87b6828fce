//! Reads that wait for each other, so that one statement answers several of them.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model_resource::store::{StoreError, StoreResult, wait_for_database};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Maximum number of batches that run at the same time, unless reads for a whole batch wait or some take long.
const MAX_RUNNING: usize = 1;
/// Maximum number of reads of a batch.
const MAX_READS: usize = 64;
/// Time after which a batch no longer counts as running, so that one on a broken connection delays few others.
const MAX_TURN: Duration = Duration::from_millis(100);
/// Maximum time until the batch of a read begins, which depends on the request of the batch before.
const MAX_WAIT: Duration = Duration::from_millis(200);

/// A read that can be part of a batch.
pub(crate) trait BatchedRead: Send + Sized + 'static {
    type Found: Send + 'static;

    /// Whether a batch that begins with another read can contain this one.
    fn fits(&self, first: &Self) -> bool;

    /// Returns what each of these reads has found, in their order.
    fn run_all(batch: Vec<Self>) -> impl Future<Output = StoreResult<Vec<Self::Found>>> + Send;
}

/// Queue of reads of one kind.
///
/// A read runs at once if no batch is running. Otherwise it waits, and the next batch consists of the reads that wait
/// when it begins. Every read therefore sees what was committed before it was asked for.
pub(crate) struct ReadBatches<R, F>(Arc<Mutex<Queue<R, F>>>);

struct Queue<R, F> {
    running: usize,
    waiting: Vec<WaitingRead<R, F>>,
    /// Number of the next read that waits.
    next: u64,
}

struct WaitingRead<R, F> {
    number: u64,
    read: R,
    reply: oneshot::Sender<StoreResult<F>>,
}

/// Place of a read in the queue.
enum Place<R: BatchedRead> {
    First(BatchTurn<R>),
    /// Waits for a batch, with its number.
    Waiting(u64, oneshot::Receiver<StoreResult<R::Found>>),
}

/// The turn of a batch. When it is dropped, it is that of the next one.
struct BatchTurn<R: BatchedRead>(ReadBatches<R, R::Found>);

impl<R: BatchedRead> ReadBatches<R, R::Found> {
    /// Runs a read, alone or with others.
    ///
    /// It runs alone if its batch does not begin for too long, or fails for another reason than the state of the
    /// database, since that may be one of the other reads. A batch that has begun is awaited however long it takes:
    /// many reads that gave up would be a further load on a slow database.
    pub(crate) async fn run(&self, read: impl Fn() -> R) -> StoreResult<R::Found> {
        let (number, mut reply) = match self.place(&read) {
            Place::First(turn) => return turn.hold(run_alone(read())).await,
            Place::Waiting(number, reply) => (number, reply),
        };
        let replied = async {
            match timeout(MAX_WAIT, &mut reply).await {
                Ok(replied) => replied.ok(),
                Err(_) if self.withdraw(number) => None,
                Err(_) => reply.await.ok(),
            }
        };
        match wait_for_database(replied).await {
            Some(found) => found,
            None => run_alone(read()).await,
        }
    }

    /// Removes a read from those that wait; returns whether it was one of them.
    fn withdraw(&self, number: u64) -> bool {
        let mut queue = self.queue();
        let before = queue.waiting.len();
        queue.waiting.retain(|waiting| waiting.number != number);
        queue.waiting.len() < before
    }

    fn place(&self, read: &impl Fn() -> R) -> Place<R> {
        let mut queue = self.queue();
        if queue.running < MAX_RUNNING {
            queue.running += 1;
            return Place::First(BatchTurn(self.clone()));
        }
        let (reply, receiver) = oneshot::channel();
        if queue.waiting.len() == queue.waiting.capacity() {
            queue.remove_cancelled();
        }
        let number = queue.next;
        queue.next += 1;
        let read = read();
        queue.waiting.push(WaitingRead { number, read, reply });
        let fills_a_batch = queue.waiting.len() >= MAX_READS;
        drop(queue);
        if fills_a_batch {
            self.begin_batch();
        }
        Place::Waiting(number, receiver)
    }

    /// Begins the next batch although others are running.
    fn begin_batch(&self) {
        self.queue().running += 1;
        drop(BatchTurn(self.clone()));
    }

    fn queue(&self) -> MutexGuard<'_, Queue<R, R::Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a read as a batch of its own.
pub(crate) async fn run_alone<R: BatchedRead>(read: R) -> StoreResult<R::Found> {
    let found = R::run_all(vec![read]).await?.pop();
    found.ok_or_else(|| StoreError::Failed("a batch has returned fewer results than it has reads".to_owned()))
}

impl<R: BatchedRead> Queue<R, R::Found> {
    /// Removes the reads of the next batch. If there are none, a batch less is running.
    fn next_batch(&mut self) -> Vec<WaitingRead<R, R::Found>> {
        self.remove_cancelled();
        let mut batch: Vec<WaitingRead<R, R::Found>> = Vec::new();
        for waiting in std::mem::take(&mut self.waiting) {
            let fits = batch.first().is_none_or(|first| waiting.read.fits(&first.read));
            if fits && batch.len() < MAX_READS {
                batch.push(waiting);
            } else {
                self.waiting.push(waiting);
            }
        }
        if batch.is_empty() {
            self.running -= 1;
        }
        batch
    }

    fn remove_cancelled(&mut self) {
        self.waiting.retain(|waiting| !waiting.reply.is_closed());
    }
}

impl<R: BatchedRead> BatchTurn<R> {
    /// Awaits what the batch reads. If that takes long, the next batch begins meanwhile.
    async fn hold<T>(self, read: impl Future<Output = T>) -> T {
        let mut read = pin!(read);
        if let Ok(found) = timeout(MAX_TURN, &mut read).await {
            return found;
        }
        drop(self);
        read.await
    }

    /// Runs a batch in a task of its own, which a request that is cancelled does not end.
    async fn run(self, batch: Vec<WaitingRead<R, R::Found>>) {
        let (reads, replies): (Vec<R>, Vec<_>) = batch
            .into_iter()
            .map(|waiting| (waiting.read, waiting.reply))
            .unzip();
        match self.hold(R::run_all(reads)).await {
            Ok(found) => {
                for (found, reply) in found.into_iter().zip(replies) {
                    reply.send(Ok(found)).ok();
                }
            }
            Err(error @ (StoreError::Unavailable(_) | StoreError::Aborted(_) | StoreError::TooSlow(_))) => {
                for reply in replies {
                    reply.send(Err(error.clone())).ok();
                }
            }
            // The reads whose replies are dropped run alone.
            Err(_) => {}
        }
    }
}

impl<R: BatchedRead> Drop for BatchTurn<R> {
    fn drop(&mut self) {
        let batch = self.0.queue().next_batch();
        if batch.is_empty() {
            return;
        }
        let next = BatchTurn(self.0.clone()).run(batch);
        // Without a runtime it is dropped, and its reads run alone.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(next);
        }
    }
}

impl<R, F> Clone for ReadBatches<R, F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R, F> Default for ReadBatches<R, F> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Queue {
            running: 0,
            waiting: Vec::new(),
            next: 0,
        })))
    }
}

#[cfg(test)]
mod tests;
