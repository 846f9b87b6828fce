//! Columns with documents of a Rust type: `Json<T>`.

use model_resource::{
    Api, CREATE, Context, Draft, Json, Model, ModelResource, Operations, Reply, Result, model_resource,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

use super::expect_error;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Address {
    street: String,
    city: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    phones: Vec<Phone>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phone {
    number: u32,
}

#[derive(Debug, Clone, Model)]
struct Branch {
    #[column(primary_key)]
    id: i64,
    address: Json<Address>,
    tags: Option<Json<Vec<String>>>,
    #[column(default = "{\"street\": \"-\", \"city\": \"-\"}")]
    storage: Json<Address>,
}

struct BranchResource;

#[model_resource(Branch, "/branches", "/branches/<int:id>")]
impl ModelResource for BranchResource {
    const BULK_METHODS: Operations = Operations::of([CREATE]);

    async fn get(_: Context, branch: Branch) -> Result<Reply> {
        let tags = branch.tags.map_or(0, |tags| tags.len());
        let numbers: Vec<u32> = branch.address.phones.iter().map(|phone| phone.number).collect();
        Reply::json(&json!([branch.address.city, numbers, tags, branch.storage.city]))
    }
}

fn api() -> Api {
    Api::new("api").model_resource::<BranchResource>()
}

fn address(city: &str) -> Value {
    json!({"street": "Main", "city": city})
}

/// MOD-12: a typed document is stored as its type serializes it, and read as its type in handlers.
#[tokio::test]
async fn a_typed_document_is_stored_as_its_type_serializes_it() {
    let app = TestApp::with_api(api()).await;
    let mut sent = address("Ulm");
    sent["phones"] = json!([{"number": 7}]);
    let expected = sent.clone();
    sent["floor"] = json!(3);
    let made = app
        .post("/branches", json!({"address": sent, "tags": ["a", "b"]}))
        .await;
    let made = made.expect(201).json();
    assert_eq!((&made["address"], &made["tags"]), (&expected, &json!(["a", "b"])));
    assert_eq!(made["storage"], json!({"street": "-", "city": "-"}));
    app.get("/branches/1")
        .await
        .expect_json(200, json!(["Ulm", [7], 2, "-"]));
    let changed = app.patch("/branches/1", json!({"tags": null})).await.expect(200);
    assert_eq!(changed.json()["tags"], json!(null));

    let branch: Branch = app.store.get(1_i64).await.unwrap().unwrap();
    let mut moved = branch.address.clone().into_inner();
    moved.city = "Bonn".to_owned();
    let draft = Draft::of(&branch).with(Branch::ADDRESS, Json::of(moved).unwrap());
    app.store.save(draft).await.unwrap();
    let found = app.get("/branches?address.city=Bonn").await.expect(200).json();
    assert_eq!(found[0]["address"]["phones"], json!([{"number": 7}]));
}

/// MOD-12: a document that does not fit is an error of the column, with the place inside it, and is not stored.
#[tokio::test]
async fn a_document_that_does_not_fit_is_an_error_of_the_column() {
    let app = TestApp::with_api(api()).await;
    app.post("/branches", json!({"address": address("Ulm")}))
        .await
        .expect(201);
    let before = app.database().rows();
    let with_phone = |phone: Value| {
        let mut sent = address("Ulm");
        sent["phones"] = json!([{"number": 1}, phone]);
        sent
    };
    for (field, value, message) in [
        (
            "address",
            json!({"street": "Main"}),
            "Not valid: missing field `city`.",
        ),
        (
            "address",
            with_phone(json!({"number": -1})),
            "Not valid at phones[1].number: invalid value: integer `-1`, expected u32.",
        ),
        (
            "address",
            with_phone(json!({"number": 1, "area": 2})),
            "Not valid at phones[1].area: unknown field `area`, expected `number`.",
        ),
        (
            "address",
            json!("Main"),
            "Not valid: invalid type: string \"Main\", expected struct Address.",
        ),
        ("address", json!(null), "Address may not be null."),
        (
            "tags",
            json!(["a", 1]),
            "Not valid at [1]: invalid type: integer `1`, expected a string.",
        ),
    ] {
        let mut body = json!({"address": address("Bonn")});
        body[field] = value.clone();
        expect_error(app.post("/branches", body.clone()).await, field, message);
        expect_error(app.put("/branches/1", body.clone()).await, field, message);
        expect_error(
            app.patch("/branches/1", json!({field: value})).await,
            field,
            message,
        );
        app.post("/branches", json!([body]))
            .await
            .expect_json(400, json!({"errors": {"0": {field: [message]}}}));
    }
    assert_eq!(app.database().rows(), before);
}

#[derive(Model)]
struct Odd {
    #[column(primary_key)]
    id: i64,
    #[column(default = "{}")]
    address: Json<Address>,
}

#[model_resource(Odd, "/odds")]
struct OddResource;

/// MOD-12: a default that is no document of the type is rejected at startup.
#[tokio::test]
async fn a_default_of_another_form_is_rejected_at_startup() {
    let mistakes = startup_errors(Api::new("api").model_resource::<OddResource>()).await;
    assert!(
        mistakes[0].contains("default = {} of column `address`")
            && mistakes[0].contains("missing field `street`"),
        "{mistakes:?}"
    );
}
