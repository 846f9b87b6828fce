//! Thread pools for CPU-bound work, such as password hashes.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::pipeline::cpu_queue::CpuQueue;
use crate::pipeline::error::{Error, Result};

/// Maximum jobs of one place in the code that wait for a thread, per thread: some two seconds of password hashes.
const MAX_WAITING: usize = 64;

/// Maximum time that a job waits for a thread, within the default timeout of requests. On a busy machine even a short
/// queue takes long.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

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
    queue: Arc<CpuQueue>,
    /// Number of jobs that were refused because too many waited, or because they had waited too long.
    refused: AtomicU64,
}

/// Numbers of a pool at one moment.
#[cfg(feature = "prometheus")]
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CpuPoolStatus {
    /// Number of jobs that wait for a thread.
    pub(crate) waiting: usize,
    /// Number of jobs that were refused since the start.
    pub(crate) refused: u64,
}

impl CpuPool {
    fn start(name: &str, threads: usize) -> Self {
        let queue = Arc::new(CpuQueue::new(threads * MAX_WAITING));
        for number in 0..threads {
            let queue = Arc::clone(&queue);
            let thread = std::thread::Builder::new().name(format!("{name}-{number}"));
            if let Err(error) = thread.spawn(move || queue.run_jobs()) {
                tracing::error!(%error, "cannot start a thread");
            }
        }
        Self {
            queue,
            refused: AtomicU64::new(0),
        }
    }

    #[cfg(feature = "prometheus")]
    fn status(&self) -> CpuPoolStatus {
        CpuPoolStatus {
            waiting: self.queue.waiting(),
            refused: self.refused.load(Ordering::Relaxed),
        }
    }

    fn refuse(&self, cause: &'static str) -> Error {
        self.refused.fetch_add(1, Ordering::Relaxed);
        Error::unavailable(cause)
    }

    async fn run<T: Send + 'static>(
        &self,
        place: &'static Location<'static>,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
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
        if !self.queue.push(place, work) {
            return Err(self.refuse("too many jobs wait for a thread for CPU-bound work"));
        }
        let done = answer.await.map_err(Error::internal)?;
        let done = done.ok_or_else(|| self.refuse("CPU-bound work waited too long for a thread"))?;
        done.map_err(|_| Error::internal("CPU-bound work panicked"))
    }
}

/// Runs CPU-bound work on a dedicated thread pool, away from the threads that serve requests.
///
/// The pool has half of the processors. Each place in the code that calls this function has a queue of its own, and they
/// share the time of the pool equally: a login does not wait for a queue of registrations. The queues are bounded: work
/// beyond them, or that waits for twenty seconds without beginning, is answered with 503 and `Retry-After`.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> model_resource::Result<()> {
/// let sum = model_resource::run_cpu_bound(|| (1..=1000u64).sum::<u64>()).await?;
/// assert_eq!(sum, 500_500);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn run_cpu_bound<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> impl Future<Output = Result<T>> + Send {
    run_cpu_bound_at(Location::caller(), work)
}

/// Runs CPU-bound work like [`run_cpu_bound`], in the queue of another place in the code: that of the caller, in a
/// function which is used in several places.
pub async fn run_cpu_bound_at<T: Send + 'static>(
    place: &'static Location<'static>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    JOBS.run(place, work).await
}

/// Numbers of the pool of [`run_cpu_bound`], which begins with the first job.
#[cfg(feature = "prometheus")]
pub(crate) fn cpu_pool_status() -> CpuPoolStatus {
    LazyLock::get(&JOBS).map(CpuPool::status).unwrap_or_default()
}

/// Builds a document that many clients share, on a thread of its own.
#[cfg(feature = "openapi")]
pub(crate) async fn build_document<T: Send + 'static>(
    build: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    DOCUMENTS.run(Location::caller(), build).await
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
        let first = pool.run(Location::caller(), move || {
            let _ = blocked.recv();
            0
        });
        let mut jobs: Vec<BoxFuture<'_, Result<usize>>> = vec![Box::pin(first)];
        for number in 1..MAX_WAITING + 10 {
            jobs.push(Box::pin(pool.run(Location::caller(), move || number)));
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
        assert_eq!(pool.refused.load(Ordering::Relaxed), refused as u64);
        assert_eq!(finished, done.len() - refused);
    }

    #[tokio::test]
    async fn a_panic_ends_only_its_own_job() {
        let pool = CpuPool::start("test", 1);
        let panicked = pool
            .run(Location::caller(), || -> usize { panic!("on purpose") })
            .await;
        assert!(panicked.is_err_and(|error| matches!(error.kind(), ErrorKind::Internal)));
        assert_eq!(pool.run(Location::caller(), || 7).await.ok(), Some(7));
    }
}
