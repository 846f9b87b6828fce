//! An authenticator for the apis of tests.

use model_resource::{Authenticate, Caller, Context, Result};

use crate::client::Client;

const CALLER: &str = "x-caller";

/// Trusts the caller's header: `7 librarian` is the caller with the key 7 and that role.
pub struct HeaderAuthenticator;

impl Authenticate for HeaderAuthenticator {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        let Some(caller) = cx.headers().get(CALLER) else {
            return Ok(Caller::anonymous());
        };
        let mut words = caller.to_str().unwrap().split(' ');
        let key: i64 = words.next().unwrap().parse().unwrap();
        Ok(Caller::of(key).with_roles(words))
    }
}

impl Client {
    /// Returns a client that is authenticated as this caller.
    pub fn as_caller(&self, caller: &str) -> Self {
        self.with_header(CALLER, caller)
    }
}
