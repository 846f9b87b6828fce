//! Keys and aggregates of each type of column.

use jiff::Timestamp;
use jiff::civil::{Date, Time, date};
use model_resource_schema::column::Table;
use model_resource_schema::column_type::TypeMismatch;
use model_resource_schema::draft::Draft;
use model_resource_schema::model::{Field, Model, Row};
use model_resource_schema::query::{AnyAggregate, AnyGroupValue, CalendarUnit};
use model_resource_schema::value::{Value, ValueRef};
use model_resource_store::{AnyQuery, Query, Store, StoreError};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::database::{ask, failure, on, postgres};
use crate::models::SAMPLES;

/// The table of all data types.
struct Sample;

impl Sample {
    const BIG: Field<Self, Option<i64>> = Field::at(4);
    const SINGLE: Field<Self, Option<f32>> = Field::at(5);
    const RATIO: Field<Self, Option<f64>> = Field::at(6);
    const TEXT: Field<Self, Option<String>> = Field::at(7);
    const AMOUNT: Field<Self, Option<Decimal>> = Field::at(9);
    const DAY: Field<Self, Option<Date>> = Field::at(10);
    const CLOCK: Field<Self, Option<Time>> = Field::at(11);
    const MOMENT: Field<Self, Option<Timestamp>> = Field::at(12);
    const TOKEN: Field<Self, Option<Uuid>> = Field::at(13);

    fn query() -> Query<Self> {
        Query::new()
    }
}

impl Row for Sample {
    fn value(&self, _: usize) -> ValueRef<'_> {
        ValueRef::Null
    }
}

impl Model for Sample {
    fn table() -> &'static Table {
        &SAMPLES
    }

    fn from_row(_: &dyn Row) -> Result<Self, TypeMismatch> {
        Ok(Self)
    }
}

async fn add(store: &Store, draft: Draft<Sample>) {
    store.create(draft).await.unwrap();
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

on!(days_months_and_years_are_those_of_utc: in_file, postgres);
/// AGG-1: days, months and years are those of UTC, also before 1970, on both databases.
async fn days_months_and_years_are_those_of_utc(store: Store) {
    for text in [
        "0001-01-01T00:00:00Z",
        "1969-12-31T23:59:59.999999Z",
        "1970-01-01T00:00:00Z",
        "2026-01-31T23:59:59.999999Z",
        "2026-02-01T00:00:00Z",
        "9999-12-30T21:59:59.999999Z",
    ] {
        let moment: Timestamp = text.parse().unwrap();
        let day = date(2024, 2, 29);
        add(
            &store,
            Draft::new().with(Sample::MOMENT, moment).with(Sample::DAY, day),
        )
        .await;
    }
    add(&store, Draft::new()).await;
    let dates = Sample::query()
        .group_by(Sample::MOMENT.day())
        .group_by(Sample::MOMENT.month())
        .group_by(Sample::MOMENT.year());
    let groups = store.aggregate(&dates).await.unwrap();
    let read: Vec<_> = groups
        .iter()
        .map(|group| {
            let (month, year) = (Sample::MOMENT.month(), Sample::MOMENT.year());
            let day = group.get(Sample::MOMENT.day()).unwrap();
            (day, group.get(month).unwrap(), group.get(year).unwrap())
        })
        .collect();
    let known = |year: i16, month, day, text: &str| {
        (
            Some(date(year, month, day)),
            Some(text.to_owned()),
            Some(year.into()),
        )
    };
    let expected = [
        known(1, 1, 1, "0001-01"),
        known(1969, 12, 31, "1969-12"),
        known(1970, 1, 1, "1970-01"),
        known(2026, 1, 31, "2026-01"),
        known(2026, 2, 1, "2026-02"),
        known(9999, 12, 30, "9999-12"),
        (None, None, None),
    ];
    assert_eq!(read, expected);

    let days = Sample::query()
        .group_by(Sample::DAY.month())
        .group_by(Sample::DAY.day())
        .group_by(Sample::DAY.year())
        .count();
    let group = store.aggregate(&days).await.unwrap().remove(0);
    assert_eq!(group.get(Sample::DAY.month()), Ok(Some("2024-02".to_owned())));
    assert_eq!(group.get(Sample::DAY.day()), Ok(Some(date(2024, 2, 29))));
    assert_eq!(
        (group.get(Sample::DAY.year()), group.count()),
        (Ok(Some(2024)), Ok(6))
    );
}

on!(sums_of_integers_and_decimals_are_exact_beyond_64_bits: in_file, postgres);
/// AGG-2: sums of integers and decimals are exact, and can be compared and ordered beyond 64 bits.
async fn sums_of_integers_and_decimals_are_exact_beyond_64_bits(store: Store) {
    for (text, big, amount) in [
        ("high", i64::MAX, "99999999.9999"),
        ("high", i64::MAX, "0.0001"),
        ("low", i64::MIN, "-99999999.9999"),
        ("low", -1, "-0.0001"),
        ("mid", -3, "0.1"),
        ("mid", 5, "0.2"),
    ] {
        let draft = Draft::new()
            .with(Sample::TEXT, text.to_owned())
            .with(Sample::BIG, big)
            .with(Sample::AMOUNT, decimal(amount));
        add(&store, draft).await;
    }
    let (big, amount) = (Sample::BIG.sum(), Sample::AMOUNT.sum());
    let sums = Sample::query()
        .group_by(Sample::TEXT)
        .sum(Sample::BIG)
        .sum(Sample::AMOUNT)
        .avg(Sample::AMOUNT)
        .order_by(big.asc());
    let groups = store.aggregate(&sums).await.unwrap();
    let texts: Vec<_> = groups
        .iter()
        .map(|group| group.get(Sample::TEXT).unwrap().unwrap())
        .collect();
    assert_eq!(texts, ["low", "mid", "high"]);
    let amounts: Vec<_> = groups
        .iter()
        .map(|group| group.get(amount).unwrap().unwrap().to_string())
        .collect();
    assert_eq!(amounts, ["-100000000.0000", "0.3000", "100000000.0000"]);
    assert_eq!(groups[1].get(big), Ok(Some(2)));
    assert_eq!(groups[1].get(Sample::AMOUNT.avg()), Ok(Some(0.15)));
    // More than an i64 holds.
    assert_eq!(groups[0].get(big), Err(StoreError::OutOfRange));
    let erased = store.aggregate_any(sums.as_any()).await.unwrap();
    assert_eq!(
        erased[0].values()[1],
        Value::Decimal(decimal("-9223372036854775809"))
    );
    assert_eq!(
        erased[2].values()[1],
        Value::Decimal(decimal("18446744073709551614"))
    );

    for (condition, expected) in [
        (big.gt(i64::MAX), vec!["high"]),
        (big.lt(i64::MIN), vec!["low"]),
        (big.eq(2), vec!["mid"]),
        (amount.gte(decimal("0.3")), vec!["mid", "high"]),
        (amount.lt(decimal("0.3000")), vec!["low"]),
        (Sample::AMOUNT.avg().lt(0.1), vec!["low"]),
    ] {
        let groups = store.aggregate(&sums.clone().having(condition)).await.unwrap();
        let texts = groups
            .iter()
            .map(|group| group.get(Sample::TEXT).unwrap().unwrap());
        assert_eq!(texts.collect::<Vec<_>>(), expected);
    }
    let finer = sums.having(amount.gt(decimal("0.00001")));
    assert!(failure(store.aggregate(&finer).await).contains("decimal places"));
}

on!(a_sum_beyond_the_range_of_doubles_is_an_error: in_file, postgres);
/// AGG-2: a sum of floating-point numbers beyond their range is an error that says so.
async fn a_sum_beyond_the_range_of_doubles_is_an_error(store: Store) {
    for ratio in [1.5e308, 1.5e308] {
        add(
            &store,
            Draft::new()
                .with(Sample::RATIO, ratio)
                .with(Sample::SINGLE, 3e38_f32),
        )
        .await;
    }
    let sum = Sample::query().aggregate().sum(Sample::RATIO);
    assert!(matches!(store.aggregate(&sum).await, Err(StoreError::OutOfRange)));
    let having = Sample::query()
        .group_by(Sample::TEXT)
        .having(Sample::RATIO.sum().gt(1.0));
    let found = store.aggregate(&having).await;
    assert!(matches!(found, Ok(_) | Err(StoreError::OutOfRange)), "{found:?}");
    // Single precision is added in double precision.
    let single = Sample::query()
        .aggregate()
        .sum(Sample::SINGLE)
        .max(Sample::SINGLE);
    let group = store.aggregate(&single).await.unwrap().remove(0);
    assert_eq!(
        group.get(Sample::SINGLE.sum()),
        Ok(Some(2.0 * f64::from(3e38_f32)))
    );
    assert_eq!(group.get(Sample::SINGLE.max()), Ok(Some(3e38_f32)));
}

on!(every_type_is_grouped_and_aggregated_where_that_means_something: in_file, postgres);
/// AGG-1: each type of column has the keys and aggregates that it is said to have, and others are an error.
async fn every_type_is_grouped_and_aggregated_where_that_means_something(store: Store) {
    let (clock, token) = (Time::constant(7, 8, 9, 0), Uuid::from_u128(7));
    for text in ["B", "a", "B"] {
        let mut draft = Draft::new().with(Sample::TEXT, text.to_owned());
        draft.set(Sample::CLOCK, Some(clock));
        draft.set(Sample::TOKEN, Some(token));
        let mut draft = draft.into_any();
        draft.set(1, Value::Bool(true));
        draft.set(15, Value::Text("green".to_owned()));
        draft.set(16, Value::Text("x".to_owned()));
        store.insert_any(draft).await.unwrap();
    }
    for position in 0..SAMPLES.columns.len() {
        let kind = SAMPLES.columns[position].data_type;
        for value in [
            AnyGroupValue::Column(position),
            AnyGroupValue::Calendar(CalendarUnit::Day, position),
            AnyGroupValue::Calendar(CalendarUnit::Month, position),
            AnyGroupValue::Calendar(CalendarUnit::Year, position),
            AnyGroupValue::CountDistinct(position),
            AnyGroupValue::Sum(position),
            AnyGroupValue::Average(position),
            AnyGroupValue::Min(position),
            AnyGroupValue::Max(position),
        ] {
            let query = AnyAggregate::of(AnyQuery::from(&SAMPLES)).value(value);
            let found = store.aggregate_any(&query).await;
            assert_eq!(
                found.is_ok(),
                value.applies_to(kind),
                "{kind:?} {value:?}: {found:?}"
            );
        }
    }
    let values = |value| {
        let (store, query) = (
            store.clone(),
            AnyAggregate::of(AnyQuery::from(&SAMPLES)).value(value),
        );
        async move { store.aggregate_any(&query).await.unwrap()[0].values()[0].clone() }
    };
    // By code points, not by a language.
    assert_eq!(values(AnyGroupValue::Min(7)).await, Value::Text("B".to_owned()));
    assert_eq!(values(AnyGroupValue::Max(7)).await, Value::Text("a".to_owned()));
    assert_eq!(values(AnyGroupValue::CountDistinct(7)).await, Value::Int(2));
    assert_eq!(
        values(AnyGroupValue::Column(7)).await,
        Value::Text("B".to_owned())
    );
    assert_eq!(values(AnyGroupValue::Column(13)).await, Value::Uuid(token));
    assert_eq!(values(AnyGroupValue::Column(1)).await, Value::Bool(true));
    assert_eq!(
        values(AnyGroupValue::Max(15)).await,
        Value::Text("green".to_owned())
    );
    assert_eq!(values(AnyGroupValue::Min(11)).await, Value::Time(clock));
    assert_eq!(values(AnyGroupValue::Sum(4)).await, Value::Null);
}

/// AGG-1: the time zone of the server changes nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_time_zone_of_the_server_changes_no_day() {
    let Some(database) = postgres().await else { return };
    let name = database
        .url
        .rsplit('/')
        .next()
        .unwrap()
        .split('?')
        .next()
        .unwrap();
    let zone = format!("ALTER DATABASE {name} SET timezone TO 'Pacific/Auckland'");
    ask(&database.url, &zone).await;
    let store = Store::open(&database.url).await.unwrap();
    for text in ["2026-01-31T12:00:00Z", "2026-01-31T00:00:00Z"] {
        let moment: Timestamp = text.parse().unwrap();
        let draft = Draft::new().with(Sample::MOMENT, moment);
        add(&store, draft.with(Sample::DAY, date(2026, 1, 31))).await;
    }
    let days = Sample::query()
        .group_by(Sample::MOMENT.day())
        .group_by(Sample::MOMENT.month())
        .group_by(Sample::DAY.month());
    let groups = store.aggregate(&days).await.unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0].get(Sample::MOMENT.day()), Ok(Some(date(2026, 1, 31))));
    for month in [Sample::MOMENT.month(), Sample::DAY.month()] {
        assert_eq!(groups[0].get(month), Ok(Some("2026-01".to_owned())));
    }
}
