//! Tasks that outlive the requests which started them, and that a stopping server waits for.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tracing::Instrument as _;

/// Number of tasks in the background of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct BackgroundTasks(Arc<Running>);

#[derive(Debug, Default)]
struct Running {
    count: AtomicUsize,
    ended: Notify,
}

/// A running task, until it is dropped.
struct BackgroundTask(BackgroundTasks);

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        let running = &self.0.0;
        if running.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            running.ended.notify_waiters();
        }
    }
}

impl BackgroundTasks {
    /// Runs a future in a task of its own. A panic is logged.
    pub(super) fn spawn(self, runtime: &Handle, work: impl Future<Output = ()> + Send + 'static) {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        let task = BackgroundTask(self);
        let work = async move {
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                tracing::error!("work after a commit panicked");
            }
            drop(task);
        };
        runtime.spawn(work.in_current_span());
    }

    /// Waits until no task runs.
    pub(crate) async fn all_ended(&self) {
        loop {
            let ended = self.0.ended.notified();
            if self.0.count.load(Ordering::Acquire) == 0 {
                return;
            }
            ended.await;
        }
    }
}
