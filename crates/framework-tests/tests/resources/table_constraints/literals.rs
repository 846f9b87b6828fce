//! Values of every type in the conditions of checks.

use model_resource::{Api, Date, Decimal, Model, ModelResource, Time, Timestamp, Uuid, model_resource};
use serde_json::{Value, json};
use test_support::TestApp;

const TOKEN: Uuid = Uuid::from_u128(7);

fn moment() -> Timestamp {
    "2024-05-06T07:08:09.000001Z".parse().unwrap()
}

/// A row of which one value of each column is allowed, or a range.
#[derive(Model)]
#[model(
    check(flag_check = Parcel::FLAG.eq(true)),
    check(small_check = Parcel::SMALL.gte(-5_i16)),
    check(large_check = Parcel::LARGE.lt(5_000_000_000_i64)),
    check(single_check = Parcel::SINGLE.eq(0.1_f32)),
    check(double_check = Parcel::DOUBLE.lte(1e300)),
    check(text_check = Parcel::TEXT.gte("Zo\u{eb} \\'s")),
    check(bytes_check = Parcel::BYTES.eq(vec![0, 255])),
    check(price_check = Parcel::PRICE.gt(Decimal::new(-105, 2))),
    check(day_check = Parcel::DAY.ne(Date::constant(2024, 5, 6))),
    check(clock_check = Parcel::CLOCK.lte(Time::constant(12, 30, 0, 0))),
    check(at_check = Parcel::AT.gte(moment())),
    check(token_check = Parcel::TOKEN.one_of([TOKEN, Uuid::nil()]))
)]
struct Parcel {
    #[column(primary_key)]
    id: i64,
    flag: bool,
    small: i16,
    large: i64,
    single: f32,
    double: f64,
    text: String,
    bytes: Vec<u8>,
    #[column(precision = 6, scale = 2)]
    price: Decimal,
    day: Date,
    clock: Time,
    at: Timestamp,
    token: Uuid,
}

struct ParcelResource;

#[model_resource(Parcel, "/parcels", "/parcels/<int:id>")]
impl ModelResource for ParcelResource {}

fn parcel() -> Value {
    json!({
        "flag": true, "small": -5, "large": 4_999_999_999_i64, "single": 0.1, "double": 1e300, "text": "Zo\u{eb} \\'s",
        "bytes": "AP8=", "price": "-1.04", "day": "2024-05-07", "clock": "12:30:00",
        "at": "2024-05-06T07:08:09.000001Z", "token": TOKEN.to_string(),
    })
}

/// MOD-4: the program and the database compare values of every type alike, in a create and in a patch.
#[tokio::test]
async fn checks_compare_values_of_every_type() {
    let api = Api::new("api").model_resource::<ParcelResource>();
    let app = TestApp::with_api(api).await;
    app.post("/parcels", parcel()).await.expect(201);
    let before = app.database().rows();
    for (field, value) in [
        ("flag", json!(false)),
        ("small", json!(-6)),
        ("large", json!(5_000_000_000_i64)),
        ("single", json!(0.2)),
        ("double", json!(1.1e300)),
        ("text", json!("Zoa")),
        ("bytes", json!("AP4=")),
        ("price", json!("-1.05")),
        ("day", json!("2024-05-06")),
        ("clock", json!("12:30:00.000001")),
        ("at", json!("2024-05-06T07:08:09Z")),
        ("token", json!(Uuid::from_u128(8).to_string())),
    ] {
        let text = format!("Does not meet the condition \"{field}_check\".");
        let errors = json!({"errors": {field: [text]}});
        let mut other = parcel();
        other[field] = value.clone();
        app.post("/parcels", other).await.expect_json(400, errors.clone());
        let patched = app.patch("/parcels/1", json!({field: value})).await;
        patched.expect_json(400, errors);
    }
    assert_eq!(app.database().rows(), before);
    app.patch("/parcels/1", parcel()).await.expect(200);
}
