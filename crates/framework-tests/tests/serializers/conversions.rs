//! Conversions of extra fields into columns, which may be expensive.

use std::sync::atomic::{AtomicUsize, Ordering};

use model_resource::{Api, ExtraField, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::json;
use test_support::TestApp;

use super::expect_error;

#[derive(Debug, Clone, Model)]
struct Guest {
    #[column(primary_key)]
    id: i64,
    #[column(unique, lowercase, message(unique = "Somebody has this name."))]
    name: String,
    #[column(max_length = 5)]
    city: Option<String>,
    #[column(hidden)]
    secret_hash: String,
}

/// Number of conversions.
static CONVERTED: AtomicUsize = AtomicUsize::new(0);

struct GuestSerializer;

#[serializer]
impl ModelSerializer for GuestSerializer {
    type Model = Guest;

    fn fields(fields: SerializerFields<Guest>) -> SerializerFields<Guest> {
        let secret = ExtraField::new("secret").max_length(10).required_on_create();
        fields.write_only(secret.into_column(Guest::SECRET_HASH, |secret: String| {
            CONVERTED.fetch_add(1, Ordering::Relaxed);
            format!("#{secret}")
        }))
    }
}

#[model_resource(Guest, "/guests", "/guests/<int:id>")]
struct GuestResource;

/// LOAD-70: nothing is converted for a body that is rejected anyway, for an invalid field or for a value that another
/// row has.
#[tokio::test]
async fn a_rejected_body_is_not_converted() {
    let api = Api::new("api").serializer::<GuestSerializer>();
    let app = TestApp::with_api(api.model_resource::<GuestResource>()).await;
    for name in ["ann", "bob"] {
        app.post("/guests", json!({"name": name, "secret": "one"}))
            .await
            .expect(201);
    }
    assert_eq!(CONVERTED.load(Ordering::Relaxed), 2);
    let taken = "Somebody has this name.";
    let again = json!({"name": "ANN", "secret": "two"});
    expect_error(app.post("/guests", again.clone()).await, "name", taken);
    expect_error(app.patch("/guests/2", again.clone()).await, "name", taken);
    expect_error(app.put("/guests/2", again).await, "name", taken);
    let long = json!({"name": "cid", "city": "Salisbury", "secret": "two"});
    app.post("/guests", long).await.expect(400);
    app.post("/guests", json!({"name": "cid", "secret": "x".repeat(11)}))
        .await
        .expect(400);
    assert_eq!(CONVERTED.load(Ordering::Relaxed), 2);
    // The own name is not taken.
    app.put("/guests/1", json!({"name": "Ann", "secret": "two"}))
        .await
        .expect(200);
    assert_eq!(CONVERTED.load(Ordering::Relaxed), 3);
}
