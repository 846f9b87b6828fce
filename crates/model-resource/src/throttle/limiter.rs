//! A limiter as a decorator: who has asked too often is told 429 and when to come back.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use model_resource_store::Store;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::body::json_text;
use crate::context::Context;
use crate::decorator::{Decorator, Next};
use crate::error::{Error, ErrorKind, Result};
use crate::reply::Reply;
use crate::throttle::counters::{RateCounters, RateKey, RateStatus};
use crate::throttle::rate::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Lets no more requests through than a rate allows; made by [`throttle`].
#[derive(Clone)]
pub struct Throttle {
    name: &'static str,
    counts: Arc<RateCounters>,
    rate: Rate,
    by: KeySource,
    /// The member that the body of a counted request has.
    needed: Option<&'static str>,
    forgives: bool,
}

/// What is counted together.
#[derive(Clone)]
enum KeySource {
    Everyone,
    Address,
    Field(&'static str),
    Found(&'static str, Arc<FoundKey>),
    Own(Arc<OwnKey>),
}

type OwnKey = dyn Fn(&RateCounters, &Context) -> RateKey + Send + Sync;
type FoundKey = dyn Fn(Arc<RateCounters>, Store, String) -> BoxFuture<'static, Result<RateKey>> + Send + Sync;

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
        counts: Arc::new(RateCounters::new(rate)),
        rate,
        by: KeySource::Everyone,
        needed: None,
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
        self.by = KeySource::Address;
        self
    }

    /// Counts by a text of the body, such as the name that somebody logs in with: upper and lower case are the same, and so is
    /// space around it. A body without such a text is not counted.
    pub fn by_field(mut self, name: &'static str) -> Self {
        self.by = KeySource::Field(name);
        self
    }

    /// Counts by what you find for a text of the body, so that all names of one thing are counted together: of an account,
    /// say, that is known by an e-mail address and by a user name. A body without such a text is not counted.
    ///
    /// ```
    /// use model_resource::{Rate, Result, Store, throttle};
    /// # async fn find_member(_: &Store, _: &str) -> Result<Option<i64>> { Ok(None) }
    ///
    /// /// The key of an account, or the name if nobody has it.
    /// async fn account(store: Store, name: String) -> Result<(Option<i64>, String)> {
    ///     Ok(match find_member(&store, &name).await? {
    ///         Some(key) => (Some(key), String::new()),
    ///         None => (None, name.to_lowercase()),
    ///     })
    /// }
    ///
    /// let limit = throttle(Rate::per_minute(10)).named("account").by_lookup("email", account).failures_only();
    /// ```
    pub fn by_lookup<K: Hash, F: Future<Output = Result<K>> + Send + 'static>(
        mut self,
        name: &'static str,
        find: impl Fn(Store, String) -> F + Send + Sync + 'static,
    ) -> Self {
        let find: Arc<FoundKey> = Arc::new(move |counts, store, text| {
            let found = find(store, text);
            Box::pin(async move { Ok(counts.key(&found.await?)) })
        });
        self.by = KeySource::Found(name, find);
        self
    }

    /// Counts by a key of your own; requests of the same key are counted together.
    pub fn by<K: Hash>(mut self, key: impl Fn(&Context) -> K + Send + Sync + 'static) -> Self {
        self.by = KeySource::Own(Arc::new(move |counts, cx| counts.key(&key(cx))));
        self
    }

    /// Counts only requests whose body is an object with this member, such as those that change a password among all that
    /// change an account.
    pub fn when_body_has(mut self, member: &'static str) -> Self {
        self.needed = Some(member);
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
                self.write_headers(standing, error.headers_mut());
                return Err(error);
            }
        };
        let mut result = next.run(cx).await;
        let failed = match &result {
            Ok(reply) => reply.status().is_client_error() || reply.status().is_server_error(),
            Err(_) => true,
        };
        let standing = match self.forgives && !failed {
            true => self.counts.release(place),
            false => place.standing,
        };
        self.write_headers(
            standing,
            match &mut result {
                Ok(reply) => reply.headers_mut(),
                Err(error) => error.headers_mut(),
            },
        );
        result
    }

    /// What the request is counted by, if it is.
    async fn key(&self, cx: &mut Context) -> Result<Option<RateKey>> {
        if let Some(name) = self.needed {
            let body = json_text(cx).await?;
            let is_counted = has_member(&body, name);
            cx.put_body(body);
            if !is_counted {
                return Ok(None);
            }
        }
        Ok(Some(match &self.by {
            KeySource::Everyone => self.counts.key(&()),
            KeySource::Address => self.counts.key(&cx.client_address().map(network)),
            KeySource::Field(name) => match field(cx, name).await? {
                Some(text) => self.counts.key(&folded(&text)),
                None => return Ok(None),
            },
            KeySource::Found(name, find) => match field(cx, name).await? {
                Some(text) => find(Arc::clone(&self.counts), cx.store().clone(), text).await?,
                None => return Ok(None),
            },
            KeySource::Own(key) => key(&self.counts, cx),
        }))
    }

    /// Several limits stand beside each other.
    fn write_headers(&self, standing: RateStatus, headers: &mut HeaderMap) {
        let (name, Rate { most, window }) = (self.name, self.rate);
        let policy = format!("\"{name}\";q={most};w={}", window.as_secs());
        let limit = format!("\"{name}\";r={};t={}", standing.left, standing.seconds);
        for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
            headers.append(
                header,
                HeaderValue::try_from(text).expect("`named` refuses a name that no header can have"),
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

/// A text of the body, which stays there.
async fn field(cx: &mut Context, name: &str) -> Result<Option<String>> {
    let body = json_text(cx).await?;
    let text = member(&body, name);
    cx.put_body(body);
    Ok(text)
}

/// A name with its case and the space around it taken off: letter by letter, since the case of a whole word writes a sigma at
/// its end in another way, and one name would be counted as two.
fn folded(name: &str) -> String {
    name.trim().chars().flat_map(char::to_lowercase).collect()
}

/// A text of a JSON object.
fn member(body: &str, name: &str) -> Option<String> {
    let body: Value = serde_json::from_str(body).ok()?;
    let text = body.get(name)?.as_str()?;
    Some(text.to_owned())
}

/// Whether a text is a JSON object with this member. The values are not read: one that no type can hold does not decide whether
/// the request is counted.
fn has_member(body: &str, name: &str) -> bool {
    let object: Result<HashMap<String, &RawValue>, _> = serde_json::from_str(body);
    object.is_ok_and(|object| object.contains_key(name))
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
    fn a_name_is_the_same_in_any_case() {
        assert_eq!(folded(" Ann@Example.com "), "ann@example.com");
        assert_eq!(folded("ΝΙΚΟΣ"), folded("νικοσ"));
    }

    #[test]
    fn an_object_with_the_member_is_counted_whatever_else_it_has() {
        for (body, counts) in [
            (r#"{"oldPassword": "x"}"#, true),
            (r#"{"old\u0050assword": "x"}"#, true),
            (r#"{"age": 1e999, "oldPassword": "x", "deep": [[[[1]]]]}"#, true),
            (r#"{"oldPassword": 1}"#, true),
            (r#"{"password": "x"}"#, false),
            (r#"[{"oldPassword": "x"}]"#, false),
            ("{", false),
            ("", false),
        ] {
            assert_eq!(has_member(body, "oldPassword"), counts, "{body}");
        }
    }

    #[test]
    fn only_a_text_of_an_object_is_counted() {
        let found = |body: &str| member(body, "email");
        assert_eq!(found(r#"{"email": " Ann"}"#), Some(" Ann".to_owned()));
        for body in ["", "[1]", r#"{"email": 1}"#, r#"{"name": "ann"}"#] {
            assert_eq!(found(body), None);
        }
    }
}
