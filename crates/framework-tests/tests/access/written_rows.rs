//! `ModelPolicy::writable`: the condition on rows as they are after a write.

use bytes::Bytes;
use http::Method;
use model_resource::{
    Api, CREATE, Caller, Context, Draft, Model, ModelPolicy, ModelResource, Operations, PATCH, PUT, Reply,
    Result, Where, model_resource, route,
};
use serde_json::{Value, json};
use test_support::{Client, HeaderAuthenticator, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "shops")]
struct Shop {
    #[column(primary_key)]
    id: i64,
    is_open: bool,
}

#[model_resource(Shop, "/shops", "/shops/<int:id>")]
struct ShopResource;

#[derive(Debug, Clone, Model)]
#[model(table = "offers")]
struct Offer {
    #[column(primary_key)]
    id: i64,
    title: String,
    #[column(default = 0)]
    discount: i64,
    #[column(references = Shop)]
    shop_id: i64,
}

struct OfferResource;

#[model_resource(Offer, "/offers", "/offers/<int:id>")]
impl ModelResource for OfferResource {
    const BULK_METHODS: Operations = Operations::of([CREATE, PUT, PATCH]);
}

/// Clerks give at most ten percent, and only managers make offers of closed shops.
struct OfferPolicy;

impl ModelPolicy for OfferPolicy {
    type Model = Offer;

    fn updatable(caller: &Caller) -> Where<Offer> {
        if caller.is_authenticated() {
            Where::all()
        } else {
            Where::none()
        }
    }

    fn may_create(caller: &Caller) -> bool {
        caller.is_authenticated()
    }

    fn writable(caller: &Caller) -> Where<Offer> {
        match (caller.has_role("manager"), caller.has_role("trainee")) {
            (true, _) => Where::all(),
            (_, true) => Offer::DISCOUNT.lte(10),
            _ => Offer::DISCOUNT
                .lte(10)
                .and(Offer::SHOP_ID.references(Shop::IS_OPEN.eq(true))),
        }
    }
}

/// Makes two offers, of which the second may be rejected, and keeps the first.
#[route("/pairs", methods = [POST])]
async fn pair(mut cx: Context) -> Result<Reply> {
    cx.begin().await?;
    let offer = |discount| {
        Draft::<Offer>::new()
            .with(Offer::TITLE, format!("{discount}%"))
            .with(Offer::DISCOUNT, discount)
            .with(Offer::SHOP_ID, 1)
    };
    cx.create(offer(5)).await?;
    let rejected = cx.create(offer(50)).await.is_err();
    cx.commit().await?;
    Reply::json(&json!({"rejected": rejected}))
}

async fn market() -> (TestApp, [Client; 3]) {
    let api = Api::new("market")
        .policy::<OfferPolicy>()
        .model_resource::<ShopResource>()
        .model_resource::<OfferResource>()
        .route(pair)
        .authenticator(HeaderAuthenticator);
    let app = TestApp::with_api(api).await;
    let database = app.database();
    database.execute("INSERT INTO shops (id, is_open) VALUES (1, true), (2, false)");
    database.execute(
        "INSERT INTO offers (id, title, discount, shop_id) VALUES (100, 'small', 5, 1), (101, 'large', 50, 1), (102, 'closed', 5, 2)",
    );
    let clients = ["1", "2 trainee", "3 manager"].map(|caller| app.as_caller(caller));
    (app, clients)
}

fn offer(discount: i64, shop: i64) -> Value {
    json!({"title": "new", "discount": discount, "shopId": shop})
}

/// POL-20: a row that would not be writable is denied, by each kind of write, and nothing changes.
#[tokio::test]
async fn a_write_that_leaves_an_unwritable_row_is_denied_and_changes_nothing() {
    let (app, [clerk, trainee, _]) = market().await;
    let before = app.database().rows();
    for client in [&clerk, &trainee] {
        client.post("/offers", offer(11, 1)).await.expect(403);
        client.put("/offers/100", offer(11, 1)).await.expect(403);
        client
            .patch("/offers/100", json!({"discount": 11}))
            .await
            .expect(403);
        let (small, large) = (offer(1, 1), offer(11, 1));
        client.post("/offers", json!([small, large])).await.expect(403);
        let many = json!([{"id": 100, "title": "x"}, {"id": 102, "discount": 11}]);
        client.patch("/offers", many).await.expect(403);
        let patch = Bytes::from(r#"[{"op": "replace", "path": "/discount", "value": 11}]"#);
        let patch = Some(("application/json-patch+json", patch));
        client.send(Method::PATCH, "/offers/100", patch).await.expect(403);
        let csv = Bytes::from("title,discount,shopId\r\nnew,1,1\r\nnew,11,1\r\n");
        client
            .send(Method::POST, "/offers", Some(("text/csv", csv)))
            .await
            .expect(403);
        let keyed = client.with_header("idempotency-key", "\"8e03978e-40d5-43e8-bc93-6894a57f9324\"");
        keyed.post("/offers", offer(11, 1)).await.expect(403);
        keyed.post("/offers", offer(11, 1)).await.expect(403);
    }
    assert_eq!(app.database().rows(), before);
}

/// POL-20: the condition is about the whole row, also where the body does not set the column.
#[tokio::test]
async fn a_patch_of_another_column_leaves_the_row_unwritable() {
    let (app, [clerk, trainee, manager]) = market().await;
    let before = app.database().rows();
    for client in [&clerk, &trainee] {
        client
            .patch("/offers/101", json!({"title": "x"}))
            .await
            .expect(403);
    }
    assert_eq!(app.database().rows(), before);
    trainee
        .patch("/offers/101", json!({"discount": 10}))
        .await
        .expect(200);
    manager
        .patch("/offers/101", json!({"discount": 60}))
        .await
        .expect(200);
}

/// POL-20: the condition may ask for related rows.
#[tokio::test]
async fn a_condition_on_related_rows_is_checked_after_the_write() {
    let (app, [clerk, trainee, _]) = market().await;
    let before = app.database().rows();
    clerk.post("/offers", offer(1, 2)).await.expect(403);
    clerk.patch("/offers/100", json!({"shopId": 2})).await.expect(403);
    clerk
        .post("/offers", json!([offer(1, 1), offer(1, 2)]))
        .await
        .expect(403);
    assert_eq!(app.database().rows(), before);
    clerk.patch("/offers/102", json!({"shopId": 1})).await.expect(200);
    clerk
        .post("/offers", json!([offer(1, 1), offer(10, 1)]))
        .await
        .expect(201);
    trainee.post("/offers", offer(1, 2)).await.expect(201);
}

/// POL-20: writes of a handler are checked, and one that is denied leaves its transaction open.
#[tokio::test]
async fn a_denied_write_of_a_handler_undoes_only_itself() {
    let (app, [clerk, _, manager]) = market().await;
    let count = || app.database().value::<u32>("SELECT COUNT(*) FROM offers");
    clerk
        .post("/pairs", json!({}))
        .await
        .expect_json(200, json!({"rejected": true}));
    assert_eq!(count(), 4);
    manager
        .post("/pairs", json!({}))
        .await
        .expect_json(200, json!({"rejected": false}));
    assert_eq!(count(), 6);
}
