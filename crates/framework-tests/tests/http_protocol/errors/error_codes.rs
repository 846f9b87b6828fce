//! Codes of validation messages in problem documents.

use http::Method;
use model_resource::{
    Api, CREATE, Caller, Decimal, Draft, Errors, Message, Model, ModelPolicy, ModelResource, ModelSerializer,
    Operations, PATCH, SerializerFields, WriteMode, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::{Client, TestApp};

#[derive(Model)]
#[model(table = "shelves")]
struct Shelf {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
#[model(table = "volumes")]
struct Volume {
    #[column(primary_key)]
    id: i64,
    #[column(unique, min_length = 2, max_length = 5)]
    title: String,
    #[column(default = 1, min = 1, max = 9)]
    edition: i32,
    #[column(precision = 4, scale = 2)]
    price: Option<Decimal>,
    #[column(pattern = "[0-9]+")]
    isbn: Option<String>,
    #[column(email)]
    contact: Option<String>,
    #[column(choices = ["new", "used"])]
    condition: Option<String>,
    #[column(references = Shelf)]
    shelf_id: Option<i64>,
}

struct VolumeSerializer;

#[serializer]
impl ModelSerializer for VolumeSerializer {
    type Model = Volume;

    fn fields(fields: SerializerFields<Volume>) -> SerializerFields<Volume> {
        fields
            .validate(Volume::EDITION, |edition, _| match edition {
                7 => Err(Message::new("cursed", "There is no seventh edition.")),
                _ => Ok(()),
            })
            .validate(Volume::ISBN, |isbn, _| match isbn.as_deref() {
                Some("666") => Err("Not this one."),
                _ => Ok(()),
            })
    }

    fn validate(volume: &Draft<Volume>, _: WriteMode, errors: &mut Errors) {
        if volume.get(Volume::EDITION) == Some(5) {
            errors.add_object(Message::new("no_fifth", "No fifth editions."));
        }
    }
}

#[model_resource(Shelf, "/shelves")]
struct ShelfResource;

struct VolumeResource;

#[model_resource(Volume, "/volumes", "/volumes/<int:id>", "/shelves/<int:shelf_id>/volumes")]
impl ModelResource for VolumeResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH]);
}

/// Presets the first edition on new volumes.
struct VolumePolicy;

impl ModelPolicy for VolumePolicy {
    type Model = Volume;

    fn may_create(_: &Caller) -> bool {
        true
    }

    fn presets(_: &Caller) -> Draft<Volume> {
        let mut given = Draft::new();
        given.set(Volume::EDITION, 1);
        given
    }
}

fn api() -> Api {
    Api::new("library")
        .model_resource::<ShelfResource>()
        .serializer::<VolumeSerializer>()
        .model_resource::<VolumeResource>()
}

async fn library() -> (TestApp, Client) {
    let app = TestApp::with_api(api()).await;
    app.post("/shelves", json!({"name": "a"})).await.expect(201);
    app.post("/volumes", json!({"title": "Rust"})).await.expect(201);
    let client = app.with_header("accept", "application/problem+json");
    (app, client)
}

fn coded(message: &str, code: &str) -> Value {
    json!([{"message": message, "code": code}])
}

/// ERR-20, ERR-21: in a problem document each message has a code beside it; plain JSON has only the messages.
#[tokio::test]
async fn each_built_in_check_has_a_code_beside_its_message() {
    let (app, problem) = library().await;
    let before = app.database().rows();
    for (body, field, message, code) in [
        (json!({}), "title", "Title is required.", "required"),
        (json!({"title": null}), "title", "Title may not be null.", "null"),
        (json!({"title": 1}), "title", "Not a valid string.", "type"),
        (
            json!({"title": "a"}),
            "title",
            "Shorter than the minimum length 2.",
            "min_length",
        ),
        (
            json!({"title": "abcdef"}),
            "title",
            "Longer than the maximum length 5.",
            "max_length",
        ),
        (
            json!({"title": "a\u{0}b"}),
            "title",
            "Null characters are not allowed.",
            "null_character",
        ),
        (
            json!({"title": "Rust"}),
            "title",
            "Title is already taken.",
            "unique",
        ),
        (
            json!({"title": "ab", "tilte": 1}),
            "tilte",
            "Unknown field.",
            "unknown",
        ),
        (
            json!({"title": "ab", "edition": 0}),
            "edition",
            "Must be at least 1.",
            "min",
        ),
        (
            json!({"title": "ab", "edition": 10}),
            "edition",
            "Must be at most 9.",
            "max",
        ),
        (
            json!({"title": "ab", "edition": 1.5}),
            "edition",
            "Not a valid integer between -2147483648 and 2147483647.",
            "type",
        ),
        (
            json!({"title": "ab", "price": "1.234"}),
            "price",
            "At most 2 digits after the decimal point.",
            "decimal_places",
        ),
        (
            json!({"title": "ab", "price": "100"}),
            "price",
            "At most 2 digits before the decimal point.",
            "whole_digits",
        ),
        (
            json!({"title": "ab", "isbn": "x"}),
            "isbn",
            "Does not match the pattern [0-9]+.",
            "pattern",
        ),
        (
            json!({"title": "ab", "contact": "x"}),
            "contact",
            "Not a valid e-mail address.",
            "email",
        ),
        (
            json!({"title": "ab", "condition": "x"}),
            "condition",
            "Must be one of: new, used.",
            "choice",
        ),
        (
            json!({"title": "ab", "shelfId": 9}),
            "shelfId",
            "Shelf Id does not exist.",
            "missing_reference",
        ),
        (json!([1]), "_schema", "Expected a JSON object.", "object"),
    ] {
        let body = match body {
            Value::Array(mut items) => items.remove(0),
            other => other,
        };
        let answer = problem.post("/volumes", body.clone()).await.expect(400).json();
        assert_eq!(answer["code"], "invalid");
        assert_eq!(answer["errors"], json!({field: coded(message, code)}), "{body}");
        app.post("/volumes", body)
            .await
            .expect_json(400, json!({"errors": {field: [message]}}));
    }
    assert_eq!(app.database().rows(), before);
}

/// ERR-21: a contradiction to the URL has a code, in a put, a patch and below a parent.
#[tokio::test]
async fn a_contradiction_to_the_url_has_a_code() {
    let (app, problem) = library().await;
    let before = app.database().rows();
    let mismatch = coded("Does not match the URL.", "url_mismatch");
    let answer = problem.patch("/volumes/1", json!({"id": 2})).await.expect(400);
    assert_eq!(answer.json()["errors"], json!({"id": mismatch}));
    let other = json!({"title": "ab", "shelfId": 2});
    let answer = problem.post("/shelves/1/volumes", other).await.expect(400);
    assert_eq!(answer.json()["errors"], json!({"shelfId": mismatch}));
    assert_eq!(app.database().rows(), before);
}

/// ERR-21: a contradiction to a policy, a violated database constraint and a line that is not JSON have codes.
#[tokio::test]
async fn rejections_by_policies_databases_and_files_have_a_code() {
    let app = TestApp::with_api(api().policy::<VolumePolicy>()).await;
    let before = app.database().rows();
    let problem = app.with_header("accept", "application/problem+json");
    let chosen = json!({"title": "ab", "edition": 2});
    let answer = problem.post("/volumes", chosen).await.expect(400).json();
    let preset = coded("Set by the server; leave it out.", "preset");
    assert_eq!(answer["errors"], json!({"edition": preset}));
    let lines = Some(("application/x-ndjson", "{\"title\": \"ab\"}\n{\n".into()));
    let answer = problem
        .send(Method::POST, "/volumes", lines)
        .await
        .expect(400)
        .json();
    let malformed = coded("Malformed JSON at column 1.", "malformed");
    assert_eq!(answer["errors"], json!({"2": {"_schema": malformed}}));
    assert_eq!(app.database().rows(), before);

    let (app, problem) = library().await;
    let unique = "CREATE UNIQUE INDEX one_of_each ON volumes (isbn, edition)";
    app.database().execute(unique);
    let volume = |title: &str| json!({"title": title, "isbn": "1"});
    app.post("/volumes", volume("ab")).await.expect(201);
    let before = app.database().rows();
    let answer = problem.post("/volumes", volume("cd")).await.expect(400).json();
    let both = "The combination of Isbn and Edition is already taken.";
    assert_eq!(answer["errors"], json!({"_schema": coded(both, "unique")}));
    assert_eq!(app.database().rows(), before);
}

/// ERR-20: in a bulk request the codes are below the object's index, including the codes of other errors.
#[tokio::test]
async fn the_codes_of_a_bulk_request_are_below_the_index() {
    let (app, problem) = library().await;
    let before = app.database().rows();
    let many = json!([{"title": "ok"}, {"title": "Rust"}, {"edition": 0}, 3]);
    let answer = problem.post("/volumes", many).await.expect(400).json();
    assert_eq!(
        answer["errors"],
        json!({
            "1": {"title": coded("Title is already taken.", "unique")},
            "2": {
                "edition": coded("Must be at least 1.", "min"),
                "title": coded("Title is required.", "required"),
            },
            "3": {"_schema": coded("Expected a JSON object.", "object")},
        })
    );
    let many = json!([{"id": 1, "edition": 2}, {"id": 9, "edition": 2}]);
    let answer = problem.patch("/volumes", many).await.expect(404).json();
    assert_eq!(
        answer["errors"],
        json!({"1": {"_schema": coded("Not found.", "not_found")}})
    );
    assert_eq!(app.database().rows(), before);
}

/// ERR-22: a custom check returns a code, or has the code `invalid`.
#[tokio::test]
async fn a_custom_check_may_return_a_code() {
    let (app, problem) = library().await;
    let before = app.database().rows();
    for (body, field, message, code) in [
        (
            json!({"title": "ab", "edition": 7}),
            "edition",
            "There is no seventh edition.",
            "cursed",
        ),
        (
            json!({"title": "ab", "isbn": "666"}),
            "isbn",
            "Not this one.",
            "invalid",
        ),
        (
            json!({"title": "ab", "edition": 5}),
            "_schema",
            "No fifth editions.",
            "no_fifth",
        ),
    ] {
        let answer = problem.post("/volumes", body.clone()).await.expect(400).json();
        assert_eq!(answer["errors"], json!({field: coded(message, code)}));
        app.post("/volumes", body)
            .await
            .expect_json(400, json!({"errors": {field: [message]}}));
    }
    assert_eq!(app.database().rows(), before);
}
