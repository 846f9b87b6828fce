//! Timeout of a request.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use crate::http::timer::{LazyTimer, MAX_TIMEOUT};

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
    timer: Option<LazyTimer>,
}

impl Timeout {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit: limit.min(MAX_TIMEOUT),
            idle: Mutex::default(),
        }
    }

    /// Awaits a future, or returns `None` after the timeout; the caller then drops the future.
    pub(crate) async fn within<F: Future>(&self, mut future: Pin<&mut F>) -> Option<F::Output> {
        let mut pooled = PooledTimer {
            from: self,
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
            let deadline = Instant::now() + self.from.limit;
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
    async fn what_takes_too_long_is_given_up_and_the_rest_is_not() {
        let limit = Timeout::new(Duration::from_secs(5));
        let start = Instant::now();
        for round in 1..=3 {
            let short = async {
                tokio::time::sleep(Duration::from_secs(4)).await;
                round
            };
            assert_eq!(limit.within(pin!(short)).await, Some(round));
            assert_eq!(limit.within(pin!(pending::<()>())).await, None);
            assert_eq!(start.elapsed().as_secs(), 9 * round);
        }
        assert_eq!(limit.within(pin!(async { 1 })).await, Some(1));
        assert_eq!(limit.idle().len(), 1);
    }
}
