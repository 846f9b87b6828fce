//! Timeout for a request's headers, as a timer for hyper, which sets it anew for each request.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

use crate::http::LazyTimer;

/// Timer of one connection, shared by all sleeps that hyper creates.
#[derive(Clone, Default)]
pub(super) struct HeaderTimer(Arc<Mutex<Option<LazyTimer>>>);

impl HeaderTimer {
    fn timer(&self) -> MutexGuard<'_, Option<LazyTimer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Timer for HeaderTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        let mut timer = self.timer();
        match &mut *timer {
            Some(timer) => timer.set(deadline.into()),
            None => *timer = Some(LazyTimer::at(deadline.into())),
        }
        Box::pin(self.clone())
    }
}

impl Future for HeaderTimer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match &mut *self.timer() {
            Some(timer) => Pin::new(timer).poll(cx),
            None => Poll::Ready(()),
        }
    }
}

impl Sleep for HeaderTimer {}
