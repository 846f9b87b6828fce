//! Default endpoints of a ModelResource.

mod concurrency;
mod preferred;

use model_resource::{Api, Model, model_resource};
use serde_json::json;
use test_support::TestApp;

/// A model whose client assigns keys in any order.
#[derive(Debug, Clone, Model)]
struct Seat {
    #[column(primary_key = client)]
    number: i64,
    guest: Option<String>,
}

#[model_resource(Seat, "/seats", "/seats/<int:number>")]
struct SeatResource;

async fn seats() -> TestApp {
    let api = Api::new("seats").model_resource::<SeatResource>();
    TestApp::with_api(api).await
}

/// END-2: list is a top-level array of all rows, ordered by primary key, or empty.
#[tokio::test]
async fn list_is_an_array_of_all_rows_in_the_order_of_their_keys() {
    let app = seats().await;
    app.get("/seats").await.expect_json(200, json!([]));
    for number in [10, 9, 100, 2] {
        app.post("/seats", json!({"number": number})).await.expect(201);
    }
    app.get("/seats").await.expect_json(
        200,
        json!([
            {"number": 2, "guest": null},
            {"number": 9, "guest": null},
            {"number": 10, "guest": null},
            {"number": 100, "guest": null},
        ]),
    );
    app.patch("/seats/2", json!({"guest": "Zoe"})).await.expect(200);
    let list = app.get("/seats").await.expect(200).json();
    assert_eq!(list[0], json!({"number": 2, "guest": "Zoe"}));
}

/// END-5: get returns the object whose key is in the URL.
#[tokio::test]
async fn get_answers_with_the_object_whose_key_is_in_the_url() {
    let app = seats().await;
    for (number, guest) in [(1, "Ann"), (2, "Bob")] {
        app.post("/seats", json!({"number": number, "guest": guest}))
            .await
            .expect(201);
    }
    app.get("/seats/2")
        .await
        .expect_json(200, json!({"number": 2, "guest": "Bob"}));
    app.get("/seats/1")
        .await
        .expect_json(200, json!({"number": 1, "guest": "Ann"}));
    app.get("/seats/3").await.expect(404);
}

/// END-6: put never creates a row, not even if the client assigns the keys.
#[tokio::test]
async fn put_never_creates_a_row() {
    let app = seats().await;
    app.put("/seats/1", json!({"number": 1, "guest": "Ann"}))
        .await
        .expect(404);
    app.put("/seats/1", json!({"guest": "Ann"})).await.expect(404);
    app.get("/seats").await.expect_json(200, json!([]));
}

/// END-9: delete removes only this row, and returns 204 without a body.
#[tokio::test]
async fn delete_removes_the_row_and_answers_without_a_body() {
    let app = seats().await;
    for number in [1, 2] {
        app.post("/seats", json!({"number": number})).await.expect(201);
    }
    let deleted = app.delete("/seats/1").await.expect(204);
    assert!(deleted.body.is_empty());
    assert_eq!(deleted.header("content-type"), "");
    app.get("/seats")
        .await
        .expect_json(200, json!([{"number": 2, "guest": null}]));
}
