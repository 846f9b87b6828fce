//! Futures that run on the thread of their transaction, where a statement is a function call instead of two switches
//! between threads.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::queue::{Queue, WeakQueue};
use super::task::{DrivenFuture, Task};
use crate::error::{Error, Result};

/// Runs a future on the thread that serves the queue of a transaction. It is dropped with its caller.
pub(super) async fn drive<T: Send + 'static>(
    queue: &Queue<Task>,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    let (driven, answer) = Driven::new(Box::pin(work), Handle::current());
    queue.send(Task::Drive(Box::pin(driven)));
    let ended = answer
        .await
        .map_err(|_| Error::Failed("the transaction has ended".to_owned()))?;
    ended.map_err(|panic| resume_unwind(panic))
}

/// A future in the context of the runtime that it comes from, whose caller gets the result or the panic.
pub(super) struct Driven<T> {
    work: Pin<Box<dyn Future<Output = T> + Send>>,
    runtime: Handle,
    reply: Option<oneshot::Sender<std::thread::Result<T>>>,
}

impl<T> Driven<T> {
    /// Creates the future and the receiver of its result.
    pub(super) fn new(
        work: Pin<Box<dyn Future<Output = T> + Send>>,
        runtime: Handle,
    ) -> (Self, oneshot::Receiver<std::thread::Result<T>>) {
        let (reply, answer) = oneshot::channel();
        let reply = Some(reply);
        (Self { work, runtime, reply }, answer)
    }
}

impl<T> Future for Driven<T> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { work, runtime, reply } = &mut *self;
        if reply.as_ref().is_none_or(oneshot::Sender::is_closed) {
            return Poll::Ready(());
        }
        let _runtime = runtime.enter();
        let result = match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx))) {
            Ok(Poll::Pending) => return Poll::Pending,
            Ok(Poll::Ready(result)) => Ok(result),
            Err(panic) => Err(panic),
        };
        reply.take().map(|reply| reply.send(result));
        Poll::Ready(())
    }
}

/// The future that a transaction's thread polls, if there is one.
pub(super) struct Driver {
    future: Option<DrivenFuture>,
    alarm: Arc<Alarm>,
    waker: Waker,
}

impl Driver {
    /// Creates a driver that is woken through the queue of its thread.
    pub(super) fn new(queue: &Queue<Task>) -> Self {
        let alarm = Arc::new(Alarm {
            queue: queue.downgrade(),
            is_queued: AtomicBool::new(false),
        });
        Self {
            future: None,
            waker: Waker::from(Arc::clone(&alarm)),
            alarm,
        }
    }

    /// Begins to poll a future. One that has not ended is dropped.
    pub(super) fn start(&mut self, future: DrivenFuture) {
        self.future = Some(future);
        self.poll();
    }

    /// Whether there is no future that has not ended.
    pub(super) fn is_idle(&self) -> bool {
        self.future.is_none()
    }

    pub(super) fn poll(&mut self) {
        // Before the poll, so that a wake during it is not missed.
        self.alarm.is_queued.store(false, Ordering::Release);
        let mut context = Context::from_waker(&self.waker);
        let poll = self
            .future
            .as_mut()
            .map(|future| future.as_mut().poll(&mut context));
        if poll.is_some_and(|poll| poll.is_ready()) {
            self.future = None;
        }
    }
}

/// Wakes a thread through its queue.
struct Alarm {
    queue: WeakQueue<Task>,
    is_queued: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_queued.swap(true, Ordering::AcqRel) {
            self.queue.send(Task::Wake);
        }
    }
}
