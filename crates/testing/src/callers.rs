//! Callers that the authenticator of the api need not know.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use model_resource::{Authenticate, Caller, Context, Result};

/// Header with the number of a caller.
pub(crate) const CALLER: &str = "x-test-caller";

/// Callers of a test, by the numbers that their clients send.
#[derive(Clone, Default)]
pub(crate) struct TestCallers(Arc<CallerList>);

#[derive(Default)]
struct CallerList {
    callers: Mutex<Vec<Caller>>,
    /// Whether the api has an authenticator.
    is_authenticated: AtomicBool,
}

impl TestCallers {
    /// Adds a caller and returns the number.
    pub(crate) fn add(&self, caller: Caller) -> usize {
        let mut callers = self.0.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.push(caller);
        callers.len() - 1
    }

    /// Sets whether the api has an authenticator, without which nobody asks for callers.
    pub(crate) fn set_authenticated(&self, is_authenticated: bool) {
        self.0.is_authenticated.store(is_authenticated, Ordering::Relaxed);
    }

    pub(crate) fn is_authenticated(&self) -> bool {
        self.0.is_authenticated.load(Ordering::Relaxed)
    }

    /// Returns the caller of a request, if a client of the test sent it as one.
    pub(crate) fn of(&self, cx: &Context) -> Option<Caller> {
        let number: usize = cx.headers().get(CALLER)?.to_str().ok()?.parse().ok()?;
        let callers = self.0.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.get(number).cloned()
    }
}

/// Authenticator of an api that has none of its own: all requests are anonymous, except those of test callers.
pub(crate) struct AnonymousUnlessTested;

impl Authenticate for AnonymousUnlessTested {
    async fn authenticate(&self, _: &mut Context) -> Result<Caller> {
        Ok(Caller::anonymous())
    }
}
