//! Callers of an api of a test's own.

use backend::api::{Context, Result};
use model_resource::{Authenticate, Caller};

use crate::support::client::Client;

const CALLER: &str = "x-caller";

/// Takes callers at their word: `7 librarian` is the one with the key 7 and that role.
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
    /// The same client, who says to be this caller.
    pub fn as_caller(&self, said: &str) -> Self {
        self.with_header(CALLER, said)
    }
}
