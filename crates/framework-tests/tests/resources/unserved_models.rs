//! Models without a resource: `Api::tables` has those with a policy, with subscribers, and those that the api names.

use model_resource::{
    Api, ApiHandle, Change, Context, Draft, Model, ModelPolicy, ModelResource, Result, model_resource,
};
use serde_json::json;
use test_support::TestApp;

#[derive(Debug, Clone, Model)]
#[model(table = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    item: String,
}

struct OrderResource;

#[model_resource(Order, "/orders")]
impl ModelResource for OrderResource {}

#[derive(Debug, Clone, Model)]
#[model(table = "topics")]
struct Topic {
    #[column(primary_key)]
    id: i64,
}

/// Messages to send, which no client sees.
#[derive(Debug, Clone, Model)]
#[model(table = "outbox")]
struct Message {
    #[column(primary_key)]
    id: i64,
    text: String,
    #[column(references = Topic)]
    topic_id: Option<i64>,
}

struct MessagePolicy;

impl ModelPolicy for MessagePolicy {
    type Model = Message;
}

#[derive(Debug, Clone, Model)]
#[model(table = "receipts")]
struct Receipt {
    #[column(primary_key)]
    id: i64,
}

async fn send(cx: Context, change: Change<Order>) -> Result<()> {
    let text = format!("ordered: {}", change.row().item);
    let message = Draft::new().with(Message::TEXT, text);
    cx.store_unchecked().create(message).await?;
    Ok(())
}

async fn after(_: ApiHandle, _: Change<Receipt>) -> Result<()> {
    Ok(())
}

fn names(api: &Api) -> Vec<&'static str> {
    api.tables().into_iter().map(|table| table.name).collect()
}

/// DB-11: a model belongs to the tables of an api by its policy, its subscribers or by `Api::model`, each after those that
/// it references.
#[test]
fn the_tables_of_an_api_have_every_registered_model() {
    let api = Api::new("shop").model_resource::<OrderResource>();
    assert_eq!(names(&api), ["orders"]);
    let api = api.policy::<MessagePolicy>().after_change(after).on_change(send);
    assert_eq!(names(&api), ["orders", "topics", "outbox", "receipts"]);
    let api = Api::new("shop")
        .model::<Receipt>()
        .model::<Message>()
        .model::<Message>();
    assert_eq!(names(&api), ["topics", "outbox", "receipts"]);
}

/// DB-11: a subscriber writes rows of a model that has only a policy.
#[tokio::test]
async fn a_subscriber_writes_a_model_without_a_resource() {
    let api = Api::new("shop")
        .model_resource::<OrderResource>()
        .policy::<MessagePolicy>()
        .on_change(send);
    let app = TestApp::with_api(api).await;
    app.post("/orders", json!({"item": "tea"})).await.expect(201);
    let text: String = app.database().value("SELECT text FROM outbox");
    assert_eq!(text, "ordered: tea");
}
