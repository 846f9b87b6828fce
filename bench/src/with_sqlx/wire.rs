//! How moments are written: with six digits of a second, or none.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

pub(super) fn moment<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    let digits = match moment.timestamp_subsec_micros() {
        0 => SecondsFormat::Secs,
        _ => SecondsFormat::Micros,
    };
    serializer.serialize_str(&moment.to_rfc3339_opts(digits, true))
}
