//! Timeouts of requests and connections.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep};

/// Maximum timeout. A longer one has the same effect, and could not be added to the current time.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Timer whose deadline can be extended. It belongs to the runtime in which it was created.
pub(crate) struct LazyTimer {
    deadline: Instant,
    bell: Pin<Box<Sleep>>,
    runtime: Id,
}

impl LazyTimer {
    /// # Panics
    /// Outside of a runtime.
    pub(crate) fn at(deadline: Instant) -> Self {
        Self {
            deadline,
            bell: Box::pin(tokio::time::sleep_until(deadline)),
            runtime: Handle::current().id(),
        }
    }

    /// Sets another deadline. A timer of another runtime, which may be gone, is created anew.
    pub(crate) fn set(&mut self, deadline: Instant) {
        if self.runtime != Handle::current().id() {
            *self = Self::at(deadline);
            return;
        }
        self.deadline = deadline;
        if deadline < self.bell.deadline() {
            self.bell.as_mut().reset(deadline);
        }
    }
}

impl Future for LazyTimer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { deadline, bell, .. } = &mut *self;
        loop {
            ready!(bell.as_mut().poll(cx));
            if bell.deadline() >= *deadline {
                return Poll::Ready(());
            }
            bell.as_mut().reset(*deadline);
        }
    }
}

/// Maximum timers kept for later requests.
const MAX_IDLE_TIMERS: usize = 1024;

/// Timeout with a pool of timers.
pub(crate) struct Timeout {
    limit: Duration,
    idle: Mutex<Vec<LazyTimer>>,
}

/// Timer that is returned to the pool.
struct PooledTimer<'l> {
    from: &'l Timeout,
    limit: Duration,
    timer: Option<LazyTimer>,
}

impl Timeout {
    /// Time that a request has, if its client waits for this time only.
    pub(crate) fn limit_within(&self, shorter: Option<Duration>) -> Duration {
        shorter.map_or(self.limit, |shorter| self.limit.min(shorter))
    }

    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit: limit.min(MAX_TIMEOUT),
            idle: Mutex::default(),
        }
    }

    /// Awaits a future, or returns `None` after the timeout or a shorter time; the caller then drops the future.
    pub(crate) async fn within<F: Future>(
        &self,
        shorter: Option<Duration>,
        mut future: Pin<&mut F>,
    ) -> Option<F::Output> {
        let mut pooled = PooledTimer {
            from: self,
            limit: self.limit_within(shorter),
            timer: None,
        };
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            // The future may have used up tokio's budget for this poll, but the timeout must still be detected.
            pin!(unconstrained(pooled.timer())).poll(cx).map(|()| None)
        })
        .await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<LazyTimer>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PooledTimer<'_> {
    /// Timer, created at its first poll: a future that is ready at once needs none.
    fn timer(&mut self) -> Pin<&mut LazyTimer> {
        let timer = self.timer.get_or_insert_with(|| {
            let deadline = Instant::now() + self.limit;
            let idle = self.from.idle().pop();
            idle.map_or_else(
                || LazyTimer::at(deadline),
                |mut timer| {
                    timer.set(deadline);
                    timer
                },
            )
        });
        Pin::new(timer)
    }
}

impl Drop for PooledTimer<'_> {
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
            let mut idle = self.from.idle();
            if idle.len() < MAX_IDLE_TIMERS {
                idle.push(timer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_rings_at_the_deadline_that_was_set_last() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut timer = LazyTimer::at(after(2));
        (&mut timer).await;
        assert_eq!(start.elapsed().as_secs(), 2);
        for (deadlines, rings) in [([4, 9], 9), ([60, 20], 20)] {
            deadlines
                .into_iter()
                .for_each(|deadline| timer.set(after(deadline)));
            (&mut timer).await;
            assert_eq!(start.elapsed().as_secs(), rings);
        }
    }

    #[test]
    fn it_outlives_its_runtime() {
        let soon = || Instant::now() + Duration::from_millis(1);
        let runtime = || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            builder.enable_time().build().unwrap()
        };
        let first = runtime();
        let mut timer = {
            let _inside = first.enter();
            LazyTimer::at(soon())
        };
        drop(first);
        runtime().block_on(async {
            timer.set(soon());
            timer.await;
        });
    }

    #[tokio::test(start_paused = true)]
    async fn what_takes_too_long_is_given_up_and_the_rest_is_not() {
        let limit = Timeout::new(Duration::from_secs(5));
        let start = Instant::now();
        for round in 1..=3 {
            let short = async {
                tokio::time::sleep(Duration::from_secs(4)).await;
                round
            };
            assert_eq!(limit.within(None, pin!(short)).await, Some(round));
            assert_eq!(limit.within(None, pin!(pending::<()>())).await, None);
            assert_eq!(start.elapsed().as_secs(), 9 * round);
        }
        for (shorter, seconds) in [(2, 2), (9, 5)] {
            let begin = Instant::now();
            let shorter = Some(Duration::from_secs(shorter));
            assert_eq!(limit.within(shorter, pin!(pending::<()>())).await, None);
            assert_eq!(begin.elapsed().as_secs(), seconds);
        }
        assert_eq!(limit.within(None, pin!(async { 1 })).await, Some(1));
        assert_eq!(limit.idle().len(), 1);
    }
}
