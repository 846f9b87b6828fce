//! The watchdog thread: refuses tasks that wait too long for a thread, so that no request needs a timer of its own.

use super::queue::{QueueWatch, TICK};
use super::task::Task;
use crate::error::{Error, Result};

/// Starts the thread. It ends when the queues are closed.
pub(super) fn start(mut queues: Vec<QueueWatch<Task>>) -> Result<()> {
    let thread = std::thread::Builder::new().name("store-watchdog".to_owned());
    let spawned = thread.spawn(move || {
        while !queues.is_empty() {
            std::thread::sleep(TICK);
            queues.retain_mut(QueueWatch::tick);
        }
    });
    match spawned {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::Unavailable(format!("cannot start a thread: {error}"))),
    }
}
