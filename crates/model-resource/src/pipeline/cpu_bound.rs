//! Thread pool for CPU-bound work, such as password hashes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::pipeline::error::{Error, Result};

type Work = Box<dyn FnOnce() + Send>;

/// Pool with half of the processors, so that requests keep the others. The threads are never ended, because each keeps
/// the memory of its largest job.
static THREADS: LazyLock<Sender<Work>> = LazyLock::new(|| {
    let (sender, receiver) = channel::<Work>();
    let receiver = Arc::new(Mutex::new(receiver));
    let count = std::thread::available_parallelism().map_or(1, |count| count.get().div_ceil(2));
    for number in 0..count {
        let receiver = Arc::clone(&receiver);
        let thread = std::thread::Builder::new().name(format!("heavy-{number}"));
        let run = move || {
            loop {
                let work = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(work) = work else { return };
                work();
            }
        };
        if let Err(error) = thread.spawn(run) {
            tracing::error!(%error, "cannot start a thread");
        }
    }
    sender
});

/// Runs CPU-bound work on a dedicated thread pool, away from the threads that serve requests. A request that waits too
/// long is answered with 408 as usual.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> model_resource::Result<()> {
/// let sum = model_resource::run_cpu_bound(|| (1..=1000u64).sum::<u64>()).await?;
/// assert_eq!(sum, 500_500);
/// # Ok(())
/// # }
/// ```
pub async fn run_cpu_bound<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let (reply, answer) = oneshot::channel();
    let work = Box::new(move || {
        // A cancelled request needs no result.
        if !reply.is_closed() {
            let _ = reply.send(catch_unwind(AssertUnwindSafe(work)));
        }
    });
    THREADS.send(work).map_err(Error::internal)?;
    let done = answer.await.map_err(Error::internal)?;
    done.map_err(|_| Error::internal("heavy work panicked"))
}
