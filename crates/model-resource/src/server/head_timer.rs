//! Timeout for a request's head, as a timer for hyper, which starts it anew for each request.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};

use crate::server::connection::Connection;

/// Timer of one connection, shared by all sleeps that hyper creates. The connection decides how long they last.
#[derive(Clone)]
pub(super) struct HeadTimer(pub(super) Arc<Connection>);

impl Timer for HeadTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Sleep>> {
        self.0.wait_for_head();
        Box::pin(self.clone())
    }

    fn sleep_until(&self, _: Instant) -> Pin<Box<dyn Sleep>> {
        self.sleep(Duration::ZERO)
    }
}

impl Future for HeadTimer {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        match &mut *self.0.deadline() {
            Some(timer) => Pin::new(timer).poll(cx),
            None => Poll::Ready(()),
        }
    }
}

impl Sleep for HeadTimer {}
