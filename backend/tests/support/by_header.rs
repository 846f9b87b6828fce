//! An authenticator for custom apis.

use backend::api::{Context, Result};
use model_resource::{Authenticate, Caller};

use crate::support::client::Client;

const CALLER: &str = "x-caller";

/// Trusts the caller's header: `7 librarian` is the caller with the key 7 and that role.
pub struct ByHeader;

impl Authenticate for ByHeader {
    async fn authenticate(&self, cx: &mut Context) -> Result<Caller> {
        let Some(said) = cx.headers().get(CALLER) else {
            return Ok(Caller::anonymous());
        };
        let mut words = said.to_str().unwrap().split(' ');
        let key: i64 = words.next().unwrap().parse().unwrap();
        Ok(Caller::of(key).with_roles(words))
    }
}

impl Client {
    /// Returns a client that is authenticated as this caller.
    pub fn as_caller(&self, said: &str) -> Self {
        self.with_header(CALLER, said)
    }
}
