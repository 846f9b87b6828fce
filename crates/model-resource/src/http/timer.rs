//! Timers for timeouts that are set for every request and rarely reached. Setting one must cost next to nothing: a
//! later deadline is only stored, and checked when the earlier one has passed.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::runtime::{Handle, Id};
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

#[cfg(test)]
mod tests {
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
}
