//! Validation errors, field by field.

use model_resource::{Api, Context, Draft, Errors, Model, ModelResource, Reply, Result, model_resource};
use serde_json::json;
use test_support::TestApp;

/// Orders, whose handler validates an address and a list of lines.
#[derive(Debug, Clone, Model)]
#[model(table = "orders")]
struct Order {
    #[column(primary_key)]
    id: i64,
    name: String,
}

struct OrderResource;

#[model_resource(Order, "/orders")]
impl ModelResource for OrderResource {
    async fn create(cx: Context, _order: Draft<Order>, mut errors: Errors) -> Result<Reply> {
        let mut address = Errors::new();
        address.add("city", "City is required.");
        let mut customer = Errors::new();
        customer.nest("address", address);
        errors.nest("customer", customer);
        let mut line = Errors::new();
        line.add("amount", "Must be at least 1.");
        let mut lines = Errors::new();
        lines.nest_index(37, line);
        errors.nest("lines", lines);
        cx.errors(errors)
    }
}

/// ERR-3: nested errors follow the path, and errors of list items the index.
#[tokio::test]
async fn nested_errors_follow_the_path_and_the_index() {
    let api = Api::new("orders").model_resource::<OrderResource>();
    let app = TestApp::with_api(api).await;
    app.post("/orders", json!({"name": 1})).await.expect_json(
        400,
        json!({"errors": {
            "name": ["Not a valid string."],
            "customer": {"address": {"city": ["City is required."]}},
            "lines": {"37": {"amount": ["Must be at least 1."]}},
        }}),
    );
    app.get("/orders").await.expect_json(200, json!([]));
}
