//! Trace context of a request (W3C Trace Context, `traceparent`).

use std::fmt;

use http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Length of a header of version `00`.
const LENGTH: usize = 55;

/// Trace context of a request: the trace of the client, and the span of this request in it.
///
/// A request with the header `traceparent` has one as an extension, for calls of other services:
///
/// ```
/// use model_resource::{Context, Result, TraceContext};
///
/// async fn view(cx: Context) -> Result<String> {
///     let trace = cx.extension::<TraceContext>();
///     Ok(trace.map(|trace| trace.to_string()).unwrap_or_default())
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace: u128,
    span: u64,
    flags: u8,
}

impl TraceContext {
    /// Continues the trace of a client, with a new span; starts a new trace if the header is malformed. `None` without
    /// the header.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut sent = headers.get_all(TRACEPARENT).iter();
        let (first, second) = (sent.next()?, sent.next());
        let parsed = second.map_or_else(|| parse(first.as_bytes()), |_| None);
        let (trace, flags) = parsed.unwrap_or_else(|| (Uuid::new_v4().as_u128(), 0));
        Some(Self {
            trace,
            span: Uuid::new_v4().as_u64_pair().1,
            flags,
        })
    }

    /// Id of the trace, 32 hexadecimal digits.
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// Id of the span of this request, 16 hexadecimal digits.
    pub fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// Header of the response, and of requests to other services.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::try_from(self.to_string()).ok()
    }
}

impl fmt::Display for TraceContext {
    /// Writes the value of the header `traceparent`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace, self.span, self.flags)
    }
}

/// Parses the trace and the flags of a header.
fn parse(header: &[u8]) -> Option<(u128, u8)> {
    let text = std::str::from_utf8(header).ok()?;
    // Later versions may add members, after another hyphen.
    let is_long = text.len() > LENGTH && text.as_bytes()[LENGTH] == b'-' && !text.starts_with("00-");
    if text.len() != LENGTH && !is_long {
        return None;
    }
    let mut members = text.get(..LENGTH)?.split('-');
    let version = hexadecimal(members.next()?, 2)?;
    let trace = hexadecimal(members.next()?, 32)?;
    let parent = hexadecimal(members.next()?, 16)?;
    let flags = hexadecimal(members.next()?, 2)?;
    let is_valid = version != 0xff && trace != 0 && parent != 0 && members.next().is_none();
    // Only the flag `sampled` is defined.
    is_valid.then_some((trace, u8::try_from(flags & 1).unwrap_or_default()))
}

/// Parses lower-case hexadecimal digits of this number.
fn hexadecimal(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let is_valid = text.len() == digits && text.bytes().all(is_digit);
    is_valid.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

    fn context(lines: &[&str]) -> Option<TraceContext> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(TRACEPARENT, HeaderValue::from_str(line).expect("a header"));
        }
        TraceContext::of(&headers)
    }

    #[test]
    fn a_valid_header_is_continued_with_a_new_span() {
        let sent = format!("00-{TRACE}-b7ad6b7169203331-01");
        let context = context(&[&sent]).expect("a context");
        assert_eq!(context.trace_id(), TRACE);
        assert_ne!(context.span_id(), "b7ad6b7169203331");
        assert_eq!(
            context.to_string(),
            format!("00-{TRACE}-{}-01", context.span_id())
        );
    }

    #[test]
    fn a_later_version_may_have_more_members() {
        let longer = format!("01-{TRACE}-b7ad6b7169203331-01-more");
        assert_eq!(context(&[&longer]).expect("a context").trace_id(), TRACE);
    }

    #[test]
    fn a_malformed_header_starts_a_new_trace() {
        let valid = format!("00-{TRACE}-b7ad6b7169203331-01");
        for malformed in [
            "",
            "00",
            &valid.to_uppercase(),
            &format!("{valid}-more"),
            &format!(" {valid}"),
            &format!("ff-{TRACE}-b7ad6b7169203331-01"),
            &format!("00-{TRACE}-0000000000000000-01"),
            &format!("00-{}-b7ad6b7169203331-01", "0".repeat(32)),
            &format!("00-{TRACE}-b7ad6b71692033310-1"),
            &format!("+0-{TRACE}-b7ad6b7169203331-01"),
        ] {
            let context = context(&[malformed]).expect("a context");
            assert_ne!(context.trace_id(), TRACE, "{malformed:?}");
        }
        assert_ne!(context(&[&valid, &valid]).expect("a context").trace_id(), TRACE);
        assert_eq!(context(&[]), None);
    }
}
