//! The thread that writes.

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::location::Location;
use super::queue::{Queue, Waiting};
use super::task::Task;
use super::{alone, connection, group};
use crate::error::{Error, Result};

/// Starts the thread, which opens the database and ends when the queue is dropped and nothing waits in it.
pub(super) async fn start(location: &Location) -> Result<Queue<Task>> {
    let (queue, waiting) = Queue::new();
    let (ready, opened) = oneshot::channel();
    let location = location.clone();
    let thread = std::thread::Builder::new().name("store-writer".to_owned());
    let spawned = thread.spawn(move || match connection::open_writer(&location) {
        Ok(connection) => {
            ready.send(Ok(())).ok();
            run(connection, &waiting);
        }
        Err(error) => {
            ready.send(Err(error)).ok();
        }
    });
    spawned.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))?;
    opened
        .await
        .map_err(|_| Error::Failed("the writer ended while it opened the database".to_owned()))??;
    Ok(queue)
}

fn run(mut connection: Connection, waiting: &Waiting<Task>) {
    let mut next = None;
    while let Some(task) = next.take().or_else(|| waiting.next()) {
        match task {
            Task::Read(work) => work(&connection),
            Task::Write(write) => next = group::commit(&connection, write, waiting),
            Task::Alone(work) => work(Ok(&mut connection)),
            Task::Begin(reply) => alone::serve(&mut connection, reply),
            Task::Commit(reply) => alone::refuse(reply, "no transaction is open"),
            Task::Rollback(reply) => reply
                .into_iter()
                .for_each(|reply| alone::refuse(reply, "no transaction is open")),
        }
    }
}
