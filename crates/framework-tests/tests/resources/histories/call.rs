//! Requests of a history, and what they show of their row.

use std::time::Instant;

use model_resource::Timestamp;
use serde_json::{Value, json};

/// Values of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Values {
    /// Each write of a value sends another one.
    pub(super) value: i64,
    pub(super) total: i64,
}

/// Version of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Version {
    pub(super) values: Values,
    pub(super) revision: Revision,
}

/// Number or time of a version, if the row has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Revision {
    Number(i64),
    Changed(Timestamp),
    Untold,
}

impl Version {
    pub(super) fn of(object: &Value) -> Self {
        let number = |name: &str| object[name].as_i64().unwrap();
        Self {
            values: Values {
                value: number("value"),
                total: number("total"),
            },
            revision: match (object["version"].as_i64(), object["updatedAt"].as_str()) {
                (Some(number), _) => Revision::Number(number),
                (None, Some(time)) => Revision::Changed(time.parse().unwrap()),
                (None, None) => Revision::Untold,
            },
        }
    }
}

impl Revision {
    /// Whether this is the one of the next version.
    fn follows(self, before: Self) -> bool {
        match (before, self) {
            (Self::Number(before), Self::Number(number)) => number == before + 1,
            (Self::Changed(before), Self::Changed(time)) => time > before,
            (Self::Untold, Self::Untold) => true,
            _ => false,
        }
    }
}

/// Change that a request asks for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// Patch of the value alone.
    Value(i64),
    /// Increment of the total.
    Increment(i64),
    /// Put of both.
    Whole(Values),
}

impl Change {
    pub(super) fn body(self) -> Value {
        match self {
            Self::Value(value) => json!({ "value": value }),
            Self::Increment(by) => json!({"total": {"$increment": by}}),
            Self::Whole(Values { value, total }) => json!({"value": value, "total": total}),
        }
    }

    fn applied(self, values: Values) -> Values {
        match self {
            Self::Value(value) => Values { value, ..values },
            Self::Increment(by) => Values {
                total: values.total + by,
                ..values
            },
            Self::Whole(whole) => whole,
        }
    }
}

/// Request with its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) begin: Instant,
    pub(super) end: Instant,
    /// `None` for a read.
    pub(super) sent: Option<Change>,
    /// Version in `If-Match`.
    pub(super) base: Option<Version>,
    pub(super) answer: Answer,
}

/// Answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Status 200 with the row.
    Shown(Version),
    /// Status 412 with the tag of this version.
    Refused(Version),
}

impl Call {
    /// Version of a row after this call, if the row had a version with which the call has this answer.
    pub(super) fn after(&self, version: Version) -> Option<Version> {
        match (self.answer, self.sent) {
            (Answer::Refused(current), _) => {
                (version == current && self.base != Some(version)).then_some(version)
            }
            (Answer::Shown(_), _) if self.base.is_some_and(|base| base != version) => None,
            (Answer::Shown(shown), None) => (shown == version).then_some(version),
            (Answer::Shown(shown), Some(change)) => {
                let is_next = shown.revision.follows(version.revision);
                (is_next && shown.values == change.applied(version.values)).then_some(shown)
            }
        }
    }
}
