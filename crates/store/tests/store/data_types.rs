use std::ops::ControlFlow;

use model_resource_schema::data_type::DataType;
use model_resource_schema::draft::AnyDraft;
use model_resource_schema::json::write_value;
use model_resource_schema::model::{Record, Row};
use model_resource_schema::relation::Related;
use model_resource_schema::value::Value;
use model_resource_store::{AnyQuery, ListQuery, RowSink, Store};
use serde_json::json;

use crate::database::{failure, field_errors, on};
use crate::models::SAMPLES;

fn position(column: &str) -> usize {
    SAMPLES.position(column).unwrap()
}

fn sample(values: &[(&str, Value)]) -> AnyDraft {
    let mut draft = AnyDraft::new(&SAMPLES);
    for (column, value) in values {
        draft.set(position(column), value.clone());
    }
    draft
}

/// Parses a sample from the wire forms of its values.
fn parsed(values: &[(&'static str, &str)]) -> AnyDraft {
    let kind = |column| SAMPLES.columns[position(column)].data_type;
    let values = values
        .iter()
        .map(|(column, text)| (*column, kind(column).parse(text).unwrap()));
    sample(&values.collect::<Vec<_>>())
}

async fn is_kept(store: &Store, draft: AnyDraft) -> Record {
    let saved = store.insert_any(draft.clone()).await.unwrap();
    for (column, value) in draft.insert_values(store.clock()).unwrap() {
        if column != 0 {
            assert_eq!(saved.values()[column], value, "{}", SAMPLES.columns[column].name);
        }
    }
    let key = saved.values()[0].clone();
    assert_eq!(
        store
            .find_any(&AnyQuery::from(&SAMPLES), key)
            .await
            .unwrap()
            .as_ref(),
        Some(&saved)
    );
    assert_eq!(written(store, &saved).await, written_by(&saved));
    saved
}

/// JSON of the row's columns, one per line, as the database's own row writes them.
async fn written(store: &Store, saved: &Record) -> String {
    let key = saved.values()[0].clone();
    let write = |row: &dyn Row| {
        let mut out = Vec::new();
        for column in 0..SAMPLES.columns.len() {
            row.write_value(column, &mut out);
            out.push(b'\n');
        }
        String::from_utf8(out).unwrap()
    };
    let query = AnyQuery::from(&SAMPLES);
    store.find_any_with(query, key, write).await.unwrap().unwrap()
}

/// JSON of the record's columns, as the values write themselves.
fn written_by(record: &Record) -> String {
    let mut out = Vec::new();
    for value in record.values() {
        write_value(&mut out, value.borrow());
        out.push(b'\n');
    }
    String::from_utf8(out).unwrap()
}

on!(every_data_type_round_trips: in_memory, in_file, postgres);
async fn every_data_type_round_trips(store: Store) {
    let full = parsed(&[
        ("flag", "true"),
        ("small", "-32768"),
        ("number", "2147483647"),
        ("big", "-9223372036854775808"),
        ("single", "0.1"),
        ("ratio", "0.1"),
        ("text", "O'Reilly \"äß\" 🦀"),
        ("blob", "AP8="),
        ("amount", "-12345678.9012"),
        ("day", "1969-12-31"),
        ("clock", "23:59:59.999999"),
        ("moment", "1905-05-06T07:08:09.123456Z"),
        ("token", "0191d5f0-c0de-7000-8000-00000000abcd"),
        ("extra", "{\"a_b\": [1, null]}"),
        ("color", "green"),
        ("order", "DROP TABLE samples"),
    ]);
    is_kept(&store, full).await;
    is_kept(&store, sample(&[])).await;
}

on!(the_extreme_values_of_each_data_type_round_trip: in_memory, postgres);
async fn the_extreme_values_of_each_data_type_round_trip(store: Store) {
    is_kept(
        &store,
        parsed(&[("moment", "0001-01-01T00:00:00Z"), ("day", "0001-01-01")]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[("moment", "9999-12-30T22:00:00.999999Z"), ("day", "9999-12-31")]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[("amount", "99999999.9999"), ("clock", "00:00:00")]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[
            ("text", ""),
            ("blob", ""),
            ("flag", "false"),
            ("big", "9223372036854775807"),
        ]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[("single", "3.4028235e38"), ("ratio", "1.7976931348623157e308")]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[("single", "-1e-45"), ("ratio", "5e-324"), ("amount", "0.0000")]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[
            ("small", "32767"),
            ("number", "-2147483648"),
            ("amount", "-0.0001"),
            ("day", "2000-01-01"),
            ("moment", "1999-12-31T23:59:59.999999Z"),
        ]),
    )
    .await;
    is_kept(
        &store,
        parsed(&[
            ("amount", "10000.0001"),
            ("day", "1999-12-31"),
            ("token", "00000000-0000-0000-0000-000000000000"),
            ("extra", "{ \"b\" : 1.10,\n\"a\":[] }"),
        ]),
    )
    .await;
}

on!(rows_are_found_by_a_value_of_any_data_type: in_memory, postgres);
async fn rows_are_found_by_a_value_of_any_data_type(store: Store) {
    let wire = [
        ("flag", "true"),
        ("single", "0.1"),
        ("blob", "AP8="),
        ("amount", "1.5"),
        ("day", "2024-05-06"),
        ("clock", "07:08:09"),
        ("moment", "2024-05-06T07:08:09Z"),
        ("token", "0191d5f0-c0de-7000-8000-00000000abcd"),
        ("extra", "[]"),
        ("color", "red"),
    ];
    let saved = store.insert_any(parsed(&wire)).await.unwrap();
    let other = store.insert_any(sample(&[])).await.unwrap();
    for (column, _) in wire {
        let position = position(column);
        let filled = AnyQuery::from(&SAMPLES).filter(position, saved.values()[position].clone());
        assert!(
            store
                .find_any(&filled, saved.values()[0].clone())
                .await
                .unwrap()
                .is_some(),
            "{column}"
        );
        assert!(
            store
                .find_any(&filled, other.values()[0].clone())
                .await
                .unwrap()
                .is_none(),
            "{column}"
        );
        let empty = AnyQuery::from(&SAMPLES).filter(position, Value::Null);
        assert!(
            store
                .find_any(&empty, saved.values()[0].clone())
                .await
                .unwrap()
                .is_none(),
            "{column}"
        );
        assert!(
            store
                .find_any(&empty, other.values()[0].clone())
                .await
                .unwrap()
                .is_some(),
            "{column}"
        );
    }
}

on!(a_value_that_the_column_cannot_store_exactly_is_rejected_and_matches_nothing: in_memory, postgres);
async fn a_value_that_the_column_cannot_store_exactly_is_rejected_and_matches_nothing(store: Store) {
    let decimal = Value::Decimal("1.00001".parse().unwrap());
    assert_eq!(
        field_errors(store.insert_any(sample(&[("amount", decimal.clone())])).await),
        json!({"amount": ["At most 4 digits after the decimal point."]})
    );
    let errors = field_errors(store.insert_any(sample(&[("small", Value::Int(40_000))])).await);
    assert!(errors.get("small").is_some());
    for (column, value) in [
        ("ratio", Value::Double(f64::NAN)),
        ("ratio", Value::Double(f64::NEG_INFINITY)),
        ("single", Value::Single(f32::INFINITY)),
        ("day", Value::Date("0000-12-31".parse().unwrap())),
        (
            "moment",
            Value::Timestamp("0000-12-31T23:59:59.999999Z".parse().unwrap()),
        ),
        ("amount", Value::Decimal("100000000".parse().unwrap())),
    ] {
        let errors = field_errors(store.insert_any(sample(&[(column, value)])).await);
        assert!(errors.get(column).is_some(), "{column}: {errors}");
    }
    let trailing = Value::Decimal("-1.500000".parse().unwrap());
    let row = store.insert_any(sample(&[("amount", trailing)])).await.unwrap();
    let kept = Value::Decimal("-1.5000".parse().unwrap());
    assert_eq!(row.values()[position("amount")], kept);
    let color = Value::Text("blue".to_owned());
    assert!(
        field_errors(store.insert_any(sample(&[("color", color)])).await)
            .get("color")
            .is_some()
    );

    let row = store.insert_any(sample(&[])).await.unwrap();
    let query = AnyQuery::from(&SAMPLES).filter(position("amount"), decimal);
    assert_eq!(
        store.find_any(&query, row.values()[0].clone()).await.unwrap(),
        None
    );
}

on!(a_type_mismatch_fails_without_repeating_the_value: in_memory, postgres);
async fn a_type_mismatch_fails_without_repeating_the_value(store: Store) {
    let cause = failure(
        store
            .insert_any(sample(&[("big", Value::Text("secret".to_owned()))]))
            .await,
    );
    assert!(
        cause.contains("`big`") && cause.contains(&format!("{:?}", DataType::I64)),
        "{cause}"
    );
    assert!(!cause.contains("secret"), "{cause}");
}

on!(a_negative_zero_is_kept_as_zero: in_memory, postgres);
async fn a_negative_zero_is_kept_as_zero(store: Store) {
    let zeros = [("single", Value::Single(-0.0)), ("ratio", Value::Double(-0.0))];
    let saved = store.insert_any(sample(&zeros)).await.unwrap();
    let text = written(&store, &saved).await;
    assert_eq!(text.matches("0.0").count(), 2, "{text}");
    assert!(!text.contains("-0.0"), "{text}");
}

on!(a_text_with_a_nul_matches_nothing: in_memory, postgres);
async fn a_text_with_a_nul_matches_nothing(store: Store) {
    store.insert_any(sample(&[])).await.unwrap();
    let query = AnyQuery::from(&SAMPLES).filter(position("text"), Value::Text("a\0b".to_owned()));
    let found = store
        .scan(&ListQuery::of(query), Vec::new().into(), Count(0))
        .await;
    assert_eq!(found.unwrap().sink.0, 0);
}

struct Count(usize);

impl RowSink for Count {
    fn row(&mut self, _: &dyn Row, _: &Related) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}
