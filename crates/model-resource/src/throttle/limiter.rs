//! A limiter as a decorator: who has asked too often is told 429 and when to come back.

use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::body::json_text;
use crate::context::Context;
use crate::decorator::{Decorator, Next};
use crate::error::{Error, ErrorKind, Result};
use crate::reply::Reply;
use crate::throttle::counts::{Counts, Key, Standing};
use crate::throttle::rate::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Lets no more requests through than a rate allows; made by [`throttle`].
#[derive(Clone)]
pub struct Throttle {
    name: &'static str,
    counts: Arc<Counts>,
    rate: Rate,
    by: By,
    forgives: bool,
}

/// What is counted together.
#[derive(Clone)]
enum By {
    Everyone,
    Address,
    Field(&'static str),
    Own(Arc<OwnKey>),
}

type OwnKey = dyn Fn(&Counts, &Context) -> Key + Send + Sync;

/// A decorator that lets no more requests through than the rate allows, all callers together unless it is told by what to
/// count. Others are told 429 with `Retry-After`, and every answer says in `RateLimit` how many are left.
///
/// ```
/// use model_resource::{CREATE, MethodDecorators, Rate, throttle};
///
/// let decorators = MethodDecorators::none()
///     .on(CREATE, throttle(Rate::per_minute(10)).by_address())
///     .on(CREATE, throttle(Rate::per_hour(1000)).named("members").by(|cx| cx.caller().key::<i64>()));
/// ```
pub fn throttle(rate: Rate) -> Throttle {
    Throttle {
        name: "default",
        counts: Arc::new(Counts::new(rate)),
        rate,
        by: By::Everyone,
        forgives: false,
    }
}

impl Throttle {
    /// Sets the name that clients are told, for limits that they meet together.
    ///
    /// # Panics
    /// When it is more than letters, digits, `-` and `_`.
    #[track_caller]
    pub fn named(mut self, name: &'static str) -> Self {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        assert!(
            !name.is_empty() && name.bytes().all(is_plain),
            "the name {name:?} stands in a header: write letters, digits, `-` and `_`"
        );
        self.name = name;
        self
    }

    /// Counts each client's address by itself, and of IPv6 each network of 64 bits, since those are what one client has. Clients
    /// whose address is not known are one.
    pub fn by_address(mut self) -> Self {
        self.by = By::Address;
        self
    }

    /// Counts by a text of the body, such as the name that somebody logs in with: upper and lower case are the same, and so is
    /// space around it. A body without such a text is not counted.
    pub fn by_field(mut self, name: &'static str) -> Self {
        self.by = By::Field(name);
        self
    }

    /// Counts by a key of your own; requests of the same key are counted together.
    pub fn by<K: Hash>(mut self, key: impl Fn(&Context) -> K + Send + Sync + 'static) -> Self {
        self.by = By::Own(Arc::new(move |counts, cx| counts.key(&key(cx))));
        self
    }

    /// Counts only what fails: a request that is answered with success gives its place back. It has one as long as it runs.
    pub fn failures_only(mut self) -> Self {
        self.forgives = true;
        self
    }

    async fn run(self, mut cx: Context, next: Next) -> Result<Reply> {
        let Some(key) = self.key(&mut cx).await? else {
            return next.run(cx).await;
        };
        let place = match self.counts.take(key) {
            Ok(place) => place,
            Err(standing) => {
                let retry_after = standing.seconds;
                let mut error = Error::new(ErrorKind::TooManyRequests { retry_after });
                self.tell(standing, error.headers_mut());
                return Err(error);
            }
        };
        let mut result = next.run(cx).await;
        let failed = match &result {
            Ok(reply) => reply.status().is_client_error() || reply.status().is_server_error(),
            Err(_) => true,
        };
        let standing = match self.forgives && !failed {
            true => self.counts.give_back(place),
            false => place.standing,
        };
        self.tell(
            standing,
            match &mut result {
                Ok(reply) => reply.headers_mut(),
                Err(error) => error.headers_mut(),
            },
        );
        result
    }

    /// What the request is counted by, if it is.
    async fn key(&self, cx: &mut Context) -> Result<Option<Key>> {
        Ok(Some(match &self.by {
            By::Everyone => self.counts.key(&()),
            By::Address => self.counts.key(&cx.client_address().map(network)),
            By::Field(name) => {
                let body = json_text(cx).await?;
                let text = field(&body, name);
                cx.put_body(body);
                return Ok(text.map(|text| self.counts.key(&text)));
            }
            By::Own(key) => key(&self.counts, cx),
        }))
    }

    /// Several limits stand beside each other.
    fn tell(&self, standing: Standing, headers: &mut HeaderMap) {
        let (name, Rate { most, window }) = (self.name, self.rate);
        let policy = format!("\"{name}\";q={most};w={}", window.as_secs());
        let limit = format!("\"{name}\";r={};t={}", standing.left, standing.seconds);
        for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
            headers.append(
                header,
                HeaderValue::try_from(text).expect("a plain name and numbers"),
            );
        }
    }
}

impl Decorator for Throttle {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(self.clone().run(cx, next))
    }

    fn name(&self) -> &'static str {
        "throttle"
    }
}

/// The part of an address that one client cannot change.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => IpAddr::V6((address.to_bits() >> 64 << 64).into()),
    }
}

/// A text of a JSON object, with case and the space around it taken off: letter by letter, since the case of a whole word
/// writes a sigma at its end in another way, and one name would be counted as two.
fn field(body: &str, name: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let text = body.get(name)?.as_str()?;
    Some(text.trim().chars().flat_map(char::to_lowercase).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_counts_by_its_first_64_bits() {
        let parsed = |text: &str| text.parse::<IpAddr>().expect("an address");
        let (one, same) = (parsed("2001:db8:1:2:3::4"), parsed("2001:db8:1:2:ffff::1"));
        assert_eq!(network(one), network(same));
        assert_ne!(network(one), network(parsed("2001:db8:1:3:3::4")));
        assert_ne!(network(parsed("192.0.2.1")), network(parsed("192.0.2.2")));
    }

    #[test]
    fn a_field_is_the_same_in_any_case() {
        let found = |body: &str| field(body, "email");
        assert_eq!(
            found(r#"{"email": " Ann@Example.com "}"#),
            Some("ann@example.com".into())
        );
        assert_eq!(found(r#"{"email": "ΝΙΚΟΣ"}"#), found(r#"{"email": "νικοσ"}"#));
        for body in ["", "[1]", r#"{"email": 1}"#, r#"{"name": "ann"}"#] {
            assert_eq!(found(body), None);
        }
    }
}
