//! Results of the readiness checks.

use serde_json::{Map, Value, json};

/// Result of one check. The texts are for everybody; the causes are in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Ok,
    /// Not finished in time, but others may only keep it waiting.
    Busy,
    Failed(&'static str),
    /// Not run, because an earlier check failed.
    Skipped,
}

/// Results of all checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checks {
    pub(super) running: Check,
    pub(super) reads: Check,
    pub(super) writes: Check,
    pub(super) migrations: Check,
}

impl Checks {
    /// Results of a process without a database.
    pub(super) const PASSED: Self = Self {
        running: Check::Ok,
        reads: Check::Ok,
        writes: Check::Ok,
        migrations: Check::Ok,
    };

    /// Results of a process that is stopping.
    pub(super) const STOPPING: Self = Self {
        running: Check::Failed("the server is stopping"),
        reads: Check::Skipped,
        writes: Check::Skipped,
        migrations: Check::Skipped,
    };

    /// Results of a database that cannot be read.
    pub(super) const fn unread(cause: &'static str) -> Self {
        Self {
            running: Check::Ok,
            reads: Check::Failed(cause),
            writes: Check::Skipped,
            migrations: Check::Skipped,
        }
    }

    fn named(&self) -> [(&'static str, Check); 4] {
        [
            ("running", self.running),
            ("reads", self.reads),
            ("writes", self.writes),
            ("migrations", self.migrations),
        ]
    }

    pub(super) fn is_ready(&self) -> bool {
        let has_passed = |check| matches!(check, Check::Ok | Check::Busy);
        self.named().into_iter().all(|(_, check)| has_passed(check))
    }

    /// Failed checks, for the log.
    pub(super) fn failures(&self) -> String {
        let failures = self.named().into_iter().filter_map(|(name, check)| match check {
            Check::Failed(cause) => Some(format!("{name}: {cause}")),
            Check::Ok | Check::Busy | Check::Skipped => None,
        });
        failures.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn json(&self) -> Value {
        let texts = self.named().into_iter().map(|(name, check)| {
            let text = match check {
                Check::Ok => "ok",
                Check::Busy => "busy",
                Check::Failed(cause) => cause,
                Check::Skipped => "skipped",
            };
            (name.to_owned(), Value::from(text))
        });
        let status = if self.is_ready() { "ok" } else { "unavailable" };
        json!({ "status": status, "checks": texts.collect::<Map<_, _>>() })
    }
}
