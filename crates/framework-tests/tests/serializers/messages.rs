//! Custom messages for the built-in checks of a column.

use http::Method;
use model_resource::{
    Api, CREATE, ColumnEnum, Json, Model, ModelResource, ModelSerializer, Operations, PATCH, PUT,
    model_resource, serializer,
};
use serde_json::{Value, json};
use test_support::TestApp;

use super::with;

#[derive(ColumnEnum)]
enum Mood {
    Good,
    Bad,
}

#[derive(Model)]
struct Shop {
    #[column(primary_key)]
    id: i64,
    #[column(unique, message(unique = "There is a shop of this name."))]
    name: String,
}

#[derive(Model)]
struct Ware {
    #[column(primary_key = client, message(unique = "This code is in use.", required = "Give it a code."))]
    code: String,
    #[column(
        min_length = 2,
        max_length = 5,
        message(
            required = "Every ware has a title.",
            null = "A title is not nothing.",
            type = "A title is a text.",
            min_length = "Too short for a title.",
            max_length = "Too long for a title."
        )
    )]
    title: String,
    #[column(slug(from = title), unique, message(unique = "This slug is taken."))]
    slug: String,
    #[column(
        min = 1,
        max = 9,
        default = 1,
        message(min = "Not so few.", max = "Not so many.", type = "A number.")
    )]
    count: i32,
    #[column(email, message(email = "Write to whom?"))]
    contact: Option<String>,
    #[column(choices = ["new", "used"], default = "new", message(choice = "New or used."))]
    state: String,
    #[column(pattern = "[a-z]+", message(pattern = "Small letters."))]
    word: Option<String>,
    #[column(message(choice = "Good or bad."))]
    mood: Option<Mood>,
    #[column(message(type = "A document."))]
    extra: Option<Json>,
    #[column(references = Shop, message(missing_reference = "No such shop."))]
    shop_id: Option<i64>,
}

/// Declares a default serializer and resource with bulk writes.
macro_rules! resource {
    ($model:ident, $serializer:ident, $resource:ident, $($url:literal),+) => {
        struct $serializer;

        #[serializer]
        impl ModelSerializer for $serializer {
            type Model = $model;
        }

        struct $resource;

        #[model_resource($model, $($url),+)]
        impl ModelResource for $resource {
            const BULK_METHODS: Operations = Operations::of([CREATE, PATCH, PUT]);
        }
    };
}

resource!(Shop, ShopSerializer, ShopResource, "/shops", "/shops/<int:id>");
resource!(Ware, WareSerializer, WareResource, "/wares", "/wares/<code>");

async fn app() -> TestApp {
    let api = Api::new("api")
        .serializer::<ShopSerializer>()
        .model_resource::<ShopResource>()
        .serializer::<WareSerializer>()
        .model_resource::<WareResource>();
    let app = TestApp::with_api(api).await;
    app.post("/shops", json!({"name": "Corner"})).await.expect(201);
    app.post("/wares", ware("a", "Chair")).await.expect(201);
    app.post("/wares", ware("b", "Table")).await.expect(201);
    app
}

fn ware(code: &str, title: &str) -> Value {
    json!({"code": code, "title": title})
}

/// ERR-16: a custom message replaces the built-in one in create, put, patch and bulk requests.
#[tokio::test]
async fn a_column_may_replace_the_message_of_each_check_in_every_write() {
    let app = app().await;
    let before = app.database().rows();
    for (field, value, message) in [
        ("title", json!(null), "A title is not nothing."),
        ("title", json!(1), "A title is a text."),
        ("title", json!("a\0"), "A title is a text."),
        ("title", json!("A"), "Too short for a title."),
        ("title", json!("Chairs"), "Too long for a title."),
        ("title", json!("TABLE"), "This slug is taken."),
        ("count", json!(0), "Not so few."),
        ("count", json!(10), "Not so many."),
        ("count", json!(1.5), "A number."),
        ("count", json!(null), "Count may not be null."),
        ("contact", json!("a"), "Write to whom?"),
        ("state", json!("old"), "New or used."),
        ("word", json!("A"), "Small letters."),
        ("word", json!(1), "Not a valid string."),
        ("mood", json!("great"), "Good or bad."),
        ("mood", json!(1), "Good or bad."),
        ("extra", json!({"a": "\0"}), "A document."),
        ("shopId", json!(9), "No such shop."),
    ] {
        let errors = json!({field: [message]});
        let alone = json!({"errors": errors});
        let among = json!({"errors": {"1": errors}});
        let new = with(ware("c", "Couch"), field, value.clone());
        let whole = with(ware("a", "Chair"), field, value.clone());
        let part = with(json!({"code": "a"}), field, value);
        let first = ware("d", "Desk");
        for (method, path, body, expected) in [
            (Method::POST, "/wares", new.clone(), &alone),
            (Method::PUT, "/wares/a", whole.clone(), &alone),
            (Method::PATCH, "/wares/a", part.clone(), &alone),
            (Method::POST, "/wares", json!([first, new]), &among),
            (Method::PATCH, "/wares", json!([{"code": "b"}, part]), &among),
            (Method::PUT, "/wares", json!([ware("b", "Table"), whole]), &among),
        ] {
            let refused = app.send_json(method.clone(), path, body.clone()).await;
            assert_eq!(refused.status, 400, "{method} {body}");
            assert_eq!(refused.json(), *expected, "{method} {body}");
        }
    }
    assert_eq!(app.database().rows(), before);
}

/// ERR-16: custom messages also apply to missing values, duplicate keys and CSV cells.
#[tokio::test]
async fn missing_values_duplicate_keys_and_cells_have_the_custom_messages_too() {
    let app = app().await;
    let before = app.database().rows();
    let missing = json!({"code": ["Give it a code."], "title": ["Every ware has a title."]});
    app.post("/wares", json!({}))
        .await
        .expect_json(400, json!({"errors": missing}));
    app.post("/wares", ware("a", "Couch"))
        .await
        .expect_json(400, json!({"errors": {"code": ["This code is in use."]}}));
    app.patch("/wares", json!([{"title": "Couch"}]))
        .await
        .expect_json(400, json!({"errors": {"0": {"code": ["Give it a code."]}}}));
    app.post("/shops", json!({"name": "Corner"})).await.expect_json(
        400,
        json!({"errors": {"name": ["There is a shop of this name."]}}),
    );
    let csv = "code,title,count,extra\r\nc,Couch,many,{}\r\nd,Desk,1,{\r\n";
    let refused = app
        .send(Method::POST, "/wares", Some(("text/csv", csv.into())))
        .await;
    let refused = refused.expect(400).text();
    assert!(refused.contains("A number."), "{refused}");
    assert!(refused.contains("A document."), "{refused}");
    assert_eq!(app.database().rows(), before);
}
