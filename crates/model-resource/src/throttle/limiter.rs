//! Rate limiting decorator: answers 429 with `Retry-After` when a client exceeds the rate.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use model_resource_schema::clock::Clock;
use model_resource_store::Store;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::handle::Reply;
use crate::http::client_network;
use crate::load::{Media, json_text, text_in};
use crate::pipeline::{Context, Decorator, Error, ErrorKind, Next, Result};
use crate::throttle::counters::{RateCounters, RateKey, RateStatus};
use crate::throttle::rate::Rate;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Rate limiter, created by [`throttle`].
#[derive(Clone)]
#[doc(alias = "rate limit")]
pub struct Throttle {
    name: &'static str,
    counts: Arc<RateCounters>,
    rate: Rate,
    by: KeySource,
    /// Member that the body of a counted request must have.
    needed: Option<&'static str>,
    forgives: bool,
}

/// Key by which requests are counted.
#[derive(Clone)]
enum KeySource {
    Everyone,
    Address,
    Field(&'static str),
    Found(Cow<'static, str>, Arc<FoundKey>),
    Own(Arc<OwnKey>),
}

type OwnKey = dyn Fn(&RateCounters, &Context) -> RateKey + Send + Sync;
type FoundKey = dyn Fn(Arc<RateCounters>, Store, String) -> BoxFuture<'static, Result<RateKey>> + Send + Sync;

/// Creates a rate limiter: a decorator that lets no more requests through than the rate allows. All callers are counted
/// together unless a key is set. Requests over the limit are answered with 429 and `Retry-After`. Every response
/// reports the remaining requests in `RateLimit`.
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
    /// Sets the name of the limit in the headers, to tell several limits apart.
    ///
    /// # Panics
    /// If it contains other characters than letters, digits, `-` and `_`.
    #[track_caller]
    pub fn named(mut self, name: &'static str) -> Self {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        assert!(
            !name.is_empty() && name.bytes().all(is_plain),
            "the name {name:?} is sent in a header: write letters, digits, `-` and `_`"
        );
        self.name = name;
        self
    }

    /// Counts per client address; for IPv6 per /64 network, because that is what one client owns. Clients with unknown
    /// addresses are counted together.
    pub fn by_address(mut self) -> Self {
        self.by = KeySource::Address;
        self
    }

    /// Counts per value of a text member of the body, such as a login name. Case and surrounding whitespace are
    /// ignored. A body without the member is not counted.
    pub fn by_field(mut self, name: &'static str) -> Self {
        self.by = KeySource::Field(name);
        self
    }

    /// Counts per result of a lookup by a text member of the body, so that all names of one object are counted
    /// together. An example is an account with an e-mail address and a user name. A body without the member is not
    /// counted.
    ///
    /// ```
    /// use model_resource::{Rate, Result, Store, throttle};
    /// # async fn find_member(_: &Store, _: &str) -> Result<Option<i64>> { Ok(None) }
    ///
    /// /// Key of the account, or the name if there is no such account.
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
        name: impl Into<Cow<'static, str>>,
        find: impl Fn(Store, String) -> F + Send + Sync + 'static,
    ) -> Self {
        let find: Arc<FoundKey> = Arc::new(move |counts, store, text| {
            let found = find(store, text);
            Box::pin(async move { Ok(counts.key(&found.await?)) })
        });
        self.by = KeySource::Found(name.into(), find);
        self
    }

    /// Counts per custom key.
    pub fn by<K: Hash>(mut self, key: impl Fn(&Context) -> K + Send + Sync + 'static) -> Self {
        self.by = KeySource::Own(Arc::new(move |counts, cx| counts.key(&key(cx))));
        self
    }

    /// Counts only requests whose body is an object with this member, for example those that change a password among
    /// all updates of an account.
    pub fn when_body_has(mut self, member: &'static str) -> Self {
        self.needed = Some(member);
        self
    }

    /// Counts only failures of the client: a successful request releases its slot, and so does one that ends with an error of
    /// the server. While it runs, it occupies one.
    pub fn failures_only(mut self) -> Self {
        self.forgives = true;
        self
    }

    async fn run(self, mut cx: Context, next: Next) -> Result<Reply> {
        let Some(key) = self.key(&mut cx).await? else {
            return next.run(cx).await;
        };
        let clock = cx.clock().clone();
        let permit = match self.counts.take(key, moment(&clock)) {
            Ok(permit) => permit,
            Err(status) => {
                let retry_after = status.seconds;
                let mut error = Error::new(ErrorKind::TooManyRequests { retry_after });
                self.write_headers(status, error.headers_mut());
                return Err(error);
            }
        };
        let mut result = next.run(cx).await;
        let answered = match &result {
            Ok(reply) => reply.status(),
            Err(error) => error.status(),
        };
        let status = if self.forgives && !answered.is_client_error() {
            self.counts.release(permit, moment(&clock))
        } else {
            permit.status
        };
        self.write_headers(
            status,
            match &mut result {
                Ok(reply) => reply.headers_mut(),
                Err(error) => error.headers_mut(),
            },
        );
        result
    }

    /// Key of the request; `None` if it is not counted.
    async fn key(&self, cx: &mut Context) -> Result<Option<RateKey>> {
        if let Some(name) = self.needed {
            let (media, body) = text_in(cx, &[Media::Json, Media::JsonPatch]).await?;
            let is_counted = match media {
                Media::JsonPatch => mentions(&body, name),
                _ => has_member(&body, name),
            };
            cx.put_body_text(body);
            if !is_counted {
                return Ok(None);
            }
        }
        Ok(Some(match &self.by {
            KeySource::Everyone => self.counts.key(&()),
            KeySource::Address => self.counts.key(&cx.client_address().map(client_network)),
            KeySource::Field(name) => match field(cx, name).await? {
                Some(text) => self.counts.key(&folded(&text)),
                None => return Ok(None),
            },
            KeySource::Found(name, find) => match field(cx, name).await? {
                Some(text) => find(Arc::clone(&self.counts), cx.store_unchecked().clone(), text).await?,
                None => return Ok(None),
            },
            KeySource::Own(key) => key(&self.counts, cx),
        }))
    }

    /// Appends the headers, because several limits may apply to one request.
    fn write_headers(&self, status: RateStatus, headers: &mut HeaderMap) {
        let (name, Rate { max, window }) = (self.name, self.rate);
        let policy = format!("\"{name}\";q={max};w={}", window.as_secs());
        let limit = format!("\"{name}\";r={};t={}", status.left, status.seconds);
        for (header, text) in [(RATE_LIMIT_POLICY, policy), (RATE_LIMIT, limit)] {
            headers.append(
                header,
                HeaderValue::try_from(text).expect("`named` refuses a name that no header can have"),
            );
        }
    }
}

/// Current moment by a clock.
fn moment(clock: &Clock) -> Instant {
    let manual = clock.manual();
    manual.map_or_else(Instant::now, |clock| Instant::from_std(clock.instant()))
}

impl Decorator for Throttle {
    fn call(&self, cx: Context, next: Next) -> BoxFuture<'static, Result<Reply>> {
        Box::pin(self.clone().run(cx, next))
    }

    fn limits_rate(&self) -> bool {
        true
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "throttle"
    }
}

/// Text member of the body. The body stays readable.
async fn field(cx: &mut Context, name: &str) -> Result<Option<String>> {
    let body = json_text(cx).await?;
    let text = member(&body, name);
    cx.put_body_text(body);
    Ok(text)
}

/// Folds case and trims whitespace. Per character, because lower-casing a whole word writes a final sigma differently,
/// and one name would be counted as two.
fn folded(name: &str) -> String {
    name.trim().chars().flat_map(char::to_lowercase).collect()
}

/// Text member of a JSON object, also in an envelope.
fn member(body: &str, name: &str) -> Option<String> {
    let value = find_member(body, name)?;
    serde_json::from_str(value.get()).ok()
}

/// Whether a text is a JSON object with this member, also in an envelope.
fn has_member(body: &str, name: &str) -> bool {
    find_member(body, name).is_some()
}

/// Member of a JSON object, or of the object that is its only member. The values are not parsed, so that a value no type
/// can hold does not prevent counting.
fn find_member<'a>(body: &'a str, name: &str) -> Option<&'a RawValue> {
    let members: HashMap<String, &RawValue> = serde_json::from_str(body).ok()?;
    if let Some(value) = members.get(name) {
        return Some(value);
    }
    let enveloped = members.values().next().filter(|_| members.len() == 1)?;
    let members: HashMap<String, &RawValue> = serde_json::from_str(enveloped.get()).ok()?;
    members.get(name).copied()
}

/// Whether a JSON Patch may set a member: it can be in a path, or in the value of a larger one.
fn mentions(patch: &str, name: &str) -> bool {
    // Parsed, because characters can be escaped. What cannot be parsed is counted.
    let patch: Option<Value> = serde_json::from_str(patch).ok();
    patch.is_none_or(|patch| patch.to_string().contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_any_case() {
        assert_eq!(folded(" Ann@Example.com "), "ann@example.com");
        assert_eq!(folded("ΝΙΚΟΣ"), folded("νικοσ"));
    }

    #[test]
    fn a_json_patch_that_may_set_the_member_is_counted() {
        for (body, counts) in [
            (r#"[{"op": "add", "path": "/oldPassword", "value": "x"}]"#, true),
            (
                r#"[{"op": "add", "path": "/old\u0050assword", "value": "x"}]"#,
                true,
            ),
            (
                r#"[{"op": "add", "path": "", "value": {"oldPassword": "x"}}]"#,
                true,
            ),
            (
                r#"[{"op": "copy", "path": "/oldPassword", "from": "/name"}]"#,
                true,
            ),
            (r#"[{"op": "add", "path": "/oldPassword", "value": 1e999}]"#, true),
            (r#"[{"op": "replace", "path": "/name", "value": "x"}]"#, false),
            ("[]", false),
        ] {
            assert_eq!(mentions(body, "oldPassword"), counts, "{body}");
        }
    }

    #[test]
    fn an_object_with_the_member_is_counted_whatever_else_it_has() {
        for (body, counts) in [
            (r#"{"oldPassword": "x"}"#, true),
            (r#"{"old\u0050assword": "x"}"#, true),
            (r#"{"age": 1e999, "oldPassword": "x", "deep": [[[[1]]]]}"#, true),
            (r#"{"oldPassword": 1}"#, true),
            (r#"{"user": {"oldPassword": "x"}}"#, true),
            (r#"{"user": {"oldPassword": "x"}, "other": 1}"#, false),
            (r#"{"user": {"user": {"oldPassword": "x"}}}"#, false),
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
