//! Panics in the code of an application.

use model_resource::{
    Api, Context, Draft, Errors, GET, MethodDecorators, Model, ModelResource, ModelSerializer, Next, Reply,
    Result, SerializerFields, WriteMode, model_resource, serializer,
};
use serde_json::json;
use test_support::TestApp;

/// A model that makes every part of the application's code panic.
#[derive(Debug, Clone, Model)]
#[model(table = "bombs")]
struct Bomb {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct BombSerializer;

#[serializer]
impl ModelSerializer for BombSerializer {
    type Model = Bomb;

    fn fields(fields: SerializerFields<Bomb>) -> SerializerFields<Bomb> {
        fields.computed("length", |bomb: &Bomb| {
            assert!(bomb.name != "computed", "a computed field panics");
            bomb.name.len()
        })
    }

    fn validate(draft: &Draft<Bomb>, _: WriteMode, _: &mut Errors) {
        assert!(
            draft.get(Bomb::NAME).as_deref() != Some("validate"),
            "a check panics"
        );
    }
}

struct BombResource;

#[model_resource(Bomb, "/bombs", "/bombs/<int:id>")]
impl ModelResource for BombResource {
    fn method_decorators() -> MethodDecorators {
        MethodDecorators::none().on(GET, panic_on_request)
    }

    async fn put(_cx: Context, bomb: Draft<Bomb>, _errors: Errors) -> Result<Reply> {
        panic!("an operation panics at {:?}", bomb.get(Bomb::NAME))
    }
}

async fn panic_on_request(cx: Context, next: Next) -> Result<Reply> {
    assert!(cx.query("panic").is_none(), "a decorator panics");
    next.run(cx).await
}

/// If the application's code panics anywhere, one request is a 500 and the process survives.
#[tokio::test]
async fn a_panic_in_a_handler_is_a_500_and_the_process_survives() {
    let api = Api::new("bombs")
        .serializer::<BombSerializer>()
        .model_resource::<BombResource>();
    let app = TestApp::with_api(api).await;
    let fine = json!({"id": 1, "name": "fine", "length": 4});
    app.post("/bombs", json!({"name": "fine"})).await.expect(201);
    for _ in 0..10 {
        let before = app.database().rows();
        for answer in [
            app.get("/bombs/1?panic=1").await,
            app.put("/bombs/1", json!({"name": "x"})).await,
            app.patch("/bombs/1", json!({"name": "validate"})).await,
            app.post("/bombs", json!({"name": "validate"})).await,
        ] {
            let answer = answer.expect(500);
            assert_eq!(answer.json()["message"], "Internal Server Error");
            assert!(!answer.text().contains("panic"), "{}", answer.text());
        }
        assert_eq!(app.database().rows(), before);
        app.get("/bombs/1").await.expect_json(200, fine.clone());
    }
    app.database()
        .execute("INSERT INTO bombs (name) VALUES ('computed')");
    for _ in 0..10 {
        app.get("/bombs").await.expect(500);
        app.get("/bombs/2").await.expect(500);
        app.get("/bombs/1").await.expect_json(200, fine.clone());
    }
    app.delete("/bombs/2").await.expect(204);
    app.get("/bombs").await.expect_json(200, json!([fine]));
}
