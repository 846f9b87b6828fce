//! Dates and times of the crates `chrono` and `time` as column types, each behind the feature of its name.
//!
//! They are converted to the types that columns hold and back. A value that no column holds, such as a year of five
//! digits or a leap second, becomes one that the store rejects.

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use crate::calendar::{
    date_from_days, days_from_date, micros_from_time, time_from_micros, timestamp_from_micros,
};
use crate::column_type::{ColumnType, TypeCheck, TypeMismatch};
use crate::data_type::DataType;
use crate::value::ValueRef;

/// Microseconds of a second.
const MICROS: i64 = 1_000_000;

/// Implements `ColumnType` by two conversions, to the type of the column and from it.
macro_rules! calendar_type {
    ($type:ty: $kind:ident, $invalid:expr, $to:expr, $from:expr) => {
        impl ColumnType for $type {
            const DATA_TYPE: DataType = DataType::$kind;
            const CHECK: Option<TypeCheck> = None;

            fn to_value(&self) -> ValueRef<'_> {
                let to: fn($type) -> Option<$kind> = $to;
                to(*self).map_or($invalid, ValueRef::$kind)
            }

            fn from_value(value: ValueRef<'_>) -> Result<Self, TypeMismatch> {
                let from: fn($kind) -> Option<$type> = $from;
                let converted = match value {
                    ValueRef::$kind(found) => from(found),
                    _ => None,
                };
                converted.ok_or_else(|| TypeMismatch::new(Self::DATA_TYPE, value))
            }
        }
    };
}

/// Value that no column of timestamps accepts, since its year is before 1, and no column of times.
const NO_TIME: ValueRef<'static> = ValueRef::Timestamp(Timestamp::MIN);

/// Value that no column of dates accepts.
const NO_DATE: ValueRef<'static> = ValueRef::Date(Date::MIN);

#[cfg(feature = "chrono")]
mod of_chrono {
    use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, Timelike as _, Utc};

    use super::*;

    /// Days from the first one of chrono to 1970-01-01.
    const EPOCH: i64 = 719_163;

    /// A leap second has more nanoseconds than a second.
    const NANOSECONDS: u32 = 1_000_000_000;

    calendar_type!(
        DateTime<Utc>: Timestamp,
        NO_TIME,
        |own| {
            let is_leap_second = own.timestamp_subsec_nanos() >= NANOSECONDS;
            timestamp_from_micros(own.timestamp_micros()).filter(|_| !is_leap_second)
        },
        |found| DateTime::from_timestamp_micros(found.as_microsecond())
    );

    calendar_type!(
        NaiveDate: Date,
        NO_DATE,
        |own| date_from_days(i64::from(own.num_days_from_ce()) - EPOCH),
        |found| NaiveDate::from_num_days_from_ce_opt((days_from_date(found) + EPOCH).try_into().ok()?)
    );

    calendar_type!(
        NaiveTime: Time,
        NO_TIME,
        |own| {
            let (seconds, nanoseconds) = (own.num_seconds_from_midnight(), own.nanosecond());
            let micros = i64::from(seconds) * MICROS + i64::from(nanoseconds / 1000);
            time_from_micros(micros).filter(|_| nanoseconds < NANOSECONDS)
        },
        |found| {
            let micros = micros_from_time(found);
            let (seconds, rest) = ((micros / MICROS).try_into().ok()?, (micros % MICROS).try_into().ok()?);
            NaiveTime::from_num_seconds_from_midnight_opt(seconds, u32::checked_mul(rest, 1000)?)
        }
    );
}

#[cfg(feature = "time")]
mod of_time {
    use time::{Date as OtherDate, OffsetDateTime, Time as OtherTime};

    use super::*;

    /// Julian day of 1970-01-01.
    const EPOCH: i64 = 2_440_588;

    // A timestamp is the same in every offset. It is read in UTC.
    calendar_type!(
        OffsetDateTime: Timestamp,
        NO_TIME,
        |own| timestamp_from_micros(own.unix_timestamp_nanos().div_euclid(1000).try_into().ok()?),
        |found| OffsetDateTime::from_unix_timestamp_nanos(i128::from(found.as_microsecond()) * 1000).ok()
    );

    calendar_type!(
        OtherDate: Date,
        NO_DATE,
        |own| date_from_days(i64::from(own.to_julian_day()) - EPOCH),
        |found| OtherDate::from_julian_day((days_from_date(found) + EPOCH).try_into().ok()?).ok()
    );

    calendar_type!(
        OtherTime: Time,
        NO_TIME,
        |own| {
            let (hour, minute, second, micros) = own.as_hms_micro();
            let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
            time_from_micros(seconds * MICROS + i64::from(micros))
        },
        |found| {
            let since_midnight = time::Duration::microseconds(micros_from_time(found));
            Some(OtherTime::MIDNIGHT + since_midnight)
        }
    );
}
