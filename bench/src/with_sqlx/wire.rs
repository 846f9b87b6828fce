//! JSON formats: timestamps with six fractional digits or none, and prices always with two.

use chrono::{DateTime, SecondsFormat, Utc};
use rust_decimal::Decimal;
use serde::{Serialize, Serializer};

pub(super) fn moment<S: Serializer>(moment: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    let digits = match moment.timestamp_subsec_micros() {
        0 => SecondsFormat::Secs,
        _ => SecondsFormat::Micros,
    };
    serializer.serialize_str(&moment.to_rfc3339_opts(digits, true))
}

/// Restores the scale, since sqlx reads a zero without its fractional digits.
pub(super) fn price<S: Serializer>(price: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error> {
    let price = price.map(|mut price| {
        price.rescale(2);
        price
    });
    Serialize::serialize(&price, serializer)
}
