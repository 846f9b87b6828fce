//! Dates and times of the crates `chrono` and `time` as fields of models, beside those of jiff.

use std::fmt::Debug;

use model_resource::schema::column_type::ColumnType;
use model_resource::schema::value::ValueRef;
use model_resource::store::StoreError;
use model_resource::{
    Api, Columns, Date, Draft, Model, ModelResource, SqlDialect, Time, Timestamp, model_resource,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "visits")]
struct JiffVisit {
    id: i64,
    at: Timestamp,
    #[column(min = "2000-01-01")]
    day: Option<Date>,
    #[column(default = "07:30:00")]
    opens: Time,
    #[column(created)]
    created_at: Timestamp,
    #[column(updated)]
    updated_at: Timestamp,
    #[column(soft_delete)]
    deleted_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "chrono_visits")]
struct ChronoVisit {
    id: i64,
    at: chrono::DateTime<chrono::Utc>,
    #[column(min = "2000-01-01")]
    day: Option<chrono::NaiveDate>,
    #[column(default = "07:30:00")]
    opens: chrono::NaiveTime,
    #[column(created)]
    created_at: chrono::DateTime<chrono::Utc>,
    #[column(updated)]
    updated_at: chrono::DateTime<chrono::Utc>,
    #[column(soft_delete)]
    deleted_at: Option<chrono::DateTime<chrono::Utc>>,
}

#[derive(Debug, Clone, Model)]
#[model(table = "time_visits")]
struct TimeVisit {
    id: i64,
    at: time::OffsetDateTime,
    #[column(min = "2000-01-01")]
    day: Option<time::Date>,
    #[column(default = "07:30:00")]
    opens: time::Time,
    #[column(created)]
    created_at: time::OffsetDateTime,
    #[column(updated)]
    updated_at: time::OffsetDateTime,
    #[column(soft_delete)]
    deleted_at: Option<time::OffsetDateTime>,
}

struct JiffResource;

#[model_resource(JiffVisit, "/jiff", "/jiff/<int:id>")]
impl ModelResource for JiffResource {
    const AGGREGATE: Columns<JiffVisit> = Columns::of(JiffVisit::AT)
        .and(JiffVisit::DAY)
        .and(JiffVisit::OPENS);
}

struct ChronoResource;

#[model_resource(ChronoVisit, "/chrono", "/chrono/<int:id>")]
impl ModelResource for ChronoResource {
    const AGGREGATE: Columns<ChronoVisit> = Columns::of(ChronoVisit::AT)
        .and(ChronoVisit::DAY)
        .and(ChronoVisit::OPENS);
}

struct TimeResource;

#[model_resource(TimeVisit, "/time", "/time/<int:id>")]
impl ModelResource for TimeResource {
    const AGGREGATE: Columns<TimeVisit> = Columns::of(TimeVisit::AT)
        .and(TimeVisit::DAY)
        .and(TimeVisit::OPENS);
}

fn api() -> Api {
    Api::new("api")
        .model_resource::<JiffResource>()
        .model_resource::<ChronoResource>()
        .model_resource::<TimeResource>()
}

/// Response of a request to each of the resources: status and body without the times of the server.
async fn answers(app: &TestApp, path: &str, body: Option<&Value>) -> Vec<(u16, Value)> {
    let mut answers = Vec::new();
    for name in ["jiff", "chrono", "time"] {
        let response = match body {
            Some(body) => app.post(&format!("/{name}{path}"), body.clone()).await,
            None => app.get(&format!("/{name}{path}")).await,
        };
        let mut found = response.json();
        let objects = match &mut found {
            Value::Array(objects) => objects.iter_mut().collect(),
            object => vec![object],
        };
        for object in objects.into_iter().filter_map(Value::as_object_mut) {
            for name in ["createdAt", "updatedAt"] {
                if let Some(text) = object.remove(name) {
                    assert!(text.as_str().is_some_and(|text| text.ends_with('Z')), "{text}");
                }
            }
        }
        answers.push((response.status.as_u16(), found));
    }
    answers
}

/// MOD-33: requests with dates and times of either crate have the responses of those of jiff.
#[tokio::test]
async fn responses_do_not_depend_on_the_crate_of_dates() {
    let app = TestApp::with_api(api()).await;
    for (status, body) in [
        (
            201,
            json!({"at": "2024-05-06T07:08:09.123456Z", "day": "2024-02-29", "opens": "23:59:59.999999"}),
        ),
        (201, json!({"at": "0001-01-01T00:00:00Z", "day": null})),
        (
            201,
            json!({"at": "1969-12-31T23:59:59.999999+02:00", "opens": "08:15"}),
        ),
        (
            201,
            json!({"at": "9999-12-30T21:59:59.999999Z", "day": "9999-12-31", "opens": "00:00:00"}),
        ),
        (400, json!({"at": "2024-05-06T07:08:60Z"})),
        (
            400,
            json!({"at": "10000-05-06T07:08:09Z", "day": "1999-12-31", "opens": "24:00:00"}),
        ),
        (400, json!({"at": 5, "day": true, "opens": ""})),
        (400, json!({})),
    ] {
        let found = answers(&app, "", Some(&body)).await;
        assert_eq!(found[0].0, status, "{body}: {found:?}");
        assert_eq!(found[1], found[0], "chrono: {body}");
        assert_eq!(found[2], found[0], "time: {body}");
    }
    for query in [
        "",
        "/1",
        "?sort=-at",
        "?sort=day",
        "?at[lt]=1970-01-01T00:00:00Z",
        "?day=2024-02-29",
        "?day[isnull]=true",
        "?opens[gte]=08:00:00",
        "?group=year(at)&count&max(opens)",
        "?group=day(at)&min(day)",
    ] {
        let found = answers(&app, query, None).await;
        assert_eq!(found[0].0, 200, "{query}: {found:?}");
        assert_eq!(found[1], found[0], "chrono: {query}");
        assert_eq!(found[2], found[0], "time: {query}");
    }
    let list = app.get("/chrono?fields=at").await.expect(200).json();
    assert_eq!(list.as_array().unwrap().len(), 4);
    assert_eq!(list[0]["at"], "2024-05-06T07:08:09.123456Z");
}

/// MOD-33: tables, descriptions and deletions are those of the types of jiff.
#[tokio::test]
async fn tables_and_documents_do_not_depend_on_the_crate_of_dates() {
    for dialect in [SqlDialect::Sqlite, SqlDialect::Postgres] {
        let expected = dialect.create_table_sql(JiffVisit::table());
        for table in [ChronoVisit::table(), TimeVisit::table()] {
            let sql = dialect.create_table_sql(table);
            assert_eq!(sql.replace(table.name, "visits"), expected);
        }
    }
    let app = TestApp::with_api(api()).await;
    app.store.verify(&api().tables()).await.unwrap();
    let visit = json!({"at": "2024-05-06T07:08:09Z"});
    for name in ["chrono", "time"] {
        app.post(&format!("/{name}"), visit.clone()).await.expect(201);
        app.delete(&format!("/{name}/1")).await.expect(204);
        app.get(&format!("/{name}/1")).await.expect(404);
    }
    let deleted: Vec<ChronoVisit> = app.store.all(&ChronoVisit::query()).await.unwrap();
    assert!(deleted[0].deleted_at >= Some(deleted[0].created_at));
}

/// MOD-33: conditions and groups in Rust take the types of the field.
#[tokio::test]
async fn queries_take_the_types_of_the_field() {
    let app = TestApp::with_api(api()).await;
    let day = json!({"at": "2024-05-06T23:00:00-02:00", "day": "2024-05-06", "opens": "07:08:09.5"});
    app.post("/chrono", day.clone()).await.expect(201);
    app.post("/time", day).await.expect(201);

    let at: chrono::DateTime<chrono::Utc> = "2024-05-07T01:00:00Z".parse().unwrap();
    let query = ChronoVisit::query().filter(ChronoVisit::AT.eq(at).and(ChronoVisit::DAY.lt(at.date_naive())));
    let visit = app.store.first(&query).await.unwrap().unwrap();
    assert_eq!(
        visit.opens,
        chrono::NaiveTime::from_hms_milli_opt(7, 8, 9, 500).unwrap()
    );
    let years = ChronoVisit::query().group_by(ChronoVisit::AT.year()).count();
    assert_eq!(app.store.aggregate(&years).await.unwrap().len(), 1);

    let at = time::OffsetDateTime::from_unix_timestamp(1_715_043_600).unwrap();
    let offset = time::UtcOffset::from_hms(5, 30, 0).unwrap();
    let query = TimeVisit::query().filter(TimeVisit::AT.eq(at.to_offset(offset)));
    let visit = app.store.first(&query).await.unwrap().unwrap();
    assert_eq!(visit.at, at);
    assert_eq!(visit.day, Some(time::Date::from_ordinal_date(2024, 127).unwrap()));
    assert_eq!(visit.opens, time::Time::from_hms_milli(7, 8, 9, 500).unwrap());
}

/// MOD-33: a value that columns cannot hold is rejected and not stored as another one.
#[tokio::test]
async fn values_that_columns_cannot_hold_are_rejected() {
    let app = TestApp::with_api(api()).await;
    app.post("/chrono", json!({"at": "2024-05-06T07:08:09Z"}))
        .await
        .expect(201);
    let visit: ChronoVisit = app.store.get(1).await.unwrap().unwrap();
    let leap_second = chrono::NaiveTime::from_hms_milli_opt(23, 59, 59, 1_500).unwrap();
    let year = chrono::NaiveDate::from_ymd_opt(10_000, 1, 1).unwrap();
    for changed in [
        ChronoVisit {
            opens: leap_second,
            ..visit.clone()
        },
        ChronoVisit {
            day: Some(year),
            ..visit.clone()
        },
        ChronoVisit {
            at: year.and_time(visit.opens).and_utc(),
            ..visit.clone()
        },
        ChronoVisit {
            at: visit.at.date_naive().and_time(leap_second).and_utc(),
            ..visit.clone()
        },
    ] {
        let mut draft = Draft::of(&visit);
        draft.set(ChronoVisit::OPENS, changed.opens);
        draft.set(ChronoVisit::DAY, changed.day);
        draft.set(ChronoVisit::AT, changed.at);
        let saved = app.store.save(draft).await;
        assert!(matches!(saved, Err(StoreError::Invalid(_))), "{saved:?}");
    }
    let unchanged: ChronoVisit = app.store.get(1).await.unwrap().unwrap();
    assert_eq!(
        (unchanged.at, unchanged.day, unchanged.opens),
        (visit.at, visit.day, visit.opens)
    );
}

/// MOD-33: values of each type have the same value after the way through a column.
#[test]
fn values_survive_the_way_through_a_column() {
    #[track_caller]
    fn same<T: ColumnType + PartialEq + Debug>(value: T, expected: ValueRef<'_>) {
        assert_eq!(value.to_value(), expected);
        assert_eq!(T::from_value(expected).unwrap(), value);
        assert!(T::from_value(ValueRef::Int(1)).is_err());
    }
    for text in [
        "1969-12-31T23:59:59.999999Z",
        "2024-02-29T12:30:00.5Z",
        "0001-01-01T00:00:00Z",
    ] {
        let at: Timestamp = text.parse().unwrap();
        same(
            text.parse::<chrono::DateTime<chrono::Utc>>().unwrap(),
            ValueRef::Timestamp(at),
        );
        let nanoseconds = at.as_nanosecond();
        let other = time::OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).unwrap();
        same(other, ValueRef::Timestamp(at));
    }
    for (year, month, day) in [(1, 1, 1), (1970, 1, 1), (2024, 2, 29), (9999, 12, 31)] {
        let expected = ValueRef::Date(Date::new(year, month, day).unwrap());
        let (month, day) = (u8::try_from(month).unwrap(), u8::try_from(day).unwrap());
        same(
            chrono::NaiveDate::from_ymd_opt(year.into(), month.into(), day.into()).unwrap(),
            expected,
        );
        let month = time::Month::try_from(month).unwrap();
        same(
            time::Date::from_calendar_date(year.into(), month, day).unwrap(),
            expected,
        );
    }
    for (hour, minute, second, micros) in [(0, 0, 0, 0), (23, 59, 59, 999_999), (7, 8, 9, 1)] {
        let expected = ValueRef::Time(Time::new(hour, minute, second, micros * 1000).unwrap());
        let part = |number: i8| u8::try_from(number).unwrap();
        let (hour, minute, second) = (part(hour), part(minute), part(second));
        let micros = u32::try_from(micros).unwrap();
        let own = chrono::NaiveTime::from_hms_micro_opt(hour.into(), minute.into(), second.into(), micros);
        same(own.unwrap(), expected);
        same(
            time::Time::from_hms_micro(hour, minute, second, micros).unwrap(),
            expected,
        );
    }
}
