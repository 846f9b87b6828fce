//! Tasks that wait for the beginning of a deferred transaction.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Tasks that wait until a transaction has begun or ended.
#[derive(Default)]
pub(crate) struct StartWaiters(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    wakers: Vec<Waker>,
    /// Task that continues the waiting work inside of the transaction.
    continuing: Option<Waker>,
}

impl StartWaiters {
    /// Waits until `is_over` returns true. It must stay true, and what makes it true must call
    /// [`wake_others`](Self::wake_others) or [`wake_all`](Self::wake_all) afterwards.
    pub(crate) async fn wait(&self, is_over: impl Fn() -> bool) {
        poll_fn(|cx| self.poll(&is_over, cx)).await;
    }

    fn poll(&self, is_over: &impl Fn() -> bool, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.lock();
        // With the lock, so that those who make it true find the waker afterwards.
        if is_over() {
            return Poll::Ready(());
        }
        if !waiting.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Sets the task that continues the work itself, and which the beginning of the transaction need not wake.
    pub(crate) fn continue_in(&self, task: &Waker) {
        self.lock().continuing = Some(task.clone());
    }

    /// Wakes the tasks that wait, apart from the one that continues the work.
    pub(crate) fn wake_others(&self) {
        let Waiting { wakers, continuing } = std::mem::take(&mut *self.lock());
        for waker in wakers {
            if continuing.as_ref().is_none_or(|task| !task.will_wake(&waker)) {
                waker.wake();
            }
        }
    }

    /// Wakes all tasks that wait.
    pub(crate) fn wake_all(&self) {
        let Waiting { wakers, .. } = std::mem::take(&mut *self.lock());
        wakers.into_iter().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn the_task_that_continues_the_work_is_not_woken_by_the_beginning() {
        let (waiters, has_begun) = (StartWaiters::default(), AtomicBool::new(false));
        let (continuing, other) = (Arc::new(Wakes::default()), Arc::new(Wakes::default()));
        let wakers = [
            Waker::from(Arc::clone(&continuing)),
            Waker::from(Arc::clone(&other)),
        ];
        let wait = || waiters.wait(|| has_begun.load(Ordering::Relaxed));
        let (mut work, mut beside) = (pin!(wait()), pin!(wait()));
        assert!(
            work.as_mut()
                .poll(&mut Context::from_waker(&wakers[0]))
                .is_pending()
        );
        assert!(
            beside
                .as_mut()
                .poll(&mut Context::from_waker(&wakers[1]))
                .is_pending()
        );

        waiters.continue_in(&wakers[0]);
        has_begun.store(true, Ordering::Relaxed);
        waiters.wake_others();
        let woken = |wakes: &Wakes| wakes.0.load(Ordering::Relaxed);
        assert_eq!((woken(&continuing), woken(&other)), (0, 1));
        assert!(
            work.as_mut()
                .poll(&mut Context::from_waker(&wakers[1]))
                .is_ready()
        );
        assert!(
            beside
                .as_mut()
                .poll(&mut Context::from_waker(&wakers[1]))
                .is_ready()
        );
    }

    #[test]
    fn all_tasks_are_woken_if_nothing_continues_the_work() {
        let waiters = StartWaiters::default();
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut work = pin!(waiters.wait(|| false));
        for _ in 0..2 {
            assert!(work.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        waiters.continue_in(&waker);
        waiters.wake_all();
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    }
}
