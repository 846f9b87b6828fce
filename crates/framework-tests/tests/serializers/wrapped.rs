//! Wrapped serializers.

use model_resource::{
    Api, Columns, Draft, Envelope, Errors, Model, ModelSerializer, SerializerFields, WrappedSerializer,
    WriteMode, model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

#[derive(Model)]
struct Foo {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
struct FooBar {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
struct Story {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
struct Person {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Model)]
struct Account {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[column(default = "free")]
    plan: String,
    pin: String,
    note: Option<String>,
    other: Option<String>,
}

struct FooSerializer;

#[serializer]
impl ModelSerializer for FooSerializer {
    type Model = Foo;
}

/// Overrides every item of a serializer.
struct ChosenSerializer;

#[serializer]
impl ModelSerializer for ChosenSerializer {
    type Model = Account;
    const FIELDS: Columns<Account> = Columns::of(Account::ID)
        .and(Account::NAME)
        .and(Account::PLAN)
        .and(Account::PIN)
        .and(Account::NOTE);
    const EXCLUDE: Columns<Account> = Columns::of(Account::NOTE);
    const READ_ONLY: Columns<Account> = Columns::of(Account::PLAN);
    const WRITE_ONLY: Columns<Account> = Columns::of(Account::PIN);

    fn fields(fields: SerializerFields<Account>) -> SerializerFields<Account> {
        fields.computed("loud", |account: &Account| account.name.to_uppercase())
    }

    fn validate(account: &Draft<Account>, mode: WriteMode, errors: &mut Errors) {
        if account.get(Account::NAME) == account.get(Account::PIN) {
            errors.add_object(format!("{mode:?}: the pin is the name."));
        }
    }
}

struct FooBarSerializer;

#[serializer]
impl ModelSerializer for FooBarSerializer {
    type Model = FooBar;
}

struct StorySerializer;

#[serializer]
impl ModelSerializer for StorySerializer {
    type Model = Story;
}

struct PersonSerializer;

#[serializer]
impl ModelSerializer for PersonSerializer {
    type Model = Person;

    fn envelope() -> Option<Envelope> {
        Some(Envelope {
            one: "human".to_owned(),
            many: "people".to_owned(),
        })
    }
}

#[model_resource(Foo, "/foos", "/foos/<int:id>")]
struct FooResource;

#[model_resource(FooBar, "/foo-bars", "/foo-bars/<int:id>")]
struct FooBarResource;

#[model_resource(Story, "/stories", "/stories/<int:id>")]
struct StoryResource;

#[model_resource(Person, "/people", "/people/<int:id>")]
struct PersonResource;

#[model_resource(Account, "/accounts", "/accounts/<int:id>")]
struct AccountResource;

/// Each URL with the key of one object and the key of a list.
const ENVELOPES: [(&str, &str, &str); 4] = [
    ("/foos", "foo", "foos"),
    ("/foo-bars", "fooBar", "fooBars"),
    ("/stories", "story", "stories"),
    ("/people", "human", "people"),
];

async fn app() -> TestApp {
    let api = Api::new("api")
        .serializer::<WrappedSerializer<FooSerializer>>()
        .model_resource::<FooResource>()
        .serializer::<WrappedSerializer<FooBarSerializer>>()
        .model_resource::<FooBarResource>()
        .serializer::<WrappedSerializer<StorySerializer>>()
        .model_resource::<StoryResource>()
        .serializer::<WrappedSerializer<PersonSerializer>>()
        .model_resource::<PersonResource>();
    TestApp::with_api(api).await
}

/// SER-22, SER-24: the envelope of one object is the model's name with a small first letter, in input and output.
#[tokio::test]
async fn an_object_is_under_the_models_name() {
    let app = app().await;
    for (url, one, _) in ENVELOPES {
        let object = |name: &str| json!({one: {"id": 1, "name": name}});
        let body = |name: &str| json!({one: {"name": name}});
        let item = format!("{url}/1");
        app.post(url, body("a")).await.expect_json(201, object("a"));
        app.get(&item).await.expect_json(200, object("a"));
        app.put(&item, body("b")).await.expect_json(200, object("b"));
        app.patch(&item, body("c")).await.expect_json(200, object("c"));
        app.get(&item).await.expect_json(200, object("c"));
        app.put(&item, object("d")).await.expect_json(200, object("d"));
    }
}

/// SER-23: a list has one envelope around the whole array, named by the plural or by the custom keys.
#[tokio::test]
async fn a_list_is_one_envelope_around_the_array() {
    let app = app().await;
    for (url, one, many) in ENVELOPES {
        app.get(url).await.expect_json(200, json!({many: []}));
        for name in ["a", "b"] {
            app.post(url, json!({one: {"name": name}})).await.expect(201);
        }
        let rows = json!([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]);
        app.get(url).await.expect_json(200, json!({many: rows}));
    }
}

/// SER-24: a body without its envelope is a 400, and nothing is stored.
#[tokio::test]
async fn a_body_without_its_envelope_is_a_400() {
    let app = app().await;
    app.post("/foo-bars", json!({"fooBar": {"name": "a"}}))
        .await
        .expect(201);
    let errors = json!({"errors": {"_schema": ["Expected an object with the single key \"fooBar\"."]}});
    for body in [
        json!({"name": "b"}),
        json!({}),
        json!({"foobar": {"name": "b"}}),
        json!({"foo_bar": {"name": "b"}}),
        json!({"fooBar": {"name": "b"}, "more": 1}),
        json!({"fooBar": "b"}),
        json!({"fooBar": [{"name": "b"}]}),
        json!({"fooBar": Value::Null}),
    ] {
        for (method, path) in [
            (http::Method::POST, "/foo-bars"),
            (http::Method::PUT, "/foo-bars/1"),
            (http::Method::PATCH, "/foo-bars/1"),
        ] {
            let refused = app.send_json(method, path, body.clone()).await;
            refused.expect_json(400, errors.clone());
        }
    }
    let rows = json!({"fooBars": [{"id": 1, "name": "a"}]});
    app.get("/foo-bars").await.expect_json(200, rows);
}

/// SER-24: errors of fields inside the envelope have the same keys as without it.
#[tokio::test]
async fn errors_inside_the_envelope_are_keyed_by_field() {
    let app = app().await;
    app.post("/foos", json!({"foo": {"name": 1, "other": 2}}))
        .await
        .expect_json(
            400,
            json!({"errors": {"name": ["Not a valid string."], "other": ["Unknown field."]}}),
        );
    app.get("/foos").await.expect_json(200, json!({"foos": []}));
}

/// SER-22, SER-24: apart from its envelope a wrapped serializer behaves like the inner one.
#[tokio::test]
async fn a_wrapped_serializer_behaves_like_the_inner_one() {
    let api = Api::new("api").serializer::<WrappedSerializer<ChosenSerializer>>();
    let app = TestApp::with_api(api.model_resource::<AccountResource>()).await;
    let account = json!({"account": {"id": 1, "name": "a", "plan": "free", "loud": "A"}});
    app.post(
        "/accounts",
        json!({"account": {"name": "a", "pin": "1", "plan": "gold"}}),
    )
    .await
    .expect_json(201, account.clone());
    for (body, errors) in [
        (json!({"note": "n"}), json!({"note": ["Unknown field."]})),
        (json!({"other": "o"}), json!({"other": ["Unknown field."]})),
        (
            json!({"pin": "a"}),
            json!({"_schema": ["Update: the pin is the name."]}),
        ),
    ] {
        app.patch("/accounts/1", json!({ "account": body }))
            .await
            .expect_json(400, json!({ "errors": errors }));
    }
    app.get("/accounts/1").await.expect_json(200, account);
}
