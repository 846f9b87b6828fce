//! Thread pools for CPU-bound work, such as password hashes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::pipeline::error::{Error, Result};

/// Maximum jobs that wait for a thread, per thread: some two seconds of password hashes.
const MAX_WAITING: usize = 64;

/// Maximum time that a job waits for a thread, within the default timeout of requests. On a busy machine even a short
/// queue takes long.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

/// Niceness of the threads on Linux: requests that need the same processor get about two thirds of it.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 3;

type Work = Box<dyn FnOnce() + Send>;

/// Pool with half of the processors, so that requests keep the others.
static JOBS: LazyLock<CpuPool> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    CpuPool::start("cpu", processors.div_ceil(2))
});

/// Pool for documents that many clients share, so that they do not wait behind the jobs of others.
#[cfg(feature = "openapi")]
static DOCUMENTS: LazyLock<CpuPool> = LazyLock::new(|| CpuPool::start("document", 1));

/// Threads with a bounded queue. They never end, because each keeps the memory of its largest job.
struct CpuPool {
    queue: SyncSender<Work>,
}

impl CpuPool {
    fn start(name: &str, threads: usize) -> Self {
        let (queue, receiver) = sync_channel::<Work>(threads * MAX_WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..threads {
            let receiver = Arc::clone(&receiver);
            let thread = std::thread::Builder::new().name(format!("{name}-{number}"));
            if let Err(error) = thread.spawn(move || run_jobs(&receiver)) {
                tracing::error!(%error, "cannot start a thread");
            }
        }
        Self { queue }
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let queued = Instant::now();
        let work = Box::new(move || {
            // A cancelled request needs no result.
            if !reply.is_closed() {
                let is_overdue = queued.elapsed() > WAIT_TIMEOUT;
                let done = (!is_overdue).then(|| catch_unwind(AssertUnwindSafe(work)));
                let _ = reply.send(done);
            }
        });
        self.queue.try_send(work).map_err(|error| match error {
            TrySendError::Full(_) => Error::unavailable("too many jobs wait for a thread for CPU-bound work"),
            TrySendError::Disconnected(_) => Error::internal("no thread for CPU-bound work is left"),
        })?;
        let done = answer.await.map_err(Error::internal)?;
        let done = done.ok_or_else(|| Error::unavailable("CPU-bound work waited too long for a thread"))?;
        done.map_err(|_| Error::internal("CPU-bound work panicked"))
    }
}

fn run_jobs(queue: &Mutex<Receiver<Work>>) {
    lower_priority();
    loop {
        let work = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = work else { return };
        work();
    }
}

/// Lowers the priority of the current thread where threads have one of their own. Elsewhere it would be the priority of
/// the whole process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, NICENESS) {
        tracing::debug!(%error, "cannot lower the priority of a thread");
    }
}

/// Runs CPU-bound work on a dedicated thread pool, away from the threads that serve requests.
///
/// The pool has half of the processors, at a lower priority than requests, and a bounded queue: work beyond it, or that
/// waits for twenty seconds without beginning, is answered with 503 and `Retry-After`.
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
    JOBS.run(work).await
}

/// Builds a document that many clients share, on a thread of its own.
#[cfg(feature = "openapi")]
pub(crate) async fn build_document<T: Send + 'static>(
    build: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    DOCUMENTS.run(build).await
}

#[cfg(test)]
mod tests {
    use futures_util::future::BoxFuture;

    use super::*;
    use crate::pipeline::error::ErrorKind;

    #[tokio::test]
    async fn work_beyond_the_queue_is_unavailable_and_the_rest_runs() {
        let pool = CpuPool::start("test", 1);
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let first = pool.run(move || {
            let _ = blocked.recv();
            0
        });
        let mut jobs: Vec<BoxFuture<'_, Result<usize>>> = vec![Box::pin(first)];
        for number in 1..MAX_WAITING + 10 {
            jobs.push(Box::pin(pool.run(move || number)));
        }
        // One after the other, so that the first job holds the thread or waits before all others.
        let all = futures_util::future::join_all(jobs);
        let (done, ()) = tokio::join!(all, async move { drop(release) });
        let is_refused = |result: &&Result<usize>| {
            result
                .as_ref()
                .is_err_and(|error| matches!(error.kind(), ErrorKind::Unavailable))
        };
        let refused = done.iter().filter(is_refused).count();
        let finished = done.iter().filter(|result| result.is_ok()).count();
        assert!((8..=10).contains(&refused), "{refused}");
        assert_eq!(finished, done.len() - refused);
    }

    #[tokio::test]
    async fn a_panic_ends_only_its_own_job() {
        let pool = CpuPool::start("test", 1);
        let panicked = pool.run(|| -> usize { panic!("on purpose") }).await;
        assert!(panicked.is_err_and(|error| matches!(error.kind(), ErrorKind::Internal)));
        assert_eq!(pool.run(|| 7).await.ok(), Some(7));
    }
}
