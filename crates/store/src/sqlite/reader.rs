//! The threads that read.

use tokio::sync::oneshot;

use super::connection;
use super::location::Location;
use super::queue::{Queue, Waiting};
use super::task::Task;
use crate::error::{Error, Result};

/// Starts the threads, each with a connection, which end when the queue is dropped.
///
/// Each holds the writer's queue, so that the writer ends after them: the last connection to be closed tidies the
/// write-ahead log away, and one that only reads cannot.
pub(super) async fn start(location: &Location, writer: &Queue<Task>) -> Result<Queue<Task>> {
    let (queue, waiting) = Queue::new();
    let count = std::thread::available_parallelism().map_or(2, |count| count.get().max(2));
    for number in 0..count {
        start_one(location.clone(), number, waiting.clone(), writer.clone()).await?;
    }
    Ok(queue)
}

async fn start_one(
    location: Location,
    number: usize,
    waiting: Waiting<Task>,
    writer: Queue<Task>,
) -> Result<()> {
    let (ready, opened) = oneshot::channel();
    let thread = std::thread::Builder::new().name(format!("store-reader-{number}"));
    let spawned = thread.spawn(move || match connection::open_reader(&location) {
        Ok(connection) => {
            ready.send(Ok(())).ok();
            while let Some(task) = waiting.next() {
                // Nothing but reads is sent here, and the connection could do nothing else.
                if let Task::Read(work) = task {
                    work(&connection);
                }
            }
            drop(connection);
            drop(writer);
        }
        Err(error) => {
            ready.send(Err(error)).ok();
        }
    });
    spawned.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
    opened
        .await
        .map_err(|_| Error::Failed("a reader ended while it opened the database".to_owned()))?
}
