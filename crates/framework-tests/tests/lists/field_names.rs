//! Field names that a serializer may declare, and spellings that clients may use.

use ::http::Method;
use bytes::Bytes;
use model_resource::{
    Api, Model, ModelResource, ModelSerializer, Operations, PATCH, SerializerFields, model_resource,
    serializer,
};
use serde_json::json;
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "knots", accept_snake_case)]
struct Knot {
    #[column(primary_key)]
    knot_no: i64,
    full_name: String,
    #[column(references = Knot)]
    next_no: Option<i64>,
}

struct KnotSerializer;

#[serializer]
impl ModelSerializer for KnotSerializer {
    type Model = Knot;
}

struct KnotResource;

#[model_resource(Knot, "/knots", "/knots/<int:knot_no>")]
impl ModelResource for KnotResource {
    const BULK_METHODS: Operations = Operations::of([PATCH]);
}

/// BLK-1: a field has the same names in every input format.
#[tokio::test]
async fn a_field_has_the_same_names_in_every_input_format() {
    let api = Api::new("knots")
        .serializer::<KnotSerializer>()
        .model_resource::<KnotResource>();
    let app = TestApp::with_api(api).await;
    app.post("/knots", json!({"full_name": "a"})).await.expect(201);
    let named = async |name: &str| {
        let knots = app.get("/knots?fields=fullName").await;
        knots.expect_json(200, json!([{"fullName": name}]));
    };
    app.patch("/knots", json!([{"knot_no": 1, "full_name": "b"}]))
        .await
        .expect(200);
    named("b").await;
    let import = async |table: &str| {
        let body = Some(("text/csv", Bytes::from(table.to_owned())));
        app.send(Method::PATCH, "/knots", body).await
    };
    import("knot_no,full_name\n1,c\n").await.expect(200);
    named("c").await;
    let rejection = import("knotNo,full_name,fullName\n1,d,e\n").await.expect(400);
    assert!(rejection.text().contains("occurs twice"), "{}", rejection.text());
    named("c").await;
}

/// A serializer with a duplicate name, not registered but referenced by others.
struct Doubled;

impl ModelSerializer for Doubled {
    type Model = Knot;

    fn fields(fields: SerializerFields<Knot>) -> SerializerFields<Knot> {
        fields.computed("fullName", |knot| knot.knot_no)
    }
}

/// Declares serializers of knots with this declaration.
macro_rules! declaring {
    ($($serializer:ident($fields:ident) $declared:expr)*) => { $(
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = Knot;

            fn fields($fields: SerializerFields<Knot>) -> SerializerFields<Knot> {
                $declared
            }
        }
    )* };
}

declaring! {
    LeadsToDoubled(fields) fields.has_many::<Doubled>("earlier", Knot::NEXT_NO)
    NestsDoubled(fields) fields.embed::<Doubled>("next", Knot::NEXT_NO)
    NamesAColumn(fields) fields.belongs_to::<KnotSerializer>("fullName", Knot::NEXT_NO)
    NamesARelation(fields) fields
        .belongs_to::<KnotSerializer>("next", Knot::NEXT_NO)
        .has_many::<KnotSerializer>("next", Knot::NEXT_NO)
    NamesASpelling(fields) fields.computed("full_name", |knot| knot.knot_no)
}

#[tokio::test]
async fn ambiguous_field_names_are_rejected_at_startup() {
    macro_rules! rejects {
        ($($serializer:ident: $expected:expr),* $(,)?) => { $(
            let mistakes = startup_errors(Api::new("knots").serializer::<$serializer>().model_resource::<KnotResource>()).await;
            assert!(mistakes.iter().any(|mistake| mistake.contains($expected)), "{mistakes:?}");
        )* };
    }
    rejects! {
        LeadsToDoubled: "two fields have the wire name `fullName`",
        NestsDoubled: "two fields have the wire name `fullName`",
        NamesAColumn: "two fields have the wire name `fullName`",
        NamesARelation: "two fields have the wire name `next`",
        NamesASpelling: "two fields have the wire name `full_name`",
    }
}
