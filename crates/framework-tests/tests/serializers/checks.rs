//! Constraints of columns and validation by serializers.

use http::Method;
use model_resource::{
    Api, Date, Decimal, Draft, Errors, Model, ModelSerializer, SerializerFields, Time, Timestamp, WriteMode,
    model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::{expect_error, with};

#[derive(Model)]
struct Offer {
    #[column(primary_key)]
    id: i64,
    #[column(min_length = 2, max_length = 5)]
    title: String,
    #[column(min_length = 1)]
    body: String,
    #[column(max_length = 3)]
    image: Vec<u8>,
    #[column(min = -1, max = 10)]
    stock: i32,
    #[column(min = 0.5, max = 5)]
    rating: f64,
    #[column(precision = 6, scale = 2, min = "0.01", max = "99.50")]
    price: Decimal,
    #[column(min = "2024-01-01", max = "2024-12-31")]
    day: Date,
    #[column(min = "08:00:00", max = "17:30:00")]
    opens: Time,
    #[column(min = "2024-01-01T00:00:00Z", max = "2024-12-31T23:59:59Z")]
    until: Timestamp,
    #[column(pattern = "[a-z]+-[0-9]+")]
    code: String,
    #[column(choices = ["new", "used"])]
    condition: String,
    #[column(email)]
    contact: String,
    #[column(max_length = 3)]
    remark: Option<String>,
}

struct OfferSerializer;

#[serializer]
impl ModelSerializer for OfferSerializer {
    type Model = Offer;
}

#[model_resource(Offer, "/offers", "/offers/<int:id>")]
struct OfferResource;

fn offer() -> Value {
    json!({
        "title": "chair",
        "body": "x",
        "image": "AAEC",
        "stock": 10,
        "rating": 0.5,
        "price": "99.50",
        "day": "2024-12-31",
        "opens": "08:00:00",
        "until": "2024-12-31T23:59:59Z",
        "code": "a-1",
        "condition": "new",
        "contact": "a.b+c@example.com",
        "remark": null,
    })
}

/// SER-17: lengths, bounds, pattern, choices and e-mail format are enforced by create, put and patch.
#[tokio::test]
async fn the_constraints_of_a_column_are_enforced_by_every_write() {
    let api = Api::new("api").serializer::<OfferSerializer>();
    let app = TestApp::with_api(api.model_resource::<OfferResource>()).await;
    let stored = app.post("/offers", offer()).await.expect(201).json();
    for (field, value, message) in [
        ("title", json!("c"), "Shorter than the minimum length 2."),
        ("title", json!("chairs"), "Longer than the maximum length 5."),
        ("body", json!(""), "May not be empty."),
        ("image", json!("AAECAw=="), "Longer than the maximum length 3."),
        ("stock", json!(-2), "Must be at least -1."),
        ("stock", json!(11), "Must be at most 10."),
        ("rating", json!(0.49), "Must be at least 0.5."),
        ("rating", json!(5.01), "Must be at most 5.0."),
        ("price", json!("0"), "Must be at least 0.01."),
        ("price", json!("99.51"), "Must be at most 99.50."),
        ("day", json!("2023-12-31"), "Must be at least 2024-01-01."),
        ("day", json!("2025-01-01"), "Must be at most 2024-12-31."),
        ("opens", json!("07:59:59.999999"), "Must be at least 08:00:00."),
        ("opens", json!("17:30:00.000001"), "Must be at most 17:30:00."),
        (
            "until",
            json!("2024-01-01T00:59:59+01:00"),
            "Must be at least 2024-01-01T00:00:00Z.",
        ),
        (
            "until",
            json!("2025-01-01T00:00:00Z"),
            "Must be at most 2024-12-31T23:59:59Z.",
        ),
        ("code", json!("A-1"), "Does not match the pattern [a-z]+-[0-9]+."),
        ("code", json!("a-1 "), "Does not match the pattern [a-z]+-[0-9]+."),
        (
            "code",
            json!("a-1\n"),
            "Does not match the pattern [a-z]+-[0-9]+.",
        ),
        ("condition", json!("old"), "Must be one of: new, used."),
        ("contact", json!("a@b"), "Not a valid e-mail address."),
        ("contact", json!("@example.com"), "Not a valid e-mail address."),
        ("contact", json!("a b@example.com"), "Not a valid e-mail address."),
        ("contact", json!("a@example..com"), "Not a valid e-mail address."),
        ("remark", json!("four"), "Longer than the maximum length 3."),
    ] {
        let whole = with(offer(), field, value.clone());
        for (method, path, body) in [
            (Method::POST, "/offers", whole.clone()),
            (Method::PUT, "/offers/1", whole),
            (Method::PATCH, "/offers/1", json!({field: value})),
        ] {
            expect_error(app.send_json(method, path, body).await, field, message);
        }
    }
    app.get("/offers").await.expect_json(200, json!([stored]));
}

/// SER-17: values at the bounds are accepted, and characters are counted, not bytes.
#[tokio::test]
async fn values_at_the_bounds_are_accepted() {
    let api = Api::new("api").serializer::<OfferSerializer>();
    let app = TestApp::with_api(api.model_resource::<OfferResource>()).await;
    app.post("/offers", offer()).await.expect(201);
    for (field, value) in [
        ("title", json!("äö")),
        ("title", json!("äöüßé")),
        ("image", json!("")),
        ("stock", json!(-1)),
        ("rating", json!(5.0)),
        ("price", json!("0.01")),
        ("day", json!("2024-01-01")),
        ("opens", json!("17:30:00")),
        ("until", json!("2024-01-01T00:00:00Z")),
        ("condition", json!("used")),
        ("contact", json!("x@sub.example.org")),
        ("remark", json!("日本語")),
    ] {
        let patched = app
            .patch("/offers/1", json!({field: value}))
            .await
            .expect(200)
            .json();
        assert_eq!(patched[field], value);
    }
}

#[derive(Model)]
struct Stay {
    #[column(primary_key)]
    id: i64,
    guest_name: String,
    arrival: Date,
    departure: Date,
    #[column(default = false)]
    paid: bool,
}

struct StaySerializer;

#[serializer]
impl ModelSerializer for StaySerializer {
    type Model = Stay;

    fn fields(fields: SerializerFields<Stay>) -> SerializerFields<Stay> {
        fields.validate(Stay::GUEST_NAME, |name: &String, _| {
            if name.trim().is_empty() {
                return Err("Say who stays.".to_owned());
            }
            Ok(())
        })
    }

    fn validate(stay: &Draft<Stay>, mode: WriteMode, errors: &mut Errors) {
        if stay.get(Stay::DEPARTURE) <= stay.get(Stay::ARRIVAL) {
            errors.add_object("Departure must come after arrival.");
        }
        if mode == WriteMode::Create && stay.get(Stay::PAID) == Some(true) {
            errors.add("paid", "A new stay is not paid yet.");
        }
    }
}

#[model_resource(Stay, "/stays", "/stays/<int:id>")]
struct StayResource;

async fn stays() -> TestApp {
    let api = Api::new("api").serializer::<StaySerializer>();
    TestApp::with_api(api.model_resource::<StayResource>()).await
}

fn stay() -> Value {
    json!({"guestName": "Ada", "arrival": "2024-05-01", "departure": "2024-05-03"})
}

/// SER-21: an error of one field is under its key, beside the errors of other fields.
#[tokio::test]
async fn validate_can_reject_a_single_field() {
    let app = stays().await;
    let body = json!({"guestName": " ", "arrival": "May", "departure": "2024-05-03"});
    app.post("/stays", body).await.expect_json(
        400,
        json!({"errors": {
            "guestName": ["Say who stays."],
            "arrival": ["Not a valid date; send it as YYYY-MM-DD."],
        }}),
    );
    app.get("/stays").await.expect_json(200, json!([]));
    let stored = app.post("/stays", stay()).await.expect(201).json();
    for method in [Method::PUT, Method::PATCH] {
        let body = with(stay(), "guestName", json!(""));
        expect_error(
            app.send_json(method, "/stays/1", body).await,
            "guestName",
            "Say who stays.",
        );
    }
    app.get("/stays/1").await.expect_json(200, stored);
}

/// SER-21: an error of the whole object is under `_schema`; validation includes the columns that a patch does not
/// change.
#[tokio::test]
async fn validate_can_reject_the_whole_object() {
    let app = stays().await;
    let message = "Departure must come after arrival.";
    let wrong = with(stay(), "departure", json!("2024-05-01"));
    expect_error(app.post("/stays", wrong.clone()).await, "_schema", message);
    app.get("/stays").await.expect_json(200, json!([]));

    let stored = app.post("/stays", stay()).await.expect(201).json();
    expect_error(app.put("/stays/1", wrong).await, "_schema", message);
    let late = app.patch("/stays/1", json!({"arrival": "2024-05-04"})).await;
    expect_error(late, "_schema", message);
    app.get("/stays/1").await.expect_json(200, stored);
    app.patch("/stays/1", json!({"arrival": "2024-05-02"}))
        .await
        .expect(200);
}

/// SER-21: `validate` distinguishes a create from an update.
#[tokio::test]
async fn validate_distinguishes_create_from_update() {
    let app = stays().await;
    let paid = with(stay(), "paid", json!(true));
    expect_error(
        app.post("/stays", paid.clone()).await,
        "paid",
        "A new stay is not paid yet.",
    );
    app.get("/stays").await.expect_json(200, json!([]));
    app.post("/stays", stay()).await.expect(201);
    app.put("/stays/1", paid).await.expect(200);
    let patched = app.patch("/stays/1", json!({"paid": true})).await;
    assert_eq!(patched.expect(200).json()["paid"], true);
}
