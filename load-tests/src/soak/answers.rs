//! Responses to the load, and the faults that excuse some of them.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::failure::Failure;

/// Time from the beginning of a fault until the service works again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FaultWindow {
    pub(crate) fault: &'static str,
    pub(crate) begin: Instant,
    /// End of the fault itself.
    pub(crate) end: Instant,
    /// Time at which requests of all kinds succeed again; none if that took too long.
    pub(crate) recovered: Option<Instant>,
}

impl FaultWindow {
    /// Time from the end of the fault until requests succeed.
    pub(crate) fn recovery(&self) -> Option<Duration> {
        self.recovered.map(|recovered| recovered - self.end)
    }

    /// Whether a request between these times may fail.
    fn excuses(&self, request: &FailedRequest) -> bool {
        let end = self.recovered.unwrap_or(self.end);
        request.sent <= end && request.ended >= self.begin
    }
}

/// A request with a status of 500 or above, or without a response.
#[derive(Debug, Clone)]
pub(crate) struct FailedRequest {
    pub(crate) sent: Instant,
    pub(crate) ended: Instant,
    pub(crate) description: String,
}

/// Numbers of responses of one kind of work.
#[derive(Debug, Default, Clone)]
pub(crate) struct WorkCounts {
    pub(crate) statuses: BTreeMap<u16, u64>,
}

/// Responses of all clients.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) works: BTreeMap<&'static str, WorkCounts>,
    pub(crate) failed: Vec<FailedRequest>,
}

impl Answers {
    /// Number of requests with a status in a range; 0 is the status of requests without a response.
    pub(crate) fn count(&self, statuses: std::ops::Range<u16>) -> u64 {
        let all = self.works.values().flat_map(|work| &work.statuses);
        all.filter(|(status, _)| statuses.contains(*status))
            .map(|(_, count)| count)
            .sum()
    }

    /// Failed requests that no fault excuses.
    pub(crate) fn unexcused(&self, windows: &[FaultWindow]) -> Vec<&FailedRequest> {
        let is_excused = |request: &&FailedRequest| windows.iter().any(|window| window.excuses(request));
        self.failed
            .iter()
            .filter(|request| !is_excused(request))
            .collect()
    }
}

/// Answers that several clients add to.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Answers>);

impl Recorder {
    /// Adds the response to a request.
    pub(crate) fn add(&self, work: &'static str, sent: Instant, response: &Result<(u16, Bytes), Failure>) {
        let (status, text) = match response {
            Ok((status, body)) => (*status, String::from_utf8_lossy(body).into_owned()),
            Err(failure) => (0, format!("{failure:?}")),
        };
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *answers
            .works
            .entry(work)
            .or_default()
            .statuses
            .entry(status)
            .or_default() += 1;
        if status == 0 || status >= 500 {
            answers.failed.push(FailedRequest {
                sent,
                ended: Instant::now(),
                description: format!("{status} to {work}: {text}"),
            });
        }
    }

    pub(crate) fn take(&self) -> Answers {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_request_is_excused_only_if_it_overlaps_a_fault_or_its_repair() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let window = FaultWindow {
            fault: "a fault",
            begin: at(10),
            end: at(12),
            recovered: Some(at(14)),
        };
        for (sent, ended, is_excused) in [
            (8, 9, false),
            (8, 11, true),
            (11, 12, true),
            (13, 20, true),
            (15, 16, false),
        ] {
            let answers = Answers {
                failed: vec![FailedRequest {
                    sent: at(sent),
                    ended: at(ended),
                    description: String::new(),
                }],
                ..Answers::default()
            };
            assert_eq!(
                answers.unexcused(&[window]).is_empty(),
                is_excused,
                "{sent} to {ended}"
            );
        }
        assert_eq!(window.recovery(), Some(Duration::from_secs(2)));
    }

    #[tokio::test]
    async fn a_server_error_and_a_missing_response_are_failures_and_a_refusal_is_not() {
        let recorder = Recorder::default();
        for response in [
            Ok((200, Bytes::new())),
            Ok((401, Bytes::new())),
            Ok((503, Bytes::new())),
            Err("reset".into()),
        ] {
            recorder.add("get", Instant::now(), &response);
        }
        let answers = recorder.take();
        assert_eq!(answers.unexcused(&[]).len(), 2);
        assert_eq!((answers.count(0..600), answers.count(400..500)), (4, 1));
    }
}
