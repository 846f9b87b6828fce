//! The time that a request may take.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use crate::timer::{LONGEST, LazyTimer};

/// So many alarms are kept for further requests.
const MAX_IDLE_TIMERS: usize = 1024;

/// A limit, and the alarms that watch over it.
pub(crate) struct Timeout {
    limit: Duration,
    idle: Mutex<Vec<LazyTimer>>,
}

/// An alarm that is given back.
struct PooledTimer<'l> {
    from: &'l Timeout,
    alarm: Option<LazyTimer>,
}

impl Timeout {
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit: limit.min(LONGEST),
            idle: Mutex::default(),
        }
    }

    /// What a future gives, unless it takes too long; then nothing, and whoever has it lets it go no further.
    pub(crate) async fn within<F: Future>(&self, mut future: Pin<&mut F>) -> Option<F::Output> {
        let mut lent = PooledTimer {
            from: self,
            alarm: None,
        };
        poll_fn(|cx| {
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            // The future may have used up its turn, and the time is over nevertheless.
            pin!(unconstrained(lent.alarm())).poll(cx).map(|()| None)
        })
        .await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<LazyTimer>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PooledTimer<'_> {
    /// Set when it is first asked for: what is done at once needs none.
    fn alarm(&mut self) -> Pin<&mut LazyTimer> {
        let alarm = self.alarm.get_or_insert_with(|| {
            let deadline = Instant::now() + self.from.limit;
            let idle = self.from.idle().pop();
            idle.map_or_else(
                || LazyTimer::at(deadline),
                |mut alarm| {
                    alarm.set(deadline);
                    alarm
                },
            )
        });
        Pin::new(alarm)
    }
}

impl Drop for PooledTimer<'_> {
    fn drop(&mut self) {
        if let Some(alarm) = self.alarm.take() {
            let mut idle = self.from.idle();
            if idle.len() < MAX_IDLE_TIMERS {
                idle.push(alarm);
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
