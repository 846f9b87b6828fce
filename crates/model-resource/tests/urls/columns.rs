//! The column by which the last parameter identifies a row.

use http::Method;
use model_resource::{
    ALL_METHODS, Api, CREATE, Context, DELETE, Draft, GET, MethodDecorators, Model, ModelResource,
    ModelSerializer, Operations, PATCH, PUT, Reply, Result, model_resource, operations, param_converter,
    route, serializer,
};
use serde_json::{Value, json};
use test_support::{TestApp, startup_errors};

#[derive(Debug, Clone, Model)]
#[model(table = "countries")]
struct Country {
    #[column(primary_key)]
    id: i64,
    #[column(unique)]
    code: String,
    name: String,
    #[column(unique)]
    nickname: Option<String>,
}

/// A model with a unique value that is normalized before it is stored.
#[derive(Debug, Clone, Model)]
#[model(table = "mailboxes")]
struct Mailbox {
    #[column(primary_key)]
    id: i64,
    #[column(unique, lowercase, trim, name = "mail_address", json = "mail")]
    address: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "persons")]
struct Person {
    #[column(primary_key = client)]
    number: i64,
    #[column(unique)]
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "profiles")]
struct Profile {
    #[column(primary_key)]
    id: i64,
    #[column(unique, references = Person)]
    person_id: i64,
    bio: String,
}

macro_rules! serializers {
    ($($serializer:ident($model:ident)),*) => { $(
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }
    )* };
}

serializers!(
    CountrySerializer(Country),
    PersonSerializer(Person),
    ProfileSerializer(Profile)
);

serializers!(MailboxSerializer(Mailbox));

struct MailboxResource;

#[model_resource(Mailbox, "/mailboxes", "/mailboxes/<address>")]
impl ModelResource for MailboxResource {
    const BULK_METHODS: Operations = operations![CREATE, PATCH, DELETE];
}

struct CountryResource;

#[model_resource(Country, "/countries", "/countries/<code>")]
impl ModelResource for CountryResource {
    const BULK_METHODS: Operations = operations![CREATE, PUT, PATCH, DELETE];
}

#[model_resource(Country, "/lands/<country_code>")]
struct LandResource;

#[model_resource(
    Country,
    "/nations",
    "/nations/by/<country_id>",
    "/nations/<nickname>",
    endpoint = "nations"
)]
struct NationResource;

#[model_resource(Person, "/persons", "/persons/<int:id>")]
struct PersonResource;

#[model_resource(Person, "/names/<person_name>")]
struct PersonNameResource;

#[model_resource(Profile, "/profiles", "/profiles/<int:person_id>")]
struct ProfileResource;

struct HandLoadedResource;

#[model_resource(Country, "/hand/<code>")]
impl ModelResource for HandLoadedResource {
    const EXCLUDE_DECORATORS: Operations = Operations::of(&ALL_METHODS);
    const INCLUDE_METHODS: Operations = operations![GET, DELETE];

    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().every(param_converter().model::<Country>("code"))
    }
}

struct RenamedResource;

/// Changes the code of the row between the read and the write.
#[model_resource(Country, "/renamed/<code>")]
impl ModelResource for RenamedResource {
    const INCLUDE_METHODS: Operations = Operations::NONE;

    async fn put(cx: Context, country: Draft<Country>) -> Result<Reply> {
        rename(&cx).await?;
        cx.updated(country).await
    }

    async fn delete(cx: Context, country: Country) -> Result<Reply> {
        rename(&cx).await?;
        cx.deleted(country).await
    }
}

async fn rename(cx: &Context) -> Result<()> {
    let code = cx.params().get("code").unwrap().to_owned();
    let all: Vec<Country> = cx.store().all(&model_resource::Query::new()).await?;
    for country in all.iter().filter(|country| country.code == code) {
        let mut draft = Draft::of(country);
        draft.set(Country::CODE, format!("{code}-old"));
        cx.store().save(draft).await?;
    }
    Ok(())
}

#[route("/capitals/<country_code>", decorators = [param_converter().model::<Country>("country_code")])]
async fn capital(cx: Context) -> Value {
    json!(cx.loaded::<Country>().map(|country| country.name))
}

fn api() -> Api {
    Api::new("columns")
        .serializer::<CountrySerializer>()
        .serializer::<PersonSerializer>()
        .serializer::<ProfileSerializer>()
}

async fn app() -> TestApp {
    let api = api()
        .model_resource::<CountryResource>()
        .model_resource::<LandResource>()
        .model_resource::<PersonResource>()
        .model_resource::<PersonNameResource>()
        .model_resource::<ProfileResource>()
        .model_resource::<HandLoadedResource>()
        .model_resource::<RenamedResource>()
        .route(capital);
    let app = TestApp::with_api(api).await;
    for (code, name) in [("ch", "Switzerland"), ("2", "Two"), ("a b/ü", "Odd")] {
        let body = json!({"code": code, "name": name});
        app.post("/countries", body).await.expect(201);
    }
    app
}

fn country(id: i64, code: &str, name: &str) -> Value {
    json!({"id": id, "code": code, "name": name, "nickname": null})
}

/// URL-10: every operation and `Location` use the unique column named by the parameter, not the primary key.
#[tokio::test]
async fn the_last_parameter_finds_the_row_by_the_unique_column_of_its_name() {
    let app = app().await;
    let made = app
        .post("/countries", json!({"code": "fr", "name": "France"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/countries/fr");
    app.get("/countries/fr")
        .await
        .expect_json(200, country(4, "fr", "France"));
    app.get("/countries/2")
        .await
        .expect_json(200, country(2, "2", "Two"));
    app.get("/countries/1").await.expect(404);
    app.get("/countries/FR").await.expect(404);
    app.get("/countries/a%20b%2F%C3%BC")
        .await
        .expect_json(200, country(3, "a b/ü", "Odd"));
    app.put("/countries/ch", json!({"code": "ch", "name": "Suisse"}))
        .await
        .expect_json(200, country(1, "ch", "Suisse"));
    app.patch("/countries/2", json!({"name": "Deux"}))
        .await
        .expect_json(200, country(2, "2", "Deux"));
    app.patch("/countries/1", json!({"name": "no"})).await.expect(404);
    app.put("/countries/3", json!({"code": "3", "name": "no"}))
        .await
        .expect(404);
    app.delete("/countries/1").await.expect(404);
    app.delete("/countries/2").await.expect(204);
    app.get("/countries").await.expect_json(
        200,
        json!([
            country(1, "ch", "Suisse"),
            country(3, "a b/ü", "Odd"),
            country(4, "fr", "France"),
        ]),
    );
}

/// URL-10: the parameter may be prefixed with the model's name. `id` is the primary key, regardless of its name.
#[tokio::test]
async fn a_parameter_may_name_the_model_too_and_id_is_the_key() {
    let app = app().await;
    app.get("/lands/ch")
        .await
        .expect_json(200, country(1, "ch", "Switzerland"));
    app.delete("/lands/ch").await.expect(204);
    app.get("/lands/ch").await.expect(404);
    let ann = json!({"number": 70, "name": "Ann"});
    let made = app.post("/persons", ann.clone()).await.expect(201);
    assert_eq!(made.header("location"), "/persons/70");
    app.get("/persons/70").await.expect_json(200, ann.clone());
    app.get("/names/Ann").await.expect_json(200, ann);
    app.get("/names/70").await.expect(404);
}

/// URL-10: a get by a unique column is one statement, as by the primary key.
#[tokio::test]
async fn a_get_by_a_unique_column_is_one_statement() {
    let app = app().await;
    let before = app.store.read_count();
    app.get("/countries/ch").await.expect(200);
    assert_eq!(app.store.read_count() - before, 1);
}

/// URL-10: a value of a normalized column is normalized before the lookup, also if the column has another name
/// elsewhere.
#[tokio::test]
async fn a_normalized_column_finds_every_spelling() {
    let api = Api::new("mail")
        .serializer::<MailboxSerializer>()
        .model_resource::<MailboxResource>();
    let app = TestApp::with_api(api).await;
    let stored = json!({"id": 1, "mail": "ann@example.com"});
    let made = app
        .post("/mailboxes", json!({"mail": " Ann@Example.com"}))
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/mailboxes/ann%40example.com");
    for spelling in ["ann@example.com", "ANN@example.com", "%20Ann@Example.com"] {
        let url = format!("/mailboxes/{spelling}");
        app.get(&url).await.expect_json(200, stored.clone());
        app.patch(&url, json!({"mail": "ANN@example.com"}))
            .await
            .expect_json(200, stored.clone());
    }
    app.patch("/mailboxes", json!([{"mail": "ANN@Example.com"}]))
        .await
        .expect_json(200, json!([stored]));
    app.delete("/mailboxes?mail=Ann@Example.com").await.expect(204);
    app.get("/mailboxes").await.expect_json(200, json!([]));
}

/// URL-10: bulk requests identify objects by the unique column, in bodies and in queries.
#[tokio::test]
async fn bulk_requests_identify_objects_by_the_unique_column() {
    let app = app().await;
    app.patch(
        "/countries",
        json!([{"code": "ch", "name": "CH"}, {"code": "2", "name": "II"}]),
    )
    .await
    .expect_json(200, json!([country(1, "ch", "CH"), country(2, "2", "II")]));
    let before = app.database().rows();
    app.patch(
        "/countries",
        json!([{"code": "ch", "name": "x"}, {"code": "1", "name": "x"}]),
    )
    .await
    .expect(404);
    app.patch("/countries", json!([{"id": 1, "name": "x"}]))
        .await
        .expect_json(400, json!({"errors": {"0": {"code": ["Code is required."]}}}));
    app.delete("/countries?id=1").await.expect(400);
    assert_eq!(app.database().rows(), before);
    app.delete("/countries?code=ch&code=2").await.expect(204);
    app.get("/countries")
        .await
        .expect_json(200, json!([country(3, "a b/ü", "Odd")]));
}

/// URL-10: `param_converter` looks up by the unique column too, on a resource and on a view.
#[tokio::test]
async fn a_converter_finds_by_the_unique_column() {
    let app = app().await;
    app.get("/hand/ch")
        .await
        .expect_json(200, country(1, "ch", "Switzerland"));
    app.get("/hand/1").await.expect(404);
    app.get("/capitals/ch")
        .await
        .expect_json(200, json!("Switzerland"));
    app.get("/capitals/1").await.expect(404);
    app.delete("/hand/ch").await.expect(204);
    app.get("/countries/ch").await.expect(404);
}

/// URL-10: `Location` uses a nullable column only if no other URL exists and it has a value.
#[tokio::test]
async fn a_location_needs_a_value() {
    let api = api().model_resource::<NationResource>();
    let app = TestApp::with_api(api).await;
    let made = app
        .post(
            "/nations",
            json!({"code": "fr", "name": "France", "nickname": "l'hexagone"}),
        )
        .await
        .expect(201);
    assert_eq!(made.header("location"), "/nations/by/1");
    app.get("/nations/l'hexagone").await.expect_json(200, made.json());
    app.get("/nations/null").await.expect(404);
}

/// URL-11: a last parameter that identifies no row is rejected at startup, with valid alternatives.
#[tokio::test]
async fn a_last_parameter_that_identifies_no_row_is_rejected() {
    #[model_resource(Country, "/countries/<name>")]
    struct ByName;
    #[model_resource(Country, "/countries/<country_name>")]
    struct ByCountryName;
    #[model_resource(Country, "/countries/<kode>")]
    struct ByNothing;
    #[model_resource(Country, "/countries/<int:country>")]
    struct ByModel;
    #[model_resource(Country, "/countries/<int:code>/<float:id>")]
    struct ByFloat;
    #[model_resource(Country, "/countries/<code>", unscoped("code"))]
    struct Unscoped;

    let names = "name it after `id` or `code` or `nickname`";
    for (api, remedy) in [
        (
            api().model_resource::<ByName>(),
            "mark the column #[column(unique)]",
        ),
        (
            api().model_resource::<ByCountryName>(),
            "mark the column #[column(unique)]",
        ),
        (api().model_resource::<ByNothing>(), names),
        (api().model_resource::<ByModel>(), names),
        (api().model_resource::<ByFloat>(), "can never be a key of Country"),
        (api().model_resource::<Unscoped>(), "take the declaration off"),
    ] {
        let mistakes = startup_errors(api).await;
        assert!(
            matches!(mistakes.as_slice(), [one] if one.contains(remedy)),
            "{mistakes:?}"
        );
    }
}

/// URL-11: a converter of a model by a column that is not unique is rejected too.
#[test]
fn a_converter_by_a_column_that_is_not_unique_is_rejected() {
    let refused = std::panic::catch_unwind(|| param_converter().model::<Country>("name"));
    let message = *refused.err().unwrap().downcast::<String>().unwrap();
    assert!(message.contains("not unique"), "{message}");
}

/// URL-12: a body may change the column in the URL; the old URL is then a 404.
#[tokio::test]
async fn a_body_may_change_the_unique_value() {
    let app = app().await;
    app.patch("/countries/ch", json!({"code": "cch"}))
        .await
        .expect_json(200, country(1, "cch", "Switzerland"));
    app.get("/countries/ch").await.expect(404);
    app.put("/countries/cch", json!({"code": "ch", "name": "CH"}))
        .await
        .expect_json(200, country(1, "ch", "CH"));
    let before = app.database().rows();
    app.patch("/countries/ch", json!({"code": "2"}))
        .await
        .expect_json(400, json!({"errors": {"code": ["Code is already taken."]}}));
    app.patch("/countries/ch", json!({"id": 2})).await.expect(400);
    assert_eq!(app.database().rows(), before);
}

/// URL-12: a foreign key in the URL cannot be changed.
#[tokio::test]
async fn a_body_does_not_contradict_a_foreign_key_in_the_url() {
    let app = app().await;
    for number in [7, 8, 9] {
        let person = json!({"number": number, "name": format!("P{number}")});
        app.post("/persons", person).await.expect(201);
    }
    for (id, person) in [(1, 9), (2, 8)] {
        let made = app
            .post("/profiles", json!({"personId": person, "bio": "b"}))
            .await
            .expect(201);
        assert_eq!(made.json()["id"], id);
        assert_eq!(made.header("location"), format!("/profiles/{person}"));
    }
    let before = app.database().rows();
    for method in [Method::PATCH, Method::PUT] {
        let body = json!({"personId": 7, "bio": "b"});
        app.send_json(method, "/profiles/9", body)
            .await
            .expect_json(400, json!({"errors": {"personId": ["Does not match the URL."]}}));
    }
    app.get("/profiles/1").await.expect(404);
    app.patch("/profiles/2", json!({"bio": "x"})).await.expect(404);
    assert_eq!(app.database().rows(), before);
    app.patch("/profiles/9", json!({"personId": 9, "bio": "mine"}))
        .await
        .expect_json(200, json!({"id": 1, "personId": 9, "bio": "mine"}));
    app.put("/profiles/8", json!({"bio": "other"}))
        .await
        .expect_json(200, json!({"id": 2, "personId": 8, "bio": "other"}));
}

/// URL-12: a row whose column changes between the read and the write is not written.
#[tokio::test]
async fn a_row_is_written_only_while_the_url_identifies_it() {
    let app = app().await;
    app.put("/renamed/ch", json!({"code": "ch", "name": "no"}))
        .await
        .expect(404);
    app.get("/countries/ch-old")
        .await
        .expect_json(200, country(1, "ch-old", "Switzerland"));
    app.delete("/renamed/2").await.expect(404);
    app.get("/countries/2-old")
        .await
        .expect_json(200, country(2, "2-old", "Two"));
}
