//! Replies to writes while searches fill their lane.

use model_resource::{Api, Model, ModelSerializer, SerializerFields, model_resource, serializer};
use serde_json::json;
use test_support::{EndlessSearches, TestApp};

#[derive(Debug, Clone, Model)]
#[model(table = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    customer: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "order_lines")]
struct OrderLine {
    #[column(primary_key)]
    id: i64,
    #[column(references = Order, on_delete = cascade)]
    order_id: i64,
    quantity: i64,
}

#[derive(Debug, Clone, Model)]
#[model(table = "labels")]
struct Label {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Model)]
#[model(table = "order_labels", unique(order_id, label_id))]
struct OrderLabel {
    #[column(primary_key)]
    id: i64,
    #[column(references = Order, on_delete = cascade)]
    order_id: i64,
    #[column(references = Label)]
    label_id: i64,
}

struct LineSerializer;

#[serializer]
impl ModelSerializer for LineSerializer {
    type Model = OrderLine;
}

struct LabelSerializer;

#[serializer]
impl ModelSerializer for LabelSerializer {
    type Model = Label;
}

struct OrderSerializer;

#[serializer]
impl ModelSerializer for OrderSerializer {
    type Model = Order;

    fn fields(fields: SerializerFields<Order>) -> SerializerFields<Order> {
        fields
            .has_many::<LineSerializer>("lines", OrderLine::ORDER_ID)
            .writable("lines")
            .always("lines")
            .many_to_many::<LabelSerializer>("labels", OrderLabel::ORDER_ID, OrderLabel::LABEL_ID)
            .always("labels")
    }
}

#[model_resource(Order, "/orders", "/orders/<int:id>", serializer = OrderSerializer)]
struct OrderResource;

#[model_resource(OrderLine, "/lines", "/lines/<int:id>", serializer = LineSerializer)]
struct LineResource;

#[model_resource(Label, "/labels", "/labels/<int:id>", serializer = LabelSerializer)]
struct LabelResource;

/// LOAD-1: the reply to a write, whose related rows are read after the commit, waits for no search; neither does an object
/// with them.
#[tokio::test(flavor = "multi_thread")]
async fn replies_with_related_rows_do_not_wait_for_searches() {
    let api = Api::new("shop").model_resource::<OrderResource>();
    let api = api
        .model_resource::<LineResource>()
        .model_resource::<LabelResource>();
    let app = TestApp::with_api(api).await;
    let _searches = EndlessSearches::fill(&app.store).await;
    let new = json!({"customer": "ann", "lines": [{"quantity": 1}, {"quantity": 2}]});
    let created = app.post("/orders", new).await.expect(201).json();
    assert_eq!(created["lines"].as_array().map(Vec::len), Some(2), "{created}");
    assert_eq!(created["labels"], json!([]));
    let change = json!({"customer": "bob"});
    let changed = app.patch("/orders/1", change).await.expect(200).json();
    assert_eq!(changed["lines"], created["lines"]);
    assert_eq!(app.get("/orders/1").await.expect(200).json(), changed);
}
