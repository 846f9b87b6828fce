//! The column by which the last parameter identifies a row.

mod changes;
mod lookup;
mod rejected;

use model_resource::{
    ALL_METHODS, Api, CREATE, Context, DELETE, Draft, GET, MethodDecorators, Model, ModelResource,
    ModelSerializer, Operations, PATCH, PUT, Reply, Result, model_resource, param_converter, route,
    serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

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
    const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, DELETE]);
}

struct CountryResource;

#[model_resource(Country, "/countries", "/countries/<code>")]
impl ModelResource for CountryResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH, DELETE]);
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
    const EXCLUDE_DECORATORS: Operations = Operations::of(ALL_METHODS);
    const INCLUDE_METHODS: Operations = Operations::of([GET, DELETE]);

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
    let all: Vec<Country> = cx.store_unchecked().all(&model_resource::Query::new()).await?;
    for country in all.iter().filter(|country| country.code == code) {
        let mut draft = Draft::of(country);
        draft.set(Country::CODE, format!("{code}-old"));
        cx.store_unchecked().save(draft).await?;
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
