//! Serializers that override which columns are required.

use http::Method;
use model_resource::{
    Api, CREATE, Columns, Model, ModelResource, ModelSerializer, Operations, SerializerFields,
    model_resource, serializer,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

use super::expect_error;

#[derive(Model)]
#[model(table = "guests")]
struct Guest {
    #[column(primary_key)]
    id: i64,
    name: String,
    phone: Option<String>,
    #[column(default = "en")]
    language: String,
    initials: String,
}

macro_rules! guests {
    ($name:ident, $(#[$serializer:meta])+ { $($item:item)* }) => {
        struct $name;

        $(#[$serializer])+
        impl ModelSerializer for $name {
            type Model = Guest;
            $($item)*
        }
    };
}

guests!(
    GuestSerializer,
    #[serializer]
    {
        const OPTIONAL: Columns<Guest> = Columns::of(Guest::INITIALS);

        fn fields(fields: SerializerFields<Guest>) -> SerializerFields<Guest> {
            fields.post_load(|guest, _, _| {
                let name = guest.get(Guest::NAME).unwrap_or_default();
                if guest.get(Guest::INITIALS).is_none() {
                    guest.set(Guest::INITIALS, name.chars().take(1).collect());
                }
            })
        }
    }
);
guests!(
    NewGuestSerializer,
    #[serializer(create)]
    {
        const REQUIRED: Columns<Guest> = Columns::of(Guest::PHONE).and(Guest::LANGUAGE);
        const OPTIONAL: Columns<Guest> = Columns::of(Guest::INITIALS);

        fn fields(fields: SerializerFields<Guest>) -> SerializerFields<Guest> {
            GuestSerializer::fields(fields)
        }
    }
);
guests!(
    UnsuppliedSerializer,
    #[serializer]
    {
        const OPTIONAL: Columns<Guest> = Columns::of(Guest::INITIALS);
    }
);
guests!(
    BothSerializer,
    #[serializer]
    {
        const REQUIRED: Columns<Guest> = Columns::of(Guest::PHONE);
        const OPTIONAL: Columns<Guest> = Columns::of(Guest::PHONE);
    }
);
guests!(
    ReadOnlySerializer,
    #[serializer]
    {
        const READ_ONLY: Columns<Guest> = Columns::of(Guest::PHONE);
        const REQUIRED: Columns<Guest> = Columns::of(Guest::PHONE);
    }
);
guests!(
    GeneratedSerializer,
    #[serializer]
    {
        const OPTIONAL: Columns<Guest> = Columns::of(Guest::ID);
    }
);

struct GuestResource;

#[model_resource(Guest, "/guests", "/guests/<int:id>")]
impl ModelResource for GuestResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);
}

/// SER-45: a serializer may require a column that is optional in the model.
#[tokio::test]
async fn a_serializer_may_require_an_optional_column() {
    let api = Api::new("hotel")
        .serializer::<GuestSerializer>()
        .serializer::<NewGuestSerializer>();
    let app = TestApp::with_api(api.model_resource::<GuestResource>()).await;
    let before = app.database().rows();
    app.post("/guests", json!({"name": "Ada"})).await.expect_json(
        400,
        json!({"errors": {"phone": ["Phone is required."], "language": ["Language is required."]}}),
    );
    let nulled = json!({"name": "Ada", "phone": null, "language": "de"});
    expect_error(
        app.post("/guests", nulled.clone()).await,
        "phone",
        "Phone may not be null.",
    );
    app.post("/guests", json!([nulled])).await.expect_json(
        400,
        json!({"errors": {"0": {"phone": ["Phone may not be null."]}}}),
    );
    let csv = Some(("text/csv", "name,phone,language\r\nAda,,de\r\n".into()));
    app.send(Method::POST, "/guests", csv)
        .await
        .expect_json(400, json!({"errors": {"2": {"phone": ["Phone is required."]}}}));
    assert_eq!(app.database().rows(), before);
    let ada = json!({"name": "Ada", "phone": "1", "language": "de"});
    app.post("/guests", ada).await.expect(201);
    let put = app
        .put("/guests/1", json!({"name": "Bob"}))
        .await
        .expect(200)
        .json();
    assert_eq!(put["phone"], "1");
    let patched = app
        .patch("/guests/1", json!({"phone": null}))
        .await
        .expect(200)
        .json();
    assert!(patched["phone"].is_null());
}

/// SER-46: a serializer may make a required column optional if a hook supplies it; otherwise it stays required.
#[tokio::test]
async fn a_serializer_may_make_a_required_column_optional() {
    let api = Api::new("hotel").serializer::<GuestSerializer>();
    let app = TestApp::with_api(api.model_resource::<GuestResource>()).await;
    let made = app
        .post("/guests", json!({"name": "Ada"}))
        .await
        .expect(201)
        .json();
    assert_eq!(made["initials"], "A");
    let nulled = json!({"name": "Ada", "initials": null});
    expect_error(
        app.post("/guests", nulled).await,
        "initials",
        "Initials may not be null.",
    );
    let put = app
        .put("/guests/1", json!({"name": "Bob"}))
        .await
        .expect(200)
        .json();
    assert_eq!(put["initials"], "A");

    let api = Api::new("hotel").serializer::<UnsuppliedSerializer>();
    let app = TestApp::with_api(api.model_resource::<GuestResource>()).await;
    let before = app.database().rows();
    let refused = app.post("/guests", json!({"name": "Ada"})).await;
    expect_error(refused, "initials", "Initials is required.");
    assert_eq!(app.database().rows(), before);
}

/// SER-45, SER-46: lists without effect or with contradictions are rejected at startup.
#[tokio::test]
async fn lists_of_required_columns_without_effect_are_rejected_at_startup() {
    let api = Api::new("a").serializer::<BothSerializer>();
    let both = startup_errors(api.model_resource::<GuestResource>()).await;
    let api = Api::new("a").serializer::<ReadOnlySerializer>();
    let read_only = startup_errors(api.model_resource::<GuestResource>()).await;
    let api = Api::new("a").serializer::<GeneratedSerializer>();
    let generated = startup_errors(api.model_resource::<GuestResource>()).await;
    for (refusals, part) in [
        (both, "`phone` is in REQUIRED and in OPTIONAL"),
        (read_only, "REQUIRED names `phone`, which clients cannot set"),
        (generated, "OPTIONAL names `id`, which clients cannot set"),
    ] {
        assert!(
            matches!(refusals.as_slice(), [one] if one.contains(part)),
            "{refusals:?}"
        );
    }
}
