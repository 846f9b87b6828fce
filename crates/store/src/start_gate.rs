//! The gate in front of the first write of a deferred transaction.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Tasks that wait until a transaction has begun or ended.
#[derive(Default)]
pub(crate) struct StartGate(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    wakers: Vec<Waker>,
    /// Task that continues the waiting work inside of the transaction.
    continuing: Option<Waker>,
}

impl StartGate {
    /// Waits until `is_open`, which is always so once it was, and which is followed by [`open`](Self::open) or
    /// [`open_for_all`](Self::open_for_all).
    pub(crate) async fn wait(&self, is_open: impl Fn() -> bool) {
        poll_fn(|cx| self.poll(&is_open, cx)).await;
    }

    fn poll(&self, is_open: &impl Fn() -> bool, cx: &mut Context<'_>) -> Poll<()> {
        let mut waiting = self.lock();
        // With the lock, so that those who open the gate afterwards find the waker.
        if is_open() {
            return Poll::Ready(());
        }
        if !waiting.wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.wakers.push(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Sets the task that continues the work when the gate is open, and which therefore need not be woken.
    pub(crate) fn continue_in(&self, task: &Waker) {
        self.lock().continuing = Some(task.clone());
    }

    /// Wakes the tasks that wait, apart from the one that continues the work.
    pub(crate) fn open(&self) {
        let Waiting { wakers, continuing } = std::mem::take(&mut *self.lock());
        for waker in wakers {
            if continuing.as_ref().is_none_or(|task| !task.will_wake(&waker)) {
                waker.wake();
            }
        }
    }

    /// Wakes all tasks that wait.
    pub(crate) fn open_for_all(&self) {
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
        let (gate, is_open) = (StartGate::default(), AtomicBool::new(false));
        let (continuing, other) = (Arc::new(Wakes::default()), Arc::new(Wakes::default()));
        let wakers = [
            Waker::from(Arc::clone(&continuing)),
            Waker::from(Arc::clone(&other)),
        ];
        let wait = || gate.wait(|| is_open.load(Ordering::Relaxed));
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

        gate.continue_in(&wakers[0]);
        is_open.store(true, Ordering::Relaxed);
        gate.open();
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
        let gate = StartGate::default();
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut work = pin!(gate.wait(|| false));
        for _ in 0..2 {
            assert!(work.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        }
        gate.continue_in(&waker);
        gate.open_for_all();
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    }
}
