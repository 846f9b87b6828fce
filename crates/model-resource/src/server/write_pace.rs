//! Pace at which a client must take a response.
//!
//! A client may stop for a while, but what is kept for it is memory. The time for which a client keeps the server
//! waiting is taken from a credit, and the bytes that it takes add to it: a token bucket.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::http::LazyTimer;

/// Time in which a client must be able to take all that is held for it.
const DRAIN_TIME: f64 = 60.0;

/// Limits of a slow reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct WriteLimits {
    /// Timeout for one write, and the longest that a client may fall behind the rate.
    pub(super) timeout: Duration,
    /// Bytes per second that a client must take on average; 0 for any.
    pub(super) min_rate: u32,
}

/// Pace of one connection.
pub(super) struct WritePace {
    limits: WriteLimits,
    credit: Duration,
    /// Time at which the client stopped taking bytes.
    blocked: Option<Instant>,
    timer: Option<LazyTimer>,
}

impl WritePace {
    pub(super) fn new(limits: WriteLimits) -> Self {
        Self {
            limits,
            credit: limits.timeout,
            blocked: None,
            timer: None,
        }
    }

    /// Checks the result of a write, of which `held` bytes were to be written.
    pub(super) fn check(
        &mut self,
        written: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
        held: impl FnOnce() -> usize,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Pending => {
                if self.is_too_slow(cx) {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            Poll::Ready(Ok(taken)) if self.blocked.is_some() || self.credit < self.limits.timeout => {
                self.taken(taken, held());
            }
            Poll::Ready(_) => {}
        }
        written
    }

    fn is_too_slow(&mut self, cx: &mut Context<'_>) -> bool {
        let blocked = *self.blocked.get_or_insert_with(Instant::now);
        let deadline = blocked + self.credit;
        let timer = self.timer.get_or_insert_with(|| LazyTimer::at(deadline));
        timer.set(deadline);
        Pin::new(timer).poll(cx).is_ready()
    }

    fn taken(&mut self, taken: usize, held: usize) {
        let full = self.limits.timeout;
        if self.limits.min_rate == 0 {
            self.blocked = None;
            return;
        }
        if let Some(blocked) = self.blocked.take() {
            self.credit = self.credit.saturating_sub(blocked.elapsed());
        }
        let rate = f64::from(self.limits.min_rate).max(held as f64 / DRAIN_TIME);
        let earned = Duration::from_secs_f64(taken as f64 / rate);
        self.credit = self.credit.saturating_add(earned).min(full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes `bytes` of `held` every `seconds`, for as long as the server permits.
    async fn seconds_served(min_rate: u32, bytes: usize, seconds: u64, held: usize) -> u64 {
        let timeout = Duration::from_secs(30);
        let mut pace = WritePace::new(WriteLimits { timeout, min_rate });
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(3600) {
            let next = tokio::time::sleep(Duration::from_secs(seconds));
            let cut = std::future::poll_fn(|cx| pace.check(Poll::Pending, cx, || held));
            tokio::select! {
                _ = cut => break,
                () = next => {}
            }
            std::future::poll_fn(|cx| pace.check(Poll::Ready(Ok(bytes)), cx, || held))
                .await
                .expect("a write that succeeds");
        }
        start.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_must_take_a_part_in_time_and_all_parts_at_a_rate() {
        for (min_rate, bytes, seconds, held, expected) in [
            // Nothing is taken.
            (1024, 0, 31, 100, 30..=30),
            (0, 0, 31, 100, 30..=30),
            // One byte per second is too slow, unless any rate is permitted.
            (1024, 1, 1, 100, 30..=31),
            (0, 1, 1, 100, 3600..=3601),
            // The rate itself is enough, also in parts.
            (1024, 1024, 1, 100, 3600..=3601),
            (1024, 20 * 1024, 20, 100, 3600..=3601),
            // Much memory must be taken faster.
            (1024, 1024, 1, 32 << 20, 30..=31),
            (1024, 600_000, 1, 32 << 20, 3600..=3601),
        ] {
            let served = seconds_served(min_rate, bytes, seconds, held).await;
            assert!(expected.contains(&served), "{bytes} per {seconds} s: {served}");
        }
    }
}
